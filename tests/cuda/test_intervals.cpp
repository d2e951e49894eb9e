// Interval kernels against the CPU core, bit for bit, in several orders of threads.
#include "intervals.h"

#include <cmath>
#include <cstring>
#include <random>

#include "device_arrays.h"
#include "fastvbench/intervals.h"
#include "interval_cases.h"

namespace fastvbench {
namespace cuda {
namespace {

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

struct Answer {
  std::vector<double> ious;
  Refusals refusals;
};

Answer on_device(const std::vector<double>& pred, const std::vector<double>& gold) {
  const DeviceBuffer<double> device_pred = to_device(pred);
  const DeviceBuffer<double> device_gold = to_device(gold);
  const auto count = static_cast<std::int64_t>(pred.size() / 2);
  DeviceBuffer<double> out = device_array<double>(count);
  Refusals refusals;
  CHECK_CUDA(
      temporal_iou(device_pred.data(), device_gold.data(), count, out.data(), nullptr, &refusals));
  return {to_host(out), refusals};
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
    CHECK(!answer.refusals.any());
    CHECK(same_bits(answer.ious, expected));
  }
}

void the_lowest_refused_pair_is_named(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  for (const double bad : {static_cast<double>(NAN), HUGE_VAL, -1.0}) {
    std::vector<double> pred = random_pairs(700, random);
    const std::vector<double> gold = random_pairs(700, random);
    for (const std::size_t row : {650, 299, 300}) pred[2 * row + 1] = bad;
    CHECK(on_device(pred, gold).refusals.interval_row == 299);
  }
}

Answer row_iou_on_device(IouConvention convention, const Column& pred, const Column& gold) {
  DeviceBuffer<double> out = device_array<double>(pred.size());
  Refusals refusals;
  CHECK_CUDA(row_iou(convention, pred.device(), gold.device(), out.data(), nullptr, &refusals));
  return {to_host(out), refusals};
}

constexpr IouConvention kConventions[] = {IouConvention::kUnion, IouConvention::kFirst,
                                          IouConvention::kBest};

void row_iou_is_the_cores(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  for (const std::int64_t rows : {1, 33, 600}) {
    const Column pred = random_column(rows, 20, 150, random);
    const Column gold = random_column(rows, 20, 90, random);
    for (const IouConvention convention : kConventions) {
      std::vector<double> expected(static_cast<std::size_t>(rows));
      CHECK(fastvbench::row_iou(RunContext(), convention, pred.host(), gold.host(), expected.data())
                .ok());
      const Answer answer = row_iou_on_device(convention, pred, gold);
      CHECK(!answer.refusals.any());
      CHECK(same_bits(answer.ious, expected));
    }
  }
}

void one_interval_per_row_needs_no_offsets(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  const std::vector<double> pred = random_pairs(300, random);
  const std::vector<double> gold = random_pairs(300, random);
  const std::vector<double> expected = on_device(pred, gold).ious;
  const DeviceBuffer<double> device_pred = to_device(pred), device_gold = to_device(gold);
  for (const IouConvention convention : kConventions) {
    DeviceBuffer<double> out = device_array<double>(300);
    Refusals refusals;
    CHECK_CUDA(row_iou(convention, {device_pred.data(), nullptr, 300, 300},
                       {device_gold.data(), nullptr, 300, 300}, out.data(), nullptr, &refusals));
    CHECK(!refusals.any());
    CHECK(same_bits(to_host(out), expected));
  }
}

// Rows of 3, 3, 100 and 3 intervals.
std::vector<std::int64_t> some_offsets() { return {0, 3, 6, 106, 109}; }

void refused_rows_are_named(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  const std::vector<double> values = random_pairs(109, random);
  const Column sound(values, some_offsets());
  for (const IouConvention convention : kConventions) {
    for (const double bad : {static_cast<double>(NAN), HUGE_VAL, -1.0}) {
      for (const std::size_t place : {50, 107}) {
        std::vector<double> changed = values;
        changed[2 * place] = bad;
        changed[2 * place + 1] = -2.0;
        const std::int64_t row = place == 50 ? 2 : 3;
        const Column with_bad(changed, some_offsets());
        CHECK(row_iou_on_device(convention, with_bad, sound).refusals.interval_row == row);
        CHECK(row_iou_on_device(convention, sound, with_bad).refusals.interval_row == row);
      }
    }
  }
}

void offsets_are_checked_and_never_followed_outside(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  const std::vector<double> values = random_pairs(109, random);
  const Column sound(values, some_offsets());
  const std::vector<std::vector<std::int64_t>> wrong = {
      {1, 3, 6, 106, 109},     {0, 3, 6, 2, 109},    {0, 3, 6, 106, 108},
      {0, 3, 6, 106, 1 << 30}, {0, -5, 6, 106, 109}, {0, 3, INT64_MAX, INT64_MIN, 109}};
  const std::vector<std::int64_t> rows = {0, 2, 3, 3, 0, 1};
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const Column with_wrong(values, wrong[i]);
    const Refusals of_pred = row_iou_on_device(IouConvention::kUnion, with_wrong, sound).refusals;
    CHECK(of_pred.pred_offsets_row == rows[i] && of_pred.gold_offsets_row == -1);
    const Refusals of_gold = row_iou_on_device(IouConvention::kBest, sound, with_wrong).refusals;
    CHECK(of_gold.gold_offsets_row == rows[i] && of_gold.pred_offsets_row == -1);
  }
}

void too_large_rows_are_named() {
  std::mt19937_64 random(5);
  const std::int64_t count = kMostRowIntervals + 1;
  const Column large(random_pairs(count + 1, random), {0, 1, count + 1});
  const Column small(random_pairs(2, random), {0, 1, 2});
  for (const IouConvention convention : kConventions) {
    CHECK(row_iou_on_device(convention, large, small).refusals.large_row == 1);
    CHECK(row_iou_on_device(convention, small, large).refusals.large_row == 1);
  }
}

void rows_that_reach_thresholds_are_counted(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  const std::int64_t rows = 1500;
  const Column pred = random_column(rows, 1000, 20, random);
  const Column gold = random_column(rows, 1000, 20, random);
  const std::vector<double> thresholds = {0.0, 0.3, 0.5, 1.0};
  DeviceBuffer<double> out = device_array<double>(rows);
  Refusals refusals;
  CHECK_CUDA(
      row_iou(IouConvention::kFirst, pred.device(), gold.device(), out.data(), nullptr, &refusals));
  const std::vector<double> ious = to_host(out);
  for (const bool is_strict : {false, true}) {
    std::vector<std::int64_t> expected(thresholds.size()), counted(thresholds.size());
    std::int64_t expected_with_gold = 0, with_gold = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      if (gold.host().count(row) == 0) continue;
      ++expected_with_gold;
      const double iou = ious[static_cast<std::size_t>(row)];
      for (std::size_t t = 0; t < thresholds.size(); ++t) {
        const bool is_reached = is_strict ? iou > thresholds[t] : iou >= thresholds[t];
        if (is_reached && pred.host().count(row) > 0) ++expected[t];
      }
    }
    CHECK_CUDA(count_reached(out.data(), pred.device(), gold.device(), thresholds.data(),
                             static_cast<std::int64_t>(thresholds.size()), is_strict, nullptr,
                             &with_gold, counted.data()));
    CHECK(with_gold == expected_with_gold);
    CHECK(counted == expected);
  }
}

