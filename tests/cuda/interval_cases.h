// Random columns for tests: pairs that overlap, touch, repeat, have no length, and are huge.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "device_arrays.h"
#include "fastvbench/intervals.h"
#include "intervals.h"

namespace fastvbench {
namespace cuda {

inline std::vector<double> random_pairs(std::int64_t count, std::mt19937_64& random) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const double scale = random() % 7 == 0 ? 1e200 : 1.0;
    const double start = static_cast<double>(random() % 20) / 2.0 * scale;
    values.push_back(start);
    values.push_back(start + static_cast<double>(random() % 10) / 3.0 * scale);
  }
  return values;
}

/// A column on both sides.
struct Column {
  Column(std::vector<double> pairs, std::vector<std::int64_t> row_offsets)
      : values(std::move(pairs)),
        offsets(std::move(row_offsets)),
        device_values(to_device(values)),
        device_offsets(to_device(offsets)) {}

  std::int64_t size() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  IntervalColumn host() const { return {values.data(), offsets.data(), size()}; }
  DeviceColumn device() const {
    return {device_values.data(), device_offsets.data(), size(),
            static_cast<std::int64_t>(values.size() / 2)};
  }

  std::vector<double> values;
  std::vector<std::int64_t> offsets;
  DeviceBuffer<double> device_values;
  DeviceBuffer<std::int64_t> device_offsets;
};

/// Most rows have up to four intervals, some up to twelve, and one in `large_one_in` up to `most`.
inline Column random_column(std::int64_t rows, std::uint64_t large_one_in, std::uint64_t most,
                            std::mt19937_64& random) {
  std::vector<std::int64_t> offsets = {0};
  for (std::int64_t row = 0; row < rows; ++row) {
    std::uint64_t count = random() % 5;
    if (random() % 5 == 0) count = random() % 13;
    if (random() % large_one_in == 0) count = random() % (most + 1);
    offsets.push_back(offsets.back() + static_cast<std::int64_t>(count));
  }
  return {random_pairs(offsets.back(), random), offsets};
}

}  // namespace cuda
}  // namespace fastvbench
