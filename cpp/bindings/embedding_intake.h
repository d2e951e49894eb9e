// Embeddings from Python: row-major arrays of float32, or of 16-bit patterns with their type.
#pragma once

#include "python_support.h"
//
#include "fastvbench/search.h"
#include "row_faults.h"

namespace fastvbench::python {

/// Borrows `array`. `element_type` is ElementType's number: 0 takes float32, 1 float16 patterns and
/// 2 bfloat16 patterns, both as uint16. `name` is the Python argument.
EmbeddingRows checked_embeddings(const py::array& array, std::int32_t element_type,
                                 const char* name);

/// Raises for the rows of `rows` that have a fault, with their numbers; returns where none has.
void raise_if_faulty(const RunContext& context, const EmbeddingRows& rows, Similarity similarity,
                     const char* name);

}  // namespace fastvbench::python