void no_rows_are_no_work() {
  const Column none({}, {0});
  CHECK(on_device({}, {}).ious.empty());
  for (const IouConvention convention : kConventions) {
    const Answer answer = row_iou_on_device(convention, none, none);
    CHECK(answer.ious.empty() && !answer.refusals.any());
  }
}

void running_out_of_memory_is_said() {
  std::mt19937_64 random(3);
  const Column pred = random_column(50, 10, 20, random);
  DeviceBuffer<double> out = device_array<double>(50);
  for (std::int64_t allocation = 0; allocation < 3; ++allocation) {
    shim::fail_allocation_after(allocation);
    Refusals refusals;
    CHECK(
        row_iou(IouConvention::kUnion, pred.device(), pred.device(), out.data(), nullptr, &refusals)
            .is_out_of_memory());
  }
  shim::fail_allocation_after(-1);
}

}  // namespace
}  // namespace cuda
}  // namespace fastvbench

int main() {
  using namespace fastvbench::cuda;  // NOLINT
  in_several_orders(3, pair_iou_is_the_cores);
  in_several_orders(3, the_lowest_refused_pair_is_named);
  in_several_orders(2, row_iou_is_the_cores);
  in_several_orders(2, one_interval_per_row_needs_no_offsets);
  in_several_orders(1, refused_rows_are_named);
  in_several_orders(3, offsets_are_checked_and_never_followed_outside);
  too_large_rows_are_named();
  in_several_orders(2, rows_that_reach_thresholds_are_counted);
  no_rows_are_no_work();
  running_out_of_memory_is_said();
  return failure_count() != 0;
}
