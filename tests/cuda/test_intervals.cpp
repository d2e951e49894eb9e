// Interval kernels against the CPU core, bit for bit, in several orders of threads.
#include <cmath>
#include <cstring>
#include <random>

#include "device_arrays.h"
#include "fastvbench/intervals.h"
#include "intervals.h"

namespace fastvbench {
namespace cuda {
namespace {

// Pairs that overlap, touch, repeat, have no length, and are huge.
std::vector<double> random_pairs(std::int64_t count, std::mt19937_64& random) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const double scale = random() % 7 == 0 ? 1e200 : 1.0;
    const double start = static_cast<double>(random() % 20) / 2.0 * scale;
    values.push_back(start);
    values.push_back(start + static_cast<double>(random() % 10) / 3.0 * scale);
  }
  return values;
}

struct Answer {
  std::vector<double> ious;
  std::int64_t refused_row;
};

Answer on_device(const std::vector<double>& pred, const std::vector<double>& gold) {
  const DeviceBuffer<double> device_pred = to_device(pred);
  const DeviceBuffer<double> device_gold = to_device(gold);
  const auto count = static_cast<std::int64_t>(pred.size() / 2);
  DeviceBuffer<double> out = device_array<double>(count);
  RefusedRow refused;
  CHECK_CUDA(
      temporal_iou(device_pred.data(), device_gold.data(), count, out.data(), nullptr, &refused));
  return {to_host(out), refused.row};
}

void pair_iou_is_the_cores(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  for (const std::int64_t count : {1, 31, 256, 1000}) {
    const std::vector<double> pred = random_pairs(count, random);
    const std::vector<double> gold = random_pairs(count, random);
    std::vector<double> expected(static_cast<std::size_t>(count));
    CHECK(fastvbench::temporal_iou(RunContext(), pred.data(), gold.data(), count, expected.data())
              .ok());
    const Answer answer = on_device(pred, gold);
    CHECK(answer.refused_row == -1);
    CHECK(std::memcmp(answer.ious.data(), expected.data(), expected.size() * sizeof(double)) == 0);
  }
}

void the_lowest_refused_row_is_named(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  for (const double bad : {static_cast<double>(NAN), HUGE_VAL, -1.0}) {
    std::vector<double> pred = random_pairs(700, random);
    const std::vector<double> gold = random_pairs(700, random);
    for (const std::size_t row : {650, 299, 300}) pred[2 * row + 1] = bad;
    CHECK(on_device(pred, gold).refused_row == 299);
  }
}

}  // namespace
}  // namespace cuda
}  // namespace fastvbench

int main() {
  using namespace fastvbench::cuda;  // NOLINT
  in_several_orders(3, pair_iou_is_the_cores);
  in_several_orders(3, the_lowest_refused_row_is_named);
  return failure_count() != 0;
}
