// Rows that cannot be ranked: NaN, infinity, and for cosine all zeros.
#include <atomic>
#include <cmath>

#include "fastvbench/parallel.h"
#include "fastvbench/search.h"
#include "search/faults.h"
#include "search/kernels.h"
#include "search/row_reader.h"
#include "support/float_state.h"

namespace fastvbench {

RowFault fault_of(const float* row, std::int64_t dimension, Similarity similarity) {
  bool is_zero = true;
  bool has_infinity = false;
  for (std::int64_t d = 0; d < dimension; ++d) {
    if (std::isnan(row[d])) return RowFault::kNan;
    has_infinity |= std::isinf(row[d]);
    is_zero &= row[d] == 0.0f;
  }
  if (has_infinity) return RowFault::kInfinite;
  return is_zero && similarity == Similarity::kCosine ? RowFault::kZero : RowFault::kNone;
}

Status fault_status(RowFault fault, std::int64_t row) {
  switch (fault) {
    case RowFault::kNan:
      return Status::invalid("holds NaN", row, std::nan(""));
    case RowFault::kInfinite:
      return Status::invalid("holds an infinite value", row, HUGE_VAL);
    case RowFault::kZero:
      return Status::invalid("is all zeros, which has no cosine", row, 0.0);
    case RowFault::kNone:
      break;
  }
  return Status();
}

Status find_faults(const RunContext& context, const EmbeddingRows& rows, Similarity similarity,
                   std::uint8_t* faults, std::int64_t* fault_count) {
  const DefaultFloatState float_state;
  const SearchKernels& kernels = search_kernels();
  std::atomic<std::int64_t> found{0};
  constexpr std::int64_t kBlockRows = 64;
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    RowReader reader(rows, kernels);
    if (!reader.reserve(kBlockRows)) return Status::out_of_memory();
    const float* block = reader.read(begin, end);
    for (std::int64_t i = begin; i < end; ++i) {
      const float* row = block + (i - begin) * rows.dimension;
      double square;
      kernels.dot64_pairs(&row, &row, 1, rows.dimension, &square);
      faults[i] = 0;
      if (needs_look(square, similarity)) {
        faults[i] = static_cast<std::uint8_t>(fault_of(row, rows.dimension, similarity));
        if (faults[i] != 0) found.fetch_add(1, std::memory_order_relaxed);
      }
    }
    return Status();
  };
  const Status status = parallel_for(context, rows.count, kBlockRows, body);
  *fault_count = found.load();
  return status;
}

}  // namespace fastvbench
