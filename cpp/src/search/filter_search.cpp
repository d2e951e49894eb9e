#include "search/filter_search.h"

#include <cmath>

#include "search/row_reader.h"

namespace fastvbench {
namespace {

constexpr std::int64_t kBlockQueries = 8;

}  // namespace

// What is left to do per query takes microseconds: a few are done before a second thread wakes up.
RunContext FilterSearch::few_threads(const RunContext& context) const {
  RunContext few = context;
  if (query_count_ * (k_ + 16) < 512) few.threads = 1;
  return few;
}

bool FilterSearch::take(std::int32_t worker, std::int64_t query, std::int64_t block,
                        std::uint32_t rows, const float* middles, const float* widths) {
  const std::int64_t place = slot(worker, query);
  Candidates& candidates = memory_.candidates[place];
  const auto block_row = static_cast<std::uint32_t>(block * kBlockRows);
  if (!candidates.add(kernels_, block_row, rows, middles, widths)) return false;
  return !candidates.is_full() || tighten(query, candidates, memory_.scored[place]);
}

// To what the query's best rows are sure to reach.
void FilterSearch::raise_threshold(std::int64_t query, const Candidates& candidates) {
  const float floor = candidates.best_floor(kernels_);
  memory_.thresholds.raise(query, memory_.panels.scale(query).below_floor(floor));
}

bool FilterSearch::tighten(std::int64_t query, Candidates& candidates, BestRows& scored) {
  raise_threshold(query, candidates);
  candidates.drop_below(kernels_, memory_.thresholds[query]);
  if (!candidates.is_crowded()) return true;
  if (!score_now(query, candidates, scored)) return false;
  candidates.clear();
  scored.tidy();
  memory_.thresholds.raise(query, memory_.panels.scale(query).threshold(scored.floor_key()));
  return true;
}

// Exact keys on the way: for the rare query that the filter can't help.
bool FilterSearch::score_now(std::int64_t query, const Candidates& candidates, BestRows& best) {
  constexpr std::int64_t kAtOnce = 16;
  const std::int64_t dimension = gallery_.rows.dimension;
  const bool is_float32 = gallery_.rows.type == ElementType::kFloat32;
  AlignedBuffer<float> widened;
  if (!is_float32 && !widened.allocate(kAtOnce * dimension)) return false;
  const float* queries[kAtOnce];
  const float* rows[kAtOnce];
  double keys[kAtOnce];
  for (const float*& values : queries) values = queries_.row(first_query_ + query);
  for (std::int64_t first = 0; first < candidates.size(); first += kAtOnce) {
    const std::int64_t taken = std::min(kAtOnce, candidates.size() - first);
    for (std::int64_t i = 0; i < taken; ++i) {
      const void* row = gallery_.rows.row(first_row_ + candidates.row(first + i));
      rows[i] = is_float32 ? static_cast<const float*>(row) : widened.data() + i * dimension;
      if (!is_float32) {
        widen_values(kernels_, row, gallery_.rows.type, dimension, widened.data() + i * dimension);
      }
    }
    kernels_.dot64_pairs(queries, rows, taken, dimension, keys);
    for (std::int64_t i = 0; i < taken; ++i) {
      const std::int64_t row = first_row_ + candidates.row(first + i);
      if (gallery_.similarity == Similarity::kCosine) keys[i] /= gallery_.norms[row];
      if (!best.offer(keys[i], row)) return false;
    }
  }
  return true;
}

Status FilterSearch::add(const RunContext& context, const FilterRows& rows, const RowFrame& frame,
                         std::int64_t begin, std::int64_t end, BestRows* best) {
  query_count_ = end - begin;
  first_query_ = begin;
  first_row_ = rows.begin;
  SearchMemory& memory = memory_;
  Status status =
      memory.panels.load(context, queries_, begin, end, frame, gallery_.similarity, rows.width);
  if (!status.ok()) return status;
  const ScanSplit split = ScanSplit::choose(context, rows, query_count_);
  is_by_queries_ = split.is_by_queries;
  const std::int64_t slots = is_by_queries_ ? query_count_ : split.workers * query_count_;
  if (!memory.candidates.allocate(slots) || !memory.scored.allocate(slots) ||
      !memory.thresholds.allocate(query_count_)) {
    return Status::out_of_memory();
  }
  for (std::int64_t i = 0; i < slots; ++i) {
    memory.candidates[i].start(k_);
    memory.scored[i].start(k_);
  }
  for (std::int64_t q = 0; q < query_count_; ++q) {
    best[q].tidy();
    memory.thresholds.set(q, best[q].size() < k_
                                 ? -HUGE_VALF
                                 : memory.panels.scale(q).threshold(best[q].floor_key()));
  }
  FilterScan<FilterSearch> scan(rows, memory.panels, *this);
  status = scan.run(context, split);
  return status.ok() ? settle(context, split.workers, best) : status;
}

// Scores what is left in two rounds: the K best lower bounds first, because their exact keys rule
// out most of the others.
Status FilterSearch::settle(const RunContext& context, std::int32_t workers, BestRows* best) {
  const std::int64_t count = query_count_;
  SearchMemory& memory = memory_;
  if (!memory.rounds.allocate(2 * count) || !memory.starts.allocate(count + 1)) {
    return Status::out_of_memory();
  }
  std::int64_t* first_round = memory.rounds.data();
  std::int64_t* second_round = memory.rounds.data() + count;
  const RunContext few = few_threads(context);
  auto choose = [&](std::int64_t first, std::int64_t last, std::int32_t) {
    for (std::int64_t q = first; q < last; ++q) {
      Candidates& own = memory.candidates[q];
      for (std::int32_t w = 0; w < workers; ++w) {
        if (w > 0 && is_by_queries_) break;
        if (w > 0 && !own.take_over(memory.candidates[slot(w, q)])) return Status::out_of_memory();
        if (!best[q].take_over(memory.scored[slot(w, q)])) return Status::out_of_memory();
      }
      raise_threshold(q, own);
      own.drop_below(kernels_, memory.thresholds[q]);
      // A second round costs more than a few rows scored in vain.
      const bool are_few = own.size() <= k_ + k_ / 8 + 8;
      first_round[q] = are_few ? own.size() : own.bring_forward(own.best_floor(kernels_));
    }
    return Status();
  };
  Status status = parallel_for(few, count, kBlockQueries, choose);
  if (status.ok()) status = score_pairs(context, best, nullptr, first_round);
  if (!status.ok()) return status;
  auto drop = [&](std::int64_t first, std::int64_t last, std::int32_t) {
    for (std::int64_t q = first; q < last; ++q) {
      Candidates& own = memory.candidates[q];
      if (first_round[q] < own.size()) {
        best[q].tidy();
        const float threshold = memory.panels.scale(q).threshold(best[q].floor_key());
        own.drop_below(kernels_, threshold, first_round[q]);
      }
      second_round[q] = own.size();
    }
    return Status();
  };
  status = parallel_for(few, count, kBlockQueries, drop);
  return status.ok() ? score_pairs(context, best, first_round, second_round) : status;
}

// Scores candidates [first[q], last[q]) of every query; null stands for zeros.
Status FilterSearch::score_pairs(const RunContext& context, BestRows* best,
                                 const std::int64_t* first, const std::int64_t* last) {
  SearchMemory& memory = memory_;
  std::int64_t total = 0;
  for (std::int64_t q = 0; q < query_count_; ++q) {
    memory.starts[q] = total;
    total += last[q] - (first == nullptr ? 0 : first[q]);
  }
  memory.starts[query_count_] = total;
  if (total == 0) return Status();
  if (!memory.pairs.allocate(total) || !memory.keys.allocate(total)) {
    return Status::out_of_memory();
  }
  for (std::int64_t q = 0; q < query_count_; ++q) {
    const std::int64_t skipped = first == nullptr ? 0 : first[q];
    for (std::int64_t i = memory.starts[q]; i < memory.starts[q + 1]; ++i) {
      const std::uint32_t row = memory.candidates[q].row(skipped + i - memory.starts[q]);
      memory.pairs[i] = {first_row_ + row, first_query_ + q};
    }
  }
  const Status status = exact_keys(context, gallery_, queries_, memory.pairs.data(), total,
                                   memory.order, memory.keys.data());
  if (!status.ok()) return status;
  auto offer = [&](std::int64_t first_query, std::int64_t last_query, std::int32_t) {
    for (std::int64_t q = first_query; q < last_query; ++q) {
      for (std::int64_t i = memory.starts[q]; i < memory.starts[q + 1]; ++i) {
        if (!best[q].offer(memory.keys[i], memory.pairs[i].row)) return Status::out_of_memory();
      }
    }
    return Status();
  };
  return parallel_for(few_threads(context), query_count_, kBlockQueries, offer);
}

}  // namespace fastvbench
