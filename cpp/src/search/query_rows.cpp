#include "search/query_rows.h"

#include <cmath>

#include "fastvbench/parallel.h"
#include "search/faults.h"
#include "search/kernels.h"
#include "search/row_reader.h"

namespace fastvbench {

Status QueryRows::load(const RunContext& context, const EmbeddingRows& rows,
                       Similarity similarity) {
  const SearchKernels& kernels = search_kernels();
  count = rows.count;
  dimension = rows.dimension;
  if (!norms.allocate(count)) return Status::out_of_memory();
  if (rows.type == ElementType::kFloat32) {
    values = static_cast<const float*>(rows.data);
  } else {
    if (!widened.allocate(count * dimension)) return Status::out_of_memory();
    values = widened.data();
  }
  constexpr std::int64_t kBlockQueries = 32;
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    if (rows.type != ElementType::kFloat32) {
      widen_values(kernels, rows.row(begin), rows.type, (end - begin) * dimension,
                   widened.data() + begin * dimension);
    }
    for (std::int64_t i = begin; i < end; ++i) {
      const float* vector = row(i);
      double square;
      kernels.dot64_pairs(&vector, &vector, 1, dimension, &square);
      if (needs_look(square, similarity)) {
        return fault_status(fault_of(vector, dimension, similarity), i);
      }
      norms[i] = std::sqrt(square);
    }
    return Status();
  };
  // A handful of vectors is done before a second thread would wake up.
  RunContext few = context;
  if (count * dimension < (1 << 18)) few.threads = 1;
  return parallel_for(few, count, kBlockQueries, body);
}

}  // namespace fastvbench
