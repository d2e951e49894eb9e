// Rows of a DeviceColumn, and how kernels report what they refuse.
#pragma once

#include "device.cuh"
#include "interval/pair_iou.h"
#include "intervals.h"

namespace fastvbench {
namespace cuda {

/// The lowest row of each kind that was refused, in device memory; a huge number where none was.
struct RefusedRows {
  std::int64_t interval;
  std::int64_t pred_offsets;
  std::int64_t gold_offsets;
  std::int64_t large;
};

struct RowRange {
  std::int64_t begin;
  std::int64_t count;
};

FASTVBENCH_DEVICE std::int64_t within(std::int64_t value, std::int64_t lowest,
                                      std::int64_t highest) {
  if (value < lowest) return lowest;
  return value > highest ? highest : value;
}

/// Never reaches outside the values. `first_bad` hears of offsets that do, of a first one that
/// isn't 0, and of a last one that leaves values unowned.
FASTVBENCH_DEVICE RowRange row_range(const DeviceColumn& column, std::int64_t row,
                                     std::int64_t* first_bad) {
  if (column.offsets == nullptr) return {row, 1};
  const std::int64_t first = column.offsets[row];
  const std::int64_t end = column.offsets[row + 1];
  if (first > end || first < 0 || end > column.value_count || (row == 0 && first != 0) ||
      (row + 1 == column.size && end != column.value_count)) {
    atomic_min(first_bad, row);
  }
  const std::int64_t begin = within(first, 0, column.value_count);
  return {begin, within(end, begin, column.value_count) - begin};
}

FASTVBENCH_DEVICE bool is_refused(const DeviceColumn& column, std::int64_t place) {
  return !is_valid_length(column.values[2 * place + 1] - column.values[2 * place]);
}

FASTVBENCH_DEVICE double iou_of(const DeviceColumn& pred, std::int64_t pred_place,
                                const DeviceColumn& gold, std::int64_t gold_place) {
  return pair_iou(pred.values[2 * pred_place], pred.values[2 * pred_place + 1],
                  gold.values[2 * gold_place], gold.values[2 * gold_place + 1]);
}

}  // namespace cuda
}  // namespace fastvbench
