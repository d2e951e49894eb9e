#include "fastvbench/average_precision.h"

#include <algorithm>
#include <memory>
#include <new>

#include "fastvbench/buffer.h"
#include "fastvbench/parallel.h"
#include "interval/assignment.h"
#include "interval/row_workspace.h"

namespace fastvbench {
namespace {

constexpr std::int64_t kBlockRows = 512;

struct Workspace {
  RowMatcher row;
  Buffer<std::int64_t> order;  // predictions by score
  Buffer<double> best;         // of each prediction over all gold
  Buffer<bool> is_taken;       // of each gold
  Buffer<double> precisions;   // at each true positive
};

bool sort_by_score(const double* scores, std::int64_t count, Buffer<std::int64_t>* order) {
  if (!order->resize(count)) return false;
  for (std::int64_t i = 0; i < count; ++i) (*order)[i] = i;
  std::sort(order->data(), order->data() + count, [&](std::int64_t a, std::int64_t b) {
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
  });
  return true;
}

double average_precision_of_row(Workspace& work, double threshold) {
  const std::int64_t gold_count = work.row.gold_count();
  std::fill(work.is_taken.data(), work.is_taken.data() + gold_count, false);
  std::int64_t hits = 0;
  for (std::int64_t rank = 1; rank <= work.order.size(); ++rank) {
    const std::int64_t i = work.order[rank - 1];
    if (!(work.best[i] >= threshold)) continue;
    double best = -1.0;
    std::int64_t best_gold = -1;
    for (std::int64_t j = 0; j < gold_count; ++j) {
      const double iou = work.row.iou(i, j);
      if (!work.is_taken[j] && iou >= threshold && iou > best) {
        best = iou;
        best_gold = j;
      }
    }
    if (best_gold < 0) continue;
    work.is_taken[best_gold] = true;
    ++hits;
    work.precisions[hits - 1] = static_cast<double>(hits) / static_cast<double>(rank);
    if (hits == gold_count) break;
  }
  double total = 0.0;
  double best = 0.0;
  for (std::int64_t hit = hits - 1; hit >= 0; --hit) {
    best = std::max(best, work.precisions[hit]);
    total += best;
  }
  return total / static_cast<double>(gold_count);
}

}  // namespace

Status average_precision(const RunContext& context, const IntervalColumn& pred,
                         const double* scores, const IntervalColumn& gold, const double* thresholds,
                         std::int64_t threshold_count, double* out) {
  const std::int64_t block_count = (pred.size + kBlockRows - 1) / kBlockRows;
  std::unique_ptr<Workspace[]> workspaces(new (std::nothrow)
                                              Workspace[thread_count(context, block_count)]);
  if (workspaces == nullptr) return Status::out_of_memory();
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
    Workspace& work = workspaces[worker];
    for (std::int64_t row = begin; row < end; ++row) {
      if (has_refused(pred, row) || has_refused(gold, row)) {
        return first_refused_row(pred, gold, row, row + 1);
      }
      if (pred.count(row) == 0 || gold.count(row) == 0) {
        for (std::int64_t t = 0; t < threshold_count; ++t) out[t * pred.size + row] = 0.0;
        continue;
      }
      if (!work.row.load(pred, gold, row) ||
          !sort_by_score(scores + pred.offsets[row], pred.count(row), &work.order) ||
          !work.best.resize(pred.count(row)) || !work.is_taken.resize(gold.count(row)) ||
          !work.precisions.resize(gold.count(row))) {
        return Status::out_of_memory();
      }
      for (std::int64_t i = 0; i < pred.count(row); ++i) {
        double best = 0.0;
        for (std::int64_t j = 0; j < gold.count(row); ++j)
          best = std::max(best, work.row.iou(i, j));
        work.best[i] = best;
      }
      for (std::int64_t t = 0; t < threshold_count; ++t) {
        out[t * pred.size + row] = average_precision_of_row(work, thresholds[t]);
      }
    }
    return Status();
  };
  return parallel_for(context, pred.size, kBlockRows, body);
}

}  // namespace fastvbench
