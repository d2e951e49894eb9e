// Two columns of intervals from any bytes: every level and the plain code agree, a matching is one
// to one, the optimal sum is no less than the greedy one, refused rows are refused by all.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "fastvbench/cpu_level.h"
#include "fastvbench/intervals.h"
#include "fastvbench/matching.h"

namespace {

using fastvbench::IntervalColumn;
using fastvbench::MatchMethod;
using fastvbench::Status;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

const fastvbench::RunContext& one_thread() {
  static const fastvbench::RunContext context = [] {
    fastvbench::RunContext made;
    made.threads = 1;
    return made;
  }();
  return context;
}

struct Column {
  std::vector<double> values;
  std::vector<std::int64_t> offsets{0};

  IntervalColumn view() const {
    return {values.data(), offsets.data(), static_cast<std::int64_t>(offsets.size()) - 1};
  }
};

struct Matches {
  std::vector<std::int64_t> pred, gold, offsets;
  std::vector<double> iou;

  bool operator==(const Matches& other) const {
    return pred == other.pred && gold == other.gold && offsets == other.offsets && iou == other.iou;
  }
};

Status match(const Column& pred, const Column& gold, MatchMethod method, double min_iou,
             Matches* matches) {
  const auto most = static_cast<std::size_t>(fastvbench::most_matches(pred.view(), gold.view()));
  matches->pred.assign(most, -1);
  matches->gold.assign(most, -1);
  matches->iou.assign(most, -1.0);
  matches->offsets.assign(pred.offsets.size(), -1);
  const Status status = fastvbench::match_intervals(
      one_thread(), pred.view(), gold.view(), method, min_iou,
      {matches->pred.data(), matches->gold.data(), matches->iou.data(), matches->offsets.data()});
  if (status.ok()) {
    const auto count = static_cast<std::size_t>(matches->offsets.back());
    matches->pred.resize(count);
    matches->gold.resize(count);
    matches->iou.resize(count);
  }
  return status;
}

// Sum of weights, after checking that no gold is taken twice and predictions ascend.
double checked_sum(const Matches& matches) {
  double sum = 0.0;
  for (std::size_t row = 0; row + 1 < matches.offsets.size(); ++row) {
    std::vector<bool> taken;
    std::int64_t last = -1;
    for (auto k = static_cast<std::size_t>(matches.offsets[row]);
         k < static_cast<std::size_t>(matches.offsets[row + 1]); ++k) {
      require(matches.pred[k] > last, "predictions ascend within a row");
      last = matches.pred[k];
      const auto gold = static_cast<std::size_t>(matches.gold[k]);
      if (taken.size() <= gold) taken.resize(gold + 1);
      require(!taken[gold], "a gold interval is matched once");
      taken[gold] = true;
      require(matches.iou[k] > 0.0 && matches.iou[k] <= 1.0, "a matched IoU is in (0, 1]");
      sum += std::floor(matches.iou[k] * 1099511627776.0 + 0.5);
    }
  }
  return sum;
}

double time_of(std::uint8_t byte) {
  switch (byte) {
    case 255:
      return std::numeric_limits<double>::quiet_NaN();
    case 254:
      return std::numeric_limits<double>::infinity();
    case 253:
      return 1e300;
    case 252:
      return -0.0;
    default:
      return byte < 64 ? byte : byte / 7.0;
  }
}

// A row: one byte for the two counts, then two bytes an interval.
void read_rows(const std::uint8_t* data, std::size_t size, Column* pred, Column* gold) {
  std::size_t at = 0;
  while (at < size && pred->offsets.size() < 64) {
    const std::uint8_t counts = data[at++];
    for (int side = 0; side < 2; ++side) {
      Column* column = side == 0 ? pred : gold;
      for (int k = side == 0 ? counts & 15 : counts >> 4; k > 0 && at + 2 <= size; --k, at += 2) {
        double start = time_of(data[at]);
        double end = time_of(data[at + 1]);
        // Mostly in order; one byte in sixteen keeps a reversed pair.
        if (end < start && (data[at] & 15) != 0) std::swap(start, end);
        column->values.push_back(start);
        column->values.push_back(end);
      }
      column->offsets.push_back(static_cast<std::int64_t>(column->values.size() / 2));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  Column pred, gold;
  read_rows(data + 1, size - 1, &pred, &gold);
  const double min_iou = (data[0] & 15) / 10.0;
  const auto rows = pred.offsets.size() - 1;

  Matches first_optimal, first_greedy;
  std::vector<double> first_iou;
  Status first_status;
  for (int level = 0; level <= static_cast<int>(fastvbench::best_cpu_level()); ++level) {
    fastvbench::set_cpu_level(static_cast<fastvbench::CpuLevel>(level));
    Matches optimal, greedy;
    std::vector<double> iou(rows, -1.0);
    const Status status = fastvbench::row_iou(one_thread(), fastvbench::IouConvention::kUnion,
                                              pred.view(), gold.view(), iou.data());
    const Status optimal_status = match(pred, gold, MatchMethod::kOptimal, min_iou, &optimal);
    const Status greedy_status = match(pred, gold, MatchMethod::kGreedy, min_iou, &greedy);
    require(status.code == optimal_status.code && status.code == greedy_status.code &&
                status.row == optimal_status.row && status.row == greedy_status.row,
            "the same row is refused by every kernel");
    if (level == 0) {
      first_status = status;
      first_optimal = optimal;
      first_greedy = greedy;
      first_iou = iou;
    }
    require(status.code == first_status.code && status.row == first_status.row,
            "every level refuses the same row");
    if (!status.ok()) continue;
    require(optimal == first_optimal && greedy == first_greedy, "every level matches alike");
    require(rows == 0 || std::memcmp(iou.data(), first_iou.data(), rows * sizeof(double)) == 0,
            "every level gives the same set IoU");
    for (double value : iou) require(value >= 0.0 && value <= 1.0, "a set IoU is in [0, 1]");
    require(checked_sum(optimal) >= checked_sum(greedy), "optimal is no less than greedy");
  }
  return 0;
}
