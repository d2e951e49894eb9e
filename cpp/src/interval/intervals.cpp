#include "fastvbench/intervals.h"

#include <algorithm>
#include <memory>
#include <new>

#include "fastvbench/buffer.h"
#include "fastvbench/parallel.h"
#include "interval/kernels.h"
#include "interval/row_workspace.h"

namespace fastvbench {
namespace {

constexpr std::int64_t kPairBlockRows = 32768;
// A huge page of results: two threads that touch one for the first time would both clear it.
constexpr std::int64_t kPairBlockRowsPastCache = 262144;
constexpr std::int64_t kRaggedBlockRows = 4096;
// Results above this size pass the cache: they would not be found in it when they are read.
constexpr std::int64_t kCachedResultRows = std::int64_t{1} << 20;
constexpr std::int64_t kMeanBlockRows = 1024;

}  // namespace

Status temporal_iou(const RunContext& context, const double* pred, const double* gold,
                    std::int64_t count, double* out) {
  const IntervalKernels& kernels = interval_kernels();
  const bool past_cache = count > kCachedResultRows;
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    bool refused = false;
    kernels.temporal_iou(pred + 2 * begin, gold + 2 * begin, end - begin, out + begin, past_cache,
                         &refused);
    if (!refused) return Status();
    for (std::int64_t row = begin; row < end; ++row) {
      for (const double* side : {pred, gold}) {
        if (!is_valid_interval(side[2 * row], side[2 * row + 1])) {
          return Status::invalid(kIntervalRefused, row, side[2 * row + 1] - side[2 * row]);
        }
      }
    }
    return Status();
  };
  return parallel_for(context, count, past_cache ? kPairBlockRowsPastCache : kPairBlockRows, body);
}

Status row_iou(const RunContext& context, IouConvention convention, const IntervalColumn& pred,
               const IntervalColumn& gold, double* out) {
  const IntervalKernels& kernels = interval_kernels();
  const std::int64_t block_count = (pred.size + kRaggedBlockRows - 1) / kRaggedBlockRows;
  std::unique_ptr<RowWorkspace[]> workspaces(new (std::nothrow)
                                                 RowWorkspace[thread_count(context, block_count)]);
  if (workspaces == nullptr) return Status::out_of_memory();
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
    RowWorkspace& workspace = workspaces[worker];
    bool refused = false;
    for (std::int64_t row = begin; row < end; ++row) {
      if (convention == IouConvention::kUnion) {
        row = kernels.set_iou_rows(pred, gold, row, end, out, &refused);
        if (row == end) break;
      }
      if (pred.count(row) > 0 && gold.count(row) > 0) {
        if (!workspace.load(pred, gold, row)) return Status::out_of_memory();
        out[row] = convention == IouConvention::kUnion
                       ? workspace.set_iou()
                       : workspace.best_iou(kernels, convention == IouConvention::kFirst);
      } else {
        out[row] = 0.0;
      }
      refused = refused || has_refused(pred, row) || has_refused(gold, row);
    }
    return refused ? first_refused_row(pred, gold, begin, end) : Status();
  };
  return parallel_for(context, pred.size, kRaggedBlockRows, body);
}

double mean_in_blocks(const double* values, std::int64_t count) {
  double total = 0.0;
  for (std::int64_t begin = 0; begin < count; begin += kMeanBlockRows) {
    const std::int64_t end = std::min(begin + kMeanBlockRows, count);
    double block = 0.0;
    for (std::int64_t i = begin; i < end; ++i) block += values[i];
    total += block;
  }
  return total / static_cast<double>(count);
}

bool has_refused(const IntervalColumn& column, std::int64_t row) {
  const double* pairs = column.row(row);
  for (std::int64_t k = 0; k < column.count(row); ++k) {
    if (!is_valid_interval(pairs[2 * k], pairs[2 * k + 1])) return true;
  }
  return false;
}

Status first_refused_row(const IntervalColumn& pred, const IntervalColumn& gold, std::int64_t begin,
                         std::int64_t end) {
  for (std::int64_t row = begin; row < end; ++row) {
    for (const IntervalColumn* side : {&pred, &gold}) {
      const double* pairs = side->row(row);
      for (std::int64_t k = 0; k < side->count(row); ++k) {
        if (!is_valid_interval(pairs[2 * k], pairs[2 * k + 1])) {
          return Status::invalid(kIntervalRefused, row, pairs[2 * k + 1] - pairs[2 * k]);
        }
      }
    }
  }
  return Status();
}

}  // namespace fastvbench
