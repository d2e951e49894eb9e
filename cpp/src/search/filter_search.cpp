#include "search/filter_search.h"

#include <cmath>

#include "search/row_reader.h"

namespace fastvbench {
namespace {

constexpr std::int32_t kMostWorkers = 256;
constexpr std::int64_t kBlockQueries = 8;

}  // namespace

// What is left to do per query takes microseconds: a few are done before a second thread wakes up.
RunContext FilterSearch::few_threads(const RunContext& context) const {
  RunContext few = context;
  if (query_count_ < 16) few.threads = 1;
  return few;
}

bool FilterSearch::take(std::int32_t worker, std::int64_t query, std::int64_t block,
                        std::uint32_t rows, const float* middles, const float* widths) {
  Candidates& candidates = candidates_[slot(worker, query)];
  if (!candidates.reserve_block()) return false;
  const auto first = static_cast<std::uint32_t>(block * kBlockRows);
  for (; rows != 0; rows &= rows - 1) {
    const int i = __builtin_ctz(rows);
    candidates.add(middles[i], widths[i], first + static_cast<std::uint32_t>(i));
  }
  return !candidates.is_full() || tighten(worker, query, candidates);
}

// Raises the query's threshold to what its best rows are sure to reach, and drops what is below.
bool FilterSearch::tighten(std::int32_t worker, std::int64_t query, Candidates& candidates) {
  const float floor = candidates.best_floor(&scratch_[worker]);
  const double slack = panels_.scale(query).slack;
  thresholds_.raise(query, rounded_down(static_cast<double>(floor) - 2.0 * slack));
  candidates.drop_below(thresholds_[query]);
  if (!candidates.is_crowded()) return true;
  BestRows& scored = scored_[slot(worker, query)];
  if (!score_now(query, candidates, scored)) return false;
  candidates.clear();
  scored.tidy();
  thresholds_.raise(query, panels_.scale(query).threshold(scored.floor_key()));
  return true;
}

// Exact keys, one after the other: for the rare query that the filter can't help.
bool FilterSearch::score_now(std::int64_t query, Candidates& candidates, BestRows& best) {
  const SearchKernels& kernels = search_kernels();
  const float* values = queries_.row(first_query_ + query);
  RowReader reader(gallery_.rows, kernels);
  if (!reader.reserve(1)) return false;
  for (std::int64_t i = 0; i < candidates.size(); ++i) {
    const std::int64_t row = first_row_ + candidates[i].row;
    const float* row_values = reader.read(row, row + 1);
    double key;
    kernels.dot64_pairs(&values, &row_values, 1, gallery_.rows.dimension, &key);
    if (gallery_.similarity == Similarity::kCosine) key /= gallery_.norms[row];
    if (!best.offer(key, row)) return false;
  }
  return true;
}

Status FilterSearch::add(const RunContext& context, const FilterRows& rows, const RowFrame& frame,
                         std::int64_t begin, std::int64_t end, BestRows* best) {
  query_count_ = end - begin;
  first_query_ = begin;
  first_row_ = rows.begin;
  Status status =
      panels_.load(context, queries_, begin, end, frame, gallery_.similarity, rows.kind);
  if (!status.ok()) return status;
  const ScanSplit split = ScanSplit::choose(context, rows, query_count_);
  is_by_queries_ = split.is_by_queries;
  const std::int64_t slots = is_by_queries_ ? query_count_ : split.workers * query_count_;
  if (slots > slot_capacity_) {
    candidates_.reset(new (std::nothrow) Candidates[static_cast<std::size_t>(slots)]);
    scored_.reset(new (std::nothrow) BestRows[static_cast<std::size_t>(slots)]);
    slot_capacity_ = candidates_ != nullptr && scored_ != nullptr ? slots : 0;
  }
  if (scratch_ == nullptr) scratch_.reset(new (std::nothrow) Buffer<float>[kMostWorkers]);
  if (slot_capacity_ < slots || scratch_ == nullptr || !thresholds_.allocate(query_count_)) {
    return Status::out_of_memory();
  }
  for (std::int64_t i = 0; i < slots; ++i) {
    candidates_[i].start(k_);
    scored_[i].start(k_);
  }
  for (std::int64_t q = 0; q < query_count_; ++q) {
    best[q].tidy();
    thresholds_.set(
        q, best[q].size() < k_ ? -HUGE_VALF : panels_.scale(q).threshold(best[q].floor_key()));
  }
  FilterScan<FilterSearch> scan(rows, panels_, *this);
  status = scan.run(context, split);
  return status.ok() ? settle(context, split.workers, begin, best) : status;
}

// Scores what is left in two rounds: the K best lower bounds first, because their exact keys rule
// out most of the others.
Status FilterSearch::settle(const RunContext& context, std::int32_t workers, std::int64_t begin,
                            BestRows* best) {
  const std::int64_t count = query_count_;
  if (!split_.allocate(2 * count) || !starts_.allocate(count + 1)) return Status::out_of_memory();
  std::int64_t* first_round = split_.data();
  std::int64_t* second_round = split_.data() + count;
  const RunContext few = few_threads(context);
  auto choose = [&](std::int64_t first, std::int64_t last, std::int32_t worker) {
    for (std::int64_t q = first; q < last; ++q) {
      Candidates& own = candidates_[slot(0, q)];
      if (!best[q].take_over(scored_[slot(0, q)])) return Status::out_of_memory();
      for (std::int32_t w = 1; w < workers && !is_by_queries_; ++w) {
        if (!own.take_over(candidates_[slot(w, q)]) || !best[q].take_over(scored_[slot(w, q)])) {
          return Status::out_of_memory();
        }
      }
      const float floor = own.best_floor(&scratch_[worker]);
      thresholds_.raise(q, rounded_down(static_cast<double>(floor) - 2.0 * panels_.scale(q).slack));
      own.drop_below(thresholds_[q]);
      // A second round costs more than a few rows scored in vain.
      first_round[q] = own.size() <= k_ + k_ / 8 + 8 ? own.size() : k_;
      if (first_round[q] < own.size()) {
        std::nth_element(own.data(), own.data() + first_round[q], own.data() + own.size(),
                         has_higher_floor);
      }
      second_round[q] = own.size();
    }
    return Status();
  };
  Status status = parallel_for(few, count, kBlockQueries, choose);
  if (!status.ok()) return status;

  status = score_pairs(context, begin, best, nullptr, first_round);
  if (!status.ok()) return status;
  auto drop = [&](std::int64_t first, std::int64_t last, std::int32_t) {
    for (std::int64_t q = first; q < last; ++q) {
      if (first_round[q] == second_round[q]) continue;
      best[q].tidy();
      const float threshold = panels_.scale(q).threshold(best[q].floor_key());
      Candidate* rows = candidates_[slot(0, q)].data();
      std::int64_t kept = first_round[q];
      for (std::int64_t i = kept; i < second_round[q]; ++i) {
        rows[kept] = rows[i];
        kept += !(rows[i].upper < threshold);
      }
      second_round[q] = kept;
    }
    return Status();
  };
  status = parallel_for(few, count, kBlockQueries, drop);
  return status.ok() ? score_pairs(context, begin, best, first_round, second_round) : status;
}

// Scores candidates [first[q], last[q]) of every query; null stands for zeros.
Status FilterSearch::score_pairs(const RunContext& context, std::int64_t begin, BestRows* best,
                                 const std::int64_t* first, const std::int64_t* last) {
  std::int64_t total = 0;
  for (std::int64_t q = 0; q < query_count_; ++q) {
    starts_[q] = total;
    total += last[q] - (first == nullptr ? 0 : first[q]);
  }
  starts_[query_count_] = total;
  if (total == 0) return Status();
  if (!pair_list_.allocate(total) || !pair_keys_.allocate(total)) return Status::out_of_memory();
  for (std::int64_t q = 0; q < query_count_; ++q) {
    const Candidate* rows = candidates_[slot(0, q)].data() + (first == nullptr ? 0 : first[q]);
    for (std::int64_t i = starts_[q]; i < starts_[q + 1]; ++i) {
      pair_list_[i] = {first_row_ + rows[i - starts_[q]].row, begin + q};
    }
  }
  const Status status = pairs_.compute(context, pair_list_.data(), total, pair_keys_.data());
  if (!status.ok()) return status;
  auto offer = [&](std::int64_t first_query, std::int64_t last_query, std::int32_t) {
    for (std::int64_t q = first_query; q < last_query; ++q) {
      for (std::int64_t i = starts_[q]; i < starts_[q + 1]; ++i) {
        if (!best[q].offer(pair_keys_[i], pair_list_[i].row)) return Status::out_of_memory();
      }
    }
    return Status();
  };
  return parallel_for(few_threads(context), query_count_, kBlockQueries, offer);
}

}  // namespace fastvbench
