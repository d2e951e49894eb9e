// The interval kernels by hand and against each other: every CPU level gives the same bits, small
// and large rows follow one rule, exact-size memory is not overstepped, stops are heard.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "check.h"
#include "fastvbench/average_precision.h"
#include "fastvbench/cpu_level.h"
#include "fastvbench/intervals.h"
#include "fastvbench/matching.h"

namespace {

using fastvbench::Code;
using fastvbench::CpuLevel;
using fastvbench::IntervalColumn;
using fastvbench::IouConvention;
using fastvbench::MatchMethod;
using fastvbench::RunContext;
using fastvbench::Status;

struct Column {
  std::vector<double> values;
  std::vector<std::int64_t> offsets{0};

  void add(std::vector<double> pairs) {
    values.insert(values.end(), pairs.begin(), pairs.end());
    offsets.push_back(static_cast<std::int64_t>(values.size() / 2));
  }
  IntervalColumn view() const {
    return {values.data(), offsets.data(), static_cast<std::int64_t>(offsets.size()) - 1};
  }
};

struct Matches {
  std::vector<std::int64_t> pred;
  std::vector<std::int64_t> gold;
  std::vector<double> iou;
  std::vector<std::int64_t> offsets;

  bool operator==(const Matches& other) const {
    return pred == other.pred && gold == other.gold && iou == other.iou && offsets == other.offsets;
  }
};

RunContext on_threads(int threads) {
  RunContext context;
  context.threads = threads;
  return context;
}

// Memory of exactly the size that was asked for, so that a sanitizer sees a step beyond it.
Status match_into(const RunContext& context, const Column& pred, const Column& gold,
                  MatchMethod method, double min_iou, Matches* matches) {
  const auto most = static_cast<std::size_t>(fastvbench::most_matches(pred.view(), gold.view()));
  matches->pred.assign(most, -1);
  matches->gold.assign(most, -1);
  matches->iou.assign(most, -1.0);
  matches->offsets.assign(pred.offsets.size(), -1);
  const Status status = fastvbench::match_intervals(
      context, pred.view(), gold.view(), method, min_iou,
      {matches->pred.data(), matches->gold.data(), matches->iou.data(), matches->offsets.data()});
  if (status.ok()) {
    const auto count = static_cast<std::size_t>(matches->offsets.back());
    matches->pred.resize(count);
    matches->gold.resize(count);
    matches->iou.resize(count);
  }
  return status;
}

Matches match(const Column& pred, const Column& gold, MatchMethod method, double min_iou,
              int threads) {
  Matches matches;
  CHECK(match_into(on_threads(threads), pred, gold, method, min_iou, &matches).ok());
  return matches;
}

std::vector<double> row_iou(const Column& pred, const Column& gold, IouConvention convention,
                            int threads) {
  std::vector<double> out(pred.offsets.size() - 1, -1.0);
  CHECK(fastvbench::row_iou(on_threads(threads), convention, pred.view(), gold.view(), out.data())
            .ok());
  return out;
}

Column random_column(std::mt19937_64& random, int row_count, int most, int grid) {
  Column column;
  for (int row = 0; row < row_count; ++row) {
    std::vector<double> pairs;
    const auto count = random() % static_cast<std::uint64_t>(most + 1);
    for (std::uint64_t k = 0; k < count; ++k) {
      const double start = static_cast<double>(random() % static_cast<std::uint64_t>(grid)) / 7.0;
      pairs.push_back(start);
      pairs.push_back(start +
                      static_cast<double>(random() % static_cast<std::uint64_t>(grid)) / 3.0);
    }
    column.add(pairs);
  }
  return column;
}

template <typename Body>
void at_every_level(Body body) {
  const CpuLevel before = fastvbench::cpu_level();
  for (int level = 0; level <= static_cast<int>(fastvbench::best_cpu_level()); ++level) {
    CHECK(fastvbench::set_cpu_level(static_cast<CpuLevel>(level)));
    body();
  }
  fastvbench::set_cpu_level(before);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void check_pairs_by_hand() {
  for (std::size_t count : {1u, 7u, 8u, 9u, 31u}) {
    std::vector<double> pred, gold, out(count, -1.0);
    for (std::size_t i = 0; i < count; ++i) {
      pred.insert(pred.end(), {0.0, 10.0});
      gold.insert(gold.end(), {5.0, 10.0});
    }
    const auto rows = static_cast<std::int64_t>(count);
    CHECK(fastvbench::temporal_iou({}, pred.data(), gold.data(), rows, out.data()).ok());
    CHECK(out == std::vector<double>(count, 0.5));
    pred[2 * count - 1] = -1.0;
    const Status status = fastvbench::temporal_iou({}, pred.data(), gold.data(), rows, out.data());
    CHECK(status.code == Code::kInvalidArgument);
    CHECK(status.row == rows - 1);
  }
}

void check_sets_by_hand() {
  Column pred, gold;
  pred.add({0, 2, 2, 4});
  gold.add({0, 4});
  pred.add({});
  gold.add({0, 4});
  pred.add({1, 1});
  gold.add({1, 1});
  pred.add({2, 4, 0, 1});
  gold.add({0, 4});
  CHECK(same_bits(row_iou(pred, gold, IouConvention::kUnion, 1), {1.0, 0.0, 0.0, 0.75}));
  CHECK(same_bits(row_iou(pred, gold, IouConvention::kFirst, 1), {0.5, 0.0, 0.0, 0.5}));
  CHECK(same_bits(row_iou(pred, gold, IouConvention::kBest, 1), {0.5, 0.0, 0.0, 0.5}));
}

void check_matching_by_hand() {
  Column pred, gold;
  pred.add({0, 10, 0, 6});
  gold.add({0, 10, 4, 10});
  const Matches optimal = match(pred, gold, MatchMethod::kOptimal, 0.0, 1);
  CHECK((optimal.gold == std::vector<std::int64_t>{1, 0}));
  const Matches greedy = match(pred, gold, MatchMethod::kGreedy, 0.0, 1);
  CHECK((greedy.gold == std::vector<std::int64_t>{0, 1}));
}

// Rows wide enough for the plain code equal the same rows with intervals far away removed.
void check_large_rows_follow_the_rule_of_small_ones() {
  std::mt19937_64 random(3);
  const Column pred = random_column(random, 300, 5, 12);
  const Column gold = random_column(random, 300, 5, 12);
  Column wide_pred;
  for (std::size_t row = 0; row < 300; ++row) {
    std::vector<double> pairs(pred.values.begin() + 2 * pred.offsets[row],
                              pred.values.begin() + 2 * pred.offsets[row + 1]);
    for (int k = 0; k < 30; ++k) pairs.insert(pairs.end(), {-9.0, -8.0});
    wide_pred.add(pairs);
  }
  for (MatchMethod method : {MatchMethod::kOptimal, MatchMethod::kGreedy}) {
    CHECK(match(pred, gold, method, 0.0, 1) == match(wide_pred, gold, method, 0.0, 1));
  }
}

void check_levels_and_threads_agree() {
  std::mt19937_64 random(4);
  for (int most : {5, 8, 20}) {
    const Column pred = random_column(random, 5000, most, 20);
    const Column gold = random_column(random, 5000, most, 20);
    std::vector<double> scores(pred.values.size() / 2);
    for (double& score : scores) score = static_cast<double>(random() % 5);
    const double thresholds[] = {0.3, 0.5};
    const auto precision = [&](int threads) {
      std::vector<double> out(2 * 5000, -1.0);
      CHECK(fastvbench::average_precision(on_threads(threads), pred.view(), scores.data(),
                                          gold.view(), thresholds, 2, out.data())
                .ok());
      return out;
    };
    const Matches optimal = match(pred, gold, MatchMethod::kOptimal, 0.1, 1);
    const Matches greedy = match(pred, gold, MatchMethod::kGreedy, 0.1, 1);
    const std::vector<double> sets = row_iou(pred, gold, IouConvention::kUnion, 1);
    const std::vector<double> best = row_iou(pred, gold, IouConvention::kBest, 1);
    const std::vector<double> precisions = precision(1);
    at_every_level([&] {
      for (int threads : {1, 2, 5}) {
        CHECK(match(pred, gold, MatchMethod::kOptimal, 0.1, threads) == optimal);
        CHECK(match(pred, gold, MatchMethod::kGreedy, 0.1, threads) == greedy);
        CHECK(same_bits(row_iou(pred, gold, IouConvention::kUnion, threads), sets));
        CHECK(same_bits(row_iou(pred, gold, IouConvention::kBest, threads), best));
        CHECK(same_bits(precision(threads), precisions));
      }
    });
  }
}

void check_anything_finite_or_not_is_survived() {
  const double times[] = {0.0,
                          -0.0,
                          1.0,
                          2.5,
                          1e300,
                          -1e300,
                          1e308,
                          -1e308,
                          5e-324,
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::quiet_NaN()};
  std::mt19937_64 random(5);
  at_every_level([&] {
    for (int repeat = 0; repeat < 2000; ++repeat) {
      Column pred, gold;
      for (Column* side : {&pred, &gold}) {
        std::vector<double> pairs;
        for (std::uint64_t k = random() % 11; k > 0; --k) {
          pairs.push_back(times[random() % 12]);
          pairs.push_back(times[random() % 12]);
        }
        side->add(pairs);
      }
      double out[1] = {-1.0};
      const Status status =
          fastvbench::row_iou({}, IouConvention::kUnion, pred.view(), gold.view(), out);
      CHECK(status.code == Code::kInvalidArgument || (out[0] >= 0.0 && out[0] <= 1.0));
      for (MatchMethod method : {MatchMethod::kOptimal, MatchMethod::kGreedy}) {
        Matches matches;
        CHECK(match_into({}, pred, gold, method, 0.0, &matches).code == status.code);
      }
    }
  });
}

void check_stops_are_heard() {
  std::mt19937_64 random(6);
  Column row;
  for (int k = 0; k < 1100; ++k) {
    const double start = static_cast<double>(random() % 100000);
    row.values.insert(row.values.end(), {start, start + 50000.0});
  }
  row.offsets.push_back(1100);
  int polls = 0;
  RunContext context = on_threads(2);
  context.poll = [](void* data) { return ++*static_cast<int*>(data) > 20; };
  context.poll_data = &polls;
  Column other = row;
  for (double& time : other.values) time += 3.0;
  Matches matches;
  const Status status = match_into(context, row, other, MatchMethod::kOptimal, 0.0, &matches);
  CHECK(status.code == Code::kCancelled);
  CHECK(polls == 21);
}

void check_mean() {
  std::vector<double> values(3000, 0.1);
  double blocks = 0.0;
  for (int begin = 0; begin < 3000; begin += 1024) {
    double block = 0.0;
    for (int i = begin; i < begin + 1024 && i < 3000; ++i) block += 0.1;
    blocks += block;
  }
  CHECK(fastvbench::mean_in_blocks(values.data(), 3000) == blocks / 3000.0);
}

}  // namespace

int main() {
  at_every_level(check_pairs_by_hand);
  at_every_level(check_sets_by_hand);
  at_every_level(check_matching_by_hand);
  at_every_level(check_large_rows_follow_the_rule_of_small_ones);
  check_levels_and_threads_agree();
  check_anything_finite_or_not_is_survived();
  check_stops_are_heard();
  check_mean();
  return failure_count() != 0;
}
