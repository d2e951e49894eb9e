// Rows are matched a window at a time: blocks of it on all threads, into memory of each worker that
// stays in cache, then copied to where they belong, which is known by then.

#include "fastvbench/matching.h"

#include <algorithm>
#include <memory>
#include <new>

#include "fastvbench/buffer.h"
#include "fastvbench/parallel.h"
#include "interval/assignment.h"
#include "interval/kernels.h"
#include "interval/row_workspace.h"

namespace fastvbench {
namespace {

constexpr std::int64_t kBlockRows = 2048;
constexpr std::int64_t kWindowBlocks = 64;
// A block with a row of more pairs than this runs on the calling thread, which hears a request to
// stop between predictions: such a row takes seconds.
constexpr std::int64_t kMostPairsUnheard = std::int64_t{1} << 20;

// Memory of one worker.
struct Worker {
  RowMatcher matcher;
  Buffer<std::int64_t> pred_index;
  Buffer<std::int64_t> gold_index;
  Buffer<double> iou;
  std::int64_t pair_count = 0;

  bool make_room(std::int64_t more) {
    const std::int64_t room = pair_count + more + kLaneCount;
    return pred_index.resize(room) && gold_index.resize(room) && iou.resize(room);
  }
};

// Where a block's pairs lie, and where they go.
struct Block {
  std::int32_t worker;
  bool is_deferred;
  std::int64_t first_pair;
  std::int64_t pair_count;
  std::int64_t first_result;
};

class MatchingRun {
 public:
  MatchingRun(const IntervalColumn& pred, const IntervalColumn& gold, MatchMethod method,
              double min_iou, const MatchedPairs& out)
      : pred_(pred),
        gold_(gold),
        method_(method),
        min_iou_(min_iou),
        out_(out),
        kernels_(interval_kernels()) {}

  Status run(const RunContext& context) {
    workers_.reset(new (std::nothrow) Worker[thread_count(context, kWindowBlocks)]);
    if (workers_ == nullptr || !row_counts_.resize(kWindowBlocks * kBlockRows)) {
      return Status::out_of_memory();
    }
    out_.offsets[0] = 0;
    if (pred_.size == 0) return context.should_stop() ? Status::cancelled() : Status();
    for (std::int64_t begin = 0; begin < pred_.size; begin += kWindowBlocks * kBlockRows) {
      const Status status =
          match_window(context, begin, std::min(begin + kWindowBlocks * kBlockRows, pred_.size));
      if (!status.ok()) return status;
    }
    return Status();
  }

 private:
  Status match_window(const RunContext& context, std::int64_t window_begin,
                      std::int64_t window_end) {
    window_begin_ = window_begin;
    for (std::int32_t w = 0; w < thread_count(context, kWindowBlocks); ++w) {
      workers_[w].pair_count = 0;
    }
    const std::int64_t rows = window_end - window_begin;
    auto match = [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
      begin += window_begin;
      end += window_begin;
      block_of(begin).is_deferred = has_huge_row(begin, end);
      if (block_of(begin).is_deferred) return Status();
      return match_block(begin, end, worker, nullptr);
    };
    Status status = parallel_for(context, rows, kBlockRows, match);
    for (std::int64_t begin = window_begin; status.ok() && begin < window_end;
         begin += kBlockRows) {
      if (!block_of(begin).is_deferred) continue;
      status = match_block(begin, std::min(begin + kBlockRows, window_end), 0, &context);
    }
    if (!status.ok()) return status;

    std::int64_t next_result = out_.offsets[window_begin];
    for (std::int64_t begin = window_begin; begin < window_end; begin += kBlockRows) {
      block_of(begin).first_result = next_result;
      next_result += block_of(begin).pair_count;
    }
    auto copy = [&](std::int64_t begin, std::int64_t end, std::int32_t) {
      copy_block(window_begin + begin, window_begin + end);
      return Status();
    };
    return parallel_for(context, rows, kBlockRows, copy);
  }

