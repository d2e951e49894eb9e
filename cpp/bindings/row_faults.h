// Rows that cannot be ranked, as an exception says it. Both extensions use this.
#pragma once

#include "python_support.h"
//
#include "fastvbench/search.h"

namespace fastvbench::python {

/// Raises for the rows that have a fault, with their numbers; returns where `fault_count` is 0.
/// `faults` holds a RowFault for each of `count` rows, `name` is the Python argument.
void raise_for_faults(const std::uint8_t* faults, std::int64_t count, std::int64_t fault_count,
                      const char* name);

}  // namespace fastvbench::python
