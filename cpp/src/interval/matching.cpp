#include "fastvbench/matching.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "fastvbench/parallel.h"
#include "interval/assignment.h"
#include "interval/kernels.h"
#include "interval/row_workspace.h"

namespace fastvbench {
namespace {

constexpr std::int64_t kBlockRows = 2048;
// A block with a row of more pairs than this runs on the calling thread, which hears a request to
// stop between predictions: such a row takes seconds.
constexpr std::int64_t kMostPairsUnheard = std::int64_t{1} << 20;
constexpr std::int32_t kDeferred = -1;

bool is_huge(std::int64_t pred_count, std::int64_t gold_count) {
  return gold_count > 0 && pred_count > kMostPairsUnheard / gold_count;
}

}  // namespace

/// One call of Matching::run.
struct Matching::Run {
  const IntervalColumn& pred;
  const IntervalColumn& gold;
  MatchMethod method;
  double min_iou;
  const IntervalKernels& kernels;
  Matching& result;
  RowMatcher* matchers;  // one per worker

  bool has_huge_row(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t row = begin; row < end; ++row) {
      if (is_huge(pred.count(row), gold.count(row))) return true;
    }
    return false;
  }

  Status match_block(std::int64_t begin, std::int64_t end, std::int32_t worker,
                     const RunContext* context) {
    Pairs& pairs = result.pairs_[worker];
    const std::int64_t first = pairs.iou.size();
    // Refused values come first, so that no work starts on a huge row that holds one.
    bool refused = false;
    const std::int64_t most =
        std::min(pred.offsets[end] - pred.offsets[begin], gold.offsets[end] - gold.offsets[begin]);
    const std::int64_t room = first + most + kLaneCount;
    if (!pairs.pred_index.reserve(room) || !pairs.gold_index.reserve(room) ||
        !pairs.iou.reserve(room)) {
      return Status::out_of_memory();
    }
    MatchSink sink{pairs.pred_index.data(), pairs.gold_index.data(), pairs.iou.data(), first,
                   result.row_counts_.data()};
    for (std::int64_t row = begin; row < end; ++row) {
      if (method == MatchMethod::kOptimal) {
        row = kernels.match_rows(pred, gold, row, end, min_iou, &sink, &refused);
        if (row == end) break;
      }
      if (has_refused(pred, row) || has_refused(gold, row)) {
        refused = true;
        break;
      }
      const Status status = match_row(row, matchers[worker], context, &sink);
      if (!status.ok()) return status;
    }
    if (refused) return first_refused_row(pred, gold, begin, end);
    pairs.pred_index.resize(sink.pair_count);
    pairs.gold_index.resize(sink.pair_count);
    pairs.iou.resize(sink.pair_count);
    result.blocks_[begin / kBlockRows] = {worker, first, sink.pair_count - first, 0};
    return Status();
  }

  Status match_row(std::int64_t row, RowMatcher& matcher, const RunContext* context,
                   MatchSink* sink) {
    const std::int64_t before = sink->pair_count;
    if (pred.count(row) > 0 && gold.count(row) > 0) {
      if (!matcher.load(pred, gold, row)) return Status::out_of_memory();
      const Status status = method == MatchMethod::kOptimal
                                ? matcher.match_optimal(min_iou, context)
                                : matcher.match_greedy(min_iou);
      if (!status.ok()) return status;
      for (std::int64_t i = 0; i < matcher.pred_count(); ++i) {
        if (matcher.chosen(i) < 0) continue;
        sink->pred_index[sink->pair_count] = i;
        sink->gold_index[sink->pair_count] = matcher.chosen(i);
        sink->iou[sink->pair_count] = matcher.iou(i, matcher.chosen(i));
        ++sink->pair_count;
      }
    }
    sink->row_counts[row] = static_cast<std::int32_t>(sink->pair_count - before);
    return Status();
  }
};

Status Matching::run(const RunContext& context, const IntervalColumn& pred,
                     const IntervalColumn& gold, MatchMethod method, double min_iou) {
  pair_count_ = 0;
  const std::int64_t block_count = (pred.size + kBlockRows - 1) / kBlockRows;
  const std::int32_t workers = thread_count(context, block_count);
  pairs_.reset(new (std::nothrow) Pairs[workers]);
  std::unique_ptr<RowMatcher[]> matchers(new (std::nothrow) RowMatcher[workers]);
  if (pairs_ == nullptr || matchers == nullptr || !blocks_.resize(block_count) ||
      !row_counts_.resize(pred.size)) {
    return Status::out_of_memory();
  }
  Run run{pred, gold, method, min_iou, interval_kernels(), *this, matchers.get()};
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
    if (run.has_huge_row(begin, end)) {
      blocks_[begin / kBlockRows].worker = kDeferred;
      return Status();
    }
    return run.match_block(begin, end, worker, nullptr);
  };
  Status status = parallel_for(context, pred.size, kBlockRows, body);
  for (std::int64_t block = 0; status.ok() && block < block_count; ++block) {
    if (blocks_[block].worker != kDeferred) continue;
    const std::int64_t begin = block * kBlockRows;
    status = run.match_block(begin, std::min(begin + kBlockRows, pred.size), 0, &context);
  }
  if (!status.ok()) return status;
  for (std::int64_t block = 0; block < block_count; ++block) {
    blocks_[block].first_result = pair_count_;
    pair_count_ += blocks_[block].pair_count;
  }
  return Status();
}

Status Matching::write(const RunContext& context, std::int64_t* pred_index,
                       std::int64_t* gold_index, double* iou, std::int64_t* offsets) const {
  const std::int64_t row_count = row_counts_.size();
  offsets[0] = 0;
  auto body = [&](std::int64_t first_block, std::int64_t end_block, std::int32_t) {
    for (std::int64_t b = first_block; b < end_block; ++b) {
      const Block& block = blocks_[b];
      const Pairs& pairs = pairs_[block.worker];
      const auto bytes = static_cast<std::size_t>(block.pair_count) * sizeof(double);
      if (bytes > 0) {
        std::memcpy(pred_index + block.first_result, pairs.pred_index.data() + block.first_pair,
                    bytes);
        std::memcpy(gold_index + block.first_result, pairs.gold_index.data() + block.first_pair,
                    bytes);
        std::memcpy(iou + block.first_result, pairs.iou.data() + block.first_pair, bytes);
      }
      std::int64_t end = block.first_result;
      const std::int64_t last_row = std::min((b + 1) * kBlockRows, row_count);
      for (std::int64_t row = b * kBlockRows; row < last_row; ++row) {
        end += row_counts_[row];
        offsets[row + 1] = end;
      }
    }
    return Status();
  };
  return parallel_for(context, blocks_.size(), 8, body);
}

}  // namespace fastvbench
