// Queries as float32 vectors of one stride, with what their keys and scores need.
#pragma once

#include <cstdint>

#include "fastvbench/aligned_buffer.h"
#include "fastvbench/run_context.h"
#include "fastvbench/search.h"
#include "fastvbench/status.h"

namespace fastvbench {

struct QueryRows {
  AlignedBuffer<float> widened;  // empty where the caller's rows are float32 already
  const float* values = nullptr;
  std::int64_t count = 0;
  std::int64_t dimension = 0;
  AlignedBuffer<double> norms;  // sqrt(dot64(query, query)); every query is finite

  const float* row(std::int64_t index) const { return values + index * dimension; }
  /// Fails where a query has a fault.
  Status load(const RunContext& context, const EmbeddingRows& rows, Similarity similarity);
  /// What is reported for a key.
  double score(std::int64_t index, double key, Similarity similarity) const {
    return similarity == Similarity::kDot ? key : key / norms[index];
  }
};

}  // namespace fastvbench
