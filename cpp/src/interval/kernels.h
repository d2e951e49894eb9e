// The loops of this room that exist once per CPU level, and the table that picks a level's.
#pragma once

#include <cstdint>

#include "fastvbench/intervals.h"

namespace fastvbench {

/// Rows with at most this many intervals a side are handled in registers; larger ones by plain
/// code.
constexpr std::int64_t kLaneCount = 8;

/// Where a level's matching writes. Index and IoU arrays have room for the block's most pairs plus
/// kLaneCount, because whole vectors are stored.
struct MatchSink {
  std::int64_t* pred_index;
  std::int64_t* gold_index;
  double* iou;
  std::int64_t pair_count;
  std::int32_t* row_counts;  // of the whole column
};

/// A function with `refused` sets it where a row holds a refused interval (and goes on: such rows
/// get some value). One that returns a row stopped there: the row is too large for it.
struct IntervalKernels {
  void (*temporal_iou)(const double* pred, const double* gold, std::int64_t count, double* out,
                       bool past_cache, bool* refused);
  std::int64_t (*set_iou_rows)(const IntervalColumn& pred, const IntervalColumn& gold,
                               std::int64_t begin, std::int64_t end, double* out, bool* refused);
  std::int64_t (*match_rows)(const IntervalColumn& pred, const IntervalColumn& gold,
                             std::int64_t begin, std::int64_t end, double min_iou, MatchSink* sink,
                             bool* refused);
  /// IoU of one interval with `count` others, given as starts and ends.
  void (*iou_with_each)(double start, double end, const double* starts, const double* ends,
                        std::int64_t count, double* out);
};

/// The table of the CPU level in use.
const IntervalKernels& interval_kernels();

#define FASTVBENCH_DECLARE_INTERVAL_LEVEL(level)                                                   \
  namespace level {                                                                                \
  void temporal_iou_block(const double* pred, const double* gold, std::int64_t count, double* out, \
                          bool past_cache, bool* refused);                                         \
  std::int64_t set_iou_rows(const IntervalColumn& pred, const IntervalColumn& gold,                \
                            std::int64_t begin, std::int64_t end, double* out, bool* refused);     \
  std::int64_t match_rows(const IntervalColumn& pred, const IntervalColumn& gold,                  \
                          std::int64_t begin, std::int64_t end, double min_iou, MatchSink* sink,   \
                          bool* refused);                                                          \
  void iou_with_each(double start, double end, const double* starts, const double* ends,           \
                     std::int64_t count, double* out);                                             \
  }
FASTVBENCH_DECLARE_INTERVAL_LEVEL(level_scalar)
#ifdef FASTVBENCH_X86_LEVELS
FASTVBENCH_DECLARE_INTERVAL_LEVEL(level_avx2)
FASTVBENCH_DECLARE_INTERVAL_LEVEL(level_avx512)
#endif
#undef FASTVBENCH_DECLARE_INTERVAL_LEVEL

}  // namespace fastvbench
