// Matching on a device against the CPU core, bit for bit, in several orders of threads.
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "device_arrays.h"
#include "fastvbench/matching.h"
#include "interval_cases.h"
#include "intervals.h"
#include "prefix_sum.h"

namespace fastvbench {
namespace cuda {
namespace {

struct Pairs {
  std::vector<std::int64_t> pred_index, gold_index, offsets;
  std::vector<double> iou;
};

Pairs of_the_core(MatchMethod method, double min_iou, const Column& pred, const Column& gold) {
  const auto most = static_cast<std::size_t>(most_matches(pred.host(), gold.host()));
  Pairs pairs;
  pairs.pred_index.resize(most);
  pairs.gold_index.resize(most);
  pairs.iou.resize(most);
  pairs.offsets.resize(pred.offsets.size());
  CHECK(match_intervals(RunContext(), pred.host(), gold.host(), method, min_iou,
                        {pairs.pred_index.data(), pairs.gold_index.data(), pairs.iou.data(),
                         pairs.offsets.data()})
            .ok());
  const auto count = static_cast<std::size_t>(pairs.offsets.back());
  pairs.pred_index.resize(count);
  pairs.gold_index.resize(count);
  pairs.iou.resize(count);
  return pairs;
}

Refusals refusals_of(MatchMethod method, const Column& pred, const Column& gold) {
  DeviceBuffer<std::int64_t> offsets = device_array<std::int64_t>(pred.size() + 1);
  Matching matching;
  Refusals refusals;
  CHECK_CUDA(
      matching.find(method, 0.0, pred.device(), gold.device(), offsets.data(), nullptr, &refusals));
  return refusals;
}

Pairs on_device(MatchMethod method, double min_iou, const Column& pred, const Column& gold) {
  DeviceBuffer<std::int64_t> offsets = device_array<std::int64_t>(pred.size() + 1);
  Matching matching;
  Refusals refusals;
  CHECK_CUDA(matching.find(method, min_iou, pred.device(), gold.device(), offsets.data(), nullptr,
                           &refusals));
  CHECK(!refusals.any());
  const std::int64_t count = matching.pair_count();
  DeviceBuffer<std::int64_t> pred_index = device_array<std::int64_t>(count);
  DeviceBuffer<std::int64_t> gold_index = device_array<std::int64_t>(count);
  DeviceBuffer<double> iou = device_array<double>(count);
  CHECK_CUDA(matching.write(pred.device(), gold.device(), offsets.data(), pred_index.data(),
                            gold_index.data(), iou.data(), nullptr));
  return {to_host(pred_index), to_host(gold_index), to_host(offsets), to_host(iou)};
}

void matching_is_the_cores(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  for (const std::int64_t rows : {1, 40, 500}) {
    const Column pred = random_column(rows, 30, 64, random);
    const Column gold = random_column(rows, 30, 64, random);
    for (const MatchMethod method : {MatchMethod::kOptimal, MatchMethod::kGreedy}) {
      for (const double min_iou : {-1.0, 0.0, 0.5, 1.0}) {
        const Pairs expected = of_the_core(method, min_iou, pred, gold);
        const Pairs pairs = on_device(method, min_iou, pred, gold);
        CHECK(pairs.offsets == expected.offsets);
        CHECK(pairs.pred_index == expected.pred_index);
        CHECK(pairs.gold_index == expected.gold_index);
        CHECK(pairs.iou.size() == expected.iou.size() &&
              (pairs.iou.empty() || std::memcmp(pairs.iou.data(), expected.iou.data(),
                                                pairs.iou.size() * sizeof(double)) == 0));
      }
    }
  }
}

// Rows of equal intervals: every matching of all has the best sum, and the first is to be taken.
void ties_are_settled_in_order() {
  std::vector<double> values;
  std::vector<std::int64_t> offsets = {0};
  for (std::int64_t count = 1; count <= kMostMatchedIntervals; count += 7) {
    for (std::int64_t i = 0; i < count; ++i) values.insert(values.end(), {1.0, 3.0});
    offsets.push_back(offsets.back() + count);
  }
  const Column column(values, offsets);
  for (const MatchMethod method : {MatchMethod::kOptimal, MatchMethod::kGreedy}) {
    const Pairs pairs = on_device(method, 0.0, column, column);
    CHECK(pairs.offsets == offsets);
    CHECK(pairs.pred_index == pairs.gold_index);
  }
}

void refused_and_too_large_rows_are_named() {
  std::mt19937_64 random(9);
  const std::int64_t large = kMostMatchedIntervals + 1;
  std::vector<double> values = random_pairs(large + 4, random);
  const Column sound(values, {0, 2, 4, 4 + large});
  const Column small(random_pairs(6, random), {0, 2, 4, 6});
  values[2] = NAN;
  const Column with_nan(values, {0, 2, 4, 4 + large});
  const Column wrong(values, {0, 4, 2, 4 + large});
  for (const MatchMethod method : {MatchMethod::kOptimal, MatchMethod::kGreedy}) {
    CHECK(refusals_of(method, sound, small).large_row == 2);
    CHECK(refusals_of(method, small, sound).large_row == 2);
    CHECK(refusals_of(method, with_nan, small).interval_row == 0);
    CHECK(refusals_of(method, small, with_nan).interval_row == 0);
    CHECK(refusals_of(method, wrong, small).pred_offsets_row == 1);
    CHECK(refusals_of(method, small, wrong).gold_offsets_row == 1);
  }
}

void no_rows_have_no_pairs() {
  const Column none({}, {0});
  const Pairs pairs = on_device(MatchMethod::kOptimal, 0.0, none, none);
  CHECK(pairs.offsets == std::vector<std::int64_t>{0});
  CHECK(pairs.iou.empty());
}

void running_sums_are_those_of_the_host(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  for (const std::int64_t count : {1, 7, 2048, 2049, 9000}) {
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < count; ++i) {
      values.push_back(static_cast<std::int64_t>(random() % 9) - 2);
    }
    DeviceBuffer<std::int64_t> device_values = to_device(values);
    std::partial_sum(values.begin(), values.end(), values.begin());
    CHECK_CUDA(prefix_sum(device_values.data(), count, nullptr));
    CHECK(to_host(device_values) == values);
  }
}

}  // namespace
}  // namespace cuda
}  // namespace fastvbench

int main() {
  using namespace fastvbench::cuda;  // NOLINT
  in_several_orders(3, matching_is_the_cores);
  ties_are_settled_in_order();
  refused_and_too_large_rows_are_named();
  no_rows_have_no_pairs();
  in_several_orders(3, running_sums_are_those_of_the_host);
  return failure_count() != 0;
}
