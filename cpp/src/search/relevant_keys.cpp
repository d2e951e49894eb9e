#include "search/relevant_keys.h"

#include <cmath>

#include "fastvbench/parallel.h"
#include "search/faults.h"
#include "search/key_stream.h"

namespace fastvbench {

Status relevant_keys(const RunContext& context, const GalleryData& gallery,
                     const QueryRows& queries, const RelevantRows& relevant, double* keys) {
  const SearchKernels& kernels = search_kernels();
  const std::int64_t dimension = gallery.rows.dimension;
  constexpr std::int64_t kBlockQueries = 64;
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    RowReader reader(gallery.rows, kernels);
    if (!reader.reserve(1)) return Status::out_of_memory();
    for (std::int64_t q = begin; q < end; ++q) {
      const float* query = queries.row(q);
      for (std::int64_t i = relevant.offsets[q]; i < relevant.offsets[q + 1]; ++i) {
        const std::int64_t index = relevant.values[i];
        const float* row = reader.read(index, index + 1);
        kernels.dot64_pairs(&query, &row, 1, dimension, keys + i);
        double square;
        kernels.dot64_pairs(&row, &row, 1, dimension, &square);
        if (needs_look(square, gallery.similarity)) {
          return fault_status(fault_of(row, dimension, gallery.similarity), index);
        }
        if (gallery.similarity == Similarity::kCosine) keys[i] /= std::sqrt(square);
      }
    }
    return Status();
  };
  return parallel_for(context, queries.count, kBlockQueries, body);
}

}  // namespace fastvbench