  Status match_block(std::int64_t begin, std::int64_t end, std::int32_t worker_index,
                     const RunContext* context) {
    Worker& worker = workers_[worker_index];
    const std::int64_t most = std::min(pred_.offsets[end] - pred_.offsets[begin],
                                       gold_.offsets[end] - gold_.offsets[begin]);
    if (!worker.make_room(most)) return Status::out_of_memory();
    MatchSink sink{worker.pred_index.data(), worker.gold_index.data(), worker.iou.data(),
                   worker.pair_count, row_counts_.data() - window_begin_};
    bool refused = false;
    for (std::int64_t row = begin; row < end; ++row) {
      if (method_ == MatchMethod::kOptimal) {
        row = kernels_.match_rows(pred_, gold_, row, end, min_iou_, &sink, &refused);
        if (row == end) break;
      }
      if (refused || has_refused(pred_, row) || has_refused(gold_, row)) {
        refused = true;
        break;
      }
      const Status status = match_row(row, worker.matcher, context, &sink);
      if (!status.ok()) return status;
    }
    if (refused) return first_refused_row(pred_, gold_, begin, end);
    Block& block = block_of(begin);
    block.worker = worker_index;
    block.first_pair = worker.pair_count;
    block.pair_count = sink.pair_count - worker.pair_count;
    worker.pair_count = sink.pair_count;
    return Status();
  }

  Status match_row(std::int64_t row, RowMatcher& matcher, const RunContext* context,
                   MatchSink* sink) const {
    const std::int64_t before = sink->pair_count;
    if (pred_.count(row) > 0 && gold_.count(row) > 0) {
      if (!matcher.load(pred_, gold_, row)) return Status::out_of_memory();
      const Status status = method_ == MatchMethod::kOptimal
                                ? matcher.match_optimal(min_iou_, context)
                                : matcher.match_greedy(min_iou_);
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

  void copy_block(std::int64_t begin, std::int64_t end) {
    const Block& block = block_of(begin);
    const Worker& worker = workers_[block.worker];
    const std::int64_t to = block.first_result;
    std::copy_n(worker.pred_index.data() + block.first_pair, block.pair_count,
                out_.pred_index + to);
    std::copy_n(worker.gold_index.data() + block.first_pair, block.pair_count,
                out_.gold_index + to);
    std::copy_n(worker.iou.data() + block.first_pair, block.pair_count, out_.iou + to);
    std::int64_t pairs_end = to;
    for (std::int64_t row = begin; row < end; ++row) {
      pairs_end += row_counts_[row - window_begin_];
      out_.offsets[row + 1] = pairs_end;
    }
  }

  bool has_huge_row(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t gold_count = gold_.count(row);
      if (gold_count > 0 && pred_.count(row) > kMostPairsUnheard / gold_count) return true;
    }
    return false;
  }

  Block& block_of(std::int64_t row) { return blocks_[(row - window_begin_) / kBlockRows]; }

  const IntervalColumn& pred_;
  const IntervalColumn& gold_;
  const MatchMethod method_;
  const double min_iou_;
  const MatchedPairs& out_;
  const IntervalKernels& kernels_;
  std::unique_ptr<Worker[]> workers_;
  std::int64_t window_begin_ = 0;
  Block blocks_[kWindowBlocks];
  Buffer<std::int32_t> row_counts_;  // of the window
};

}  // namespace

std::int64_t most_matches(const IntervalColumn& pred, const IntervalColumn& gold) {
  std::int64_t most = 0;
  for (std::int64_t row = 0; row < pred.size; ++row) {
    most += std::min(pred.count(row), gold.count(row));
  }
  return most;
}

Status match_intervals(const RunContext& context, const IntervalColumn& pred,
                       const IntervalColumn& gold, MatchMethod method, double min_iou,
                       const MatchedPairs& out) {
  MatchingRun run(pred, gold, method, min_iou, out);
  return run.run(context);
}

}  // namespace fastvbench
