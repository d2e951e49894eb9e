// The Hungarian method on integer weights, then the lexicographic rule on its dual solution.
//
// Prices u (predictions) and v (gold) of an optimal dual solution satisfy u, v >= 0 and
// u + v >= weight for every pair that may match. A matching is optimal exactly when it uses only
// tight pairs (u + v == weight), leaves no prediction with u > 0 and no gold with v > 0 unmatched.
// So the optimal matchings are the integral flows of one small network, any two of them differ by
// cycles in its residual graph, and "may prediction i take gold j instead?" is one reachability
// question. Predictions are settled in order, each with the first gold that keeps an optimum.

#include "interval/assignment.h"

#include <algorithm>

namespace fastvbench {
namespace {

constexpr double kWeightOfOne = 1099511627776.0;  // 2^40

// llround without its libm call; the product is exact.
std::int64_t weight_of(double iou) {
  const double scaled = iou * kWeightOfOne;
  const auto whole = static_cast<std::int64_t>(scaled);
  return whole + (scaled - static_cast<double>(whole) >= 0.5 ? 1 : 0);
}

}  // namespace

bool RowMatcher::load(const IntervalColumn& pred, const IntervalColumn& gold, std::int64_t row) {
  pred_count_ = pred.count(row);
  gold_count_ = gold.count(row);
  if (gold_count_ > 0 && pred_count_ > INT64_MAX / 16 / gold_count_) return false;
  if (!gold_starts_.resize(gold_count_) || !gold_ends_.resize(gold_count_) ||
      !iou_.resize(pred_count_ * gold_count_) || !chosen_.resize(pred_count_)) {
    return false;
  }
  const double* pairs = gold.row(row);
  for (std::int64_t j = 0; j < gold_count_; ++j) {
    gold_starts_[j] = pairs[2 * j];
    gold_ends_[j] = pairs[2 * j + 1];
  }
  const double* preds = pred.row(row);
  for (std::int64_t i = 0; i < pred_count_; ++i) {
    kernels_.iou_with_each(preds[2 * i], preds[2 * i + 1], gold_starts_.data(), gold_ends_.data(),
                           gold_count_, iou_.data() + i * gold_count_);
  }
  return true;
}

Status RowMatcher::match_optimal(double min_iou, const RunContext* context) {
  if (!weight_.resize(pred_count_ * gold_count_) || !owner_.resize(gold_count_)) {
    return Status::out_of_memory();
  }
  for (std::int64_t k = 0; k < pred_count_ * gold_count_; ++k) {
    weight_[k] = iou_[k] > 0.0 && iou_[k] >= min_iou ? weight_of(iou_[k]) : kMayNot;
  }
  if (everyone_gets_the_best()) return Status();
  const Status status = solve(context);
  return status.ok() ? take_first_in_order() : status;
}

// Each prediction's first best gold, where no two want the same one: then no sum can be larger and
// no sequence with that sum comes earlier.
bool RowMatcher::everyone_gets_the_best() {
  for (std::int64_t j = 0; j < gold_count_; ++j) owner_[j] = -1;
  for (std::int64_t i = 0; i < pred_count_; ++i) {
    std::int64_t best = kMayNot;
    chosen_[i] = -1;
    for (std::int64_t j = 0; j < gold_count_; ++j) {
      if (weight(i, j) > best) {
        best = weight(i, j);
        chosen_[i] = j;
      }
    }
    if (chosen_[i] < 0) continue;
    if (owner_[chosen_[i]] >= 0) return false;
    owner_[chosen_[i]] = i;
  }
  return true;
}

// Shortest augmenting paths, one row at a time. Rows are the smaller side; a last column without
// weight lets one more row than there are columns stay free, so that a free column always exists
// and all prices of the larger side end at 0 or above.
Status RowMatcher::solve(const RunContext* context) {
  const bool preds_are_rows = pred_count_ <= gold_count_;
  const std::int64_t rows = preds_are_rows ? pred_count_ : gold_count_;
  const std::int64_t columns = (preds_are_rows ? gold_count_ : pred_count_) + 1;
  const std::int64_t row_stride = preds_are_rows ? gold_count_ : 1;
  const std::int64_t column_stride = preds_are_rows ? 1 : gold_count_;
  // Row prices, then per column: price, slack, column it was reached from, owner, columns to do.
  if (!scratch_.resize(rows + 5 * columns)) return Status::out_of_memory();
  std::int64_t* row_price = scratch_.data();
  std::int64_t* price = row_price + rows;
  std::int64_t* slack = price + columns;
  std::int64_t* reached_from = slack + columns;
  std::int64_t* owner = reached_from + columns;
  std::int64_t* to_do = owner + columns;
  for (std::int64_t j = 0; j < columns; ++j) {
    price[j] = 0;
    owner[j] = -1;
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    if (context != nullptr && context->should_stop()) return Status::cancelled();
    // The row's best gain over today's prices is where its search starts.
    std::int64_t to_do_count = columns;
    std::int64_t current = row;
    std::int64_t came_from = -1;
    std::int64_t distance = 0;
    row_price[row] = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      to_do[j] = j;
      slack[j] = INT64_MAX;
    }
    std::int64_t last = -1;
    while (last < 0) {
      std::int64_t nearest = -1;
      const std::int64_t* gains = weight_.data() + current * row_stride;
      for (std::int64_t k = 0; k < to_do_count; ++k) {
        const std::int64_t j = to_do[k];
        std::int64_t gain = j + 1 < columns ? gains[j * column_stride] : 0;
        if (gain < 0) gain = 0;
        const std::int64_t reached = distance + row_price[current] + price[j] - gain;
        if (reached < slack[j]) {
          slack[j] = reached;
          reached_from[j] = came_from;
        }
        if (nearest < 0 || slack[j] < slack[to_do[nearest]] ||
            (slack[j] == slack[to_do[nearest]] && owner[j] < 0 && owner[to_do[nearest]] >= 0)) {
          nearest = k;
        }
      }
      const std::int64_t column = to_do[nearest];
      distance = slack[column];
      if (owner[column] < 0) {
        last = column;
      } else {
        // Done columns gather behind the ones to do.
        std::swap(to_do[nearest], to_do[--to_do_count]);
        came_from = column;
        current = owner[column];
      }
    }
    // Prices move so that every pair on a shortest path is tight.
    row_price[row] -= distance;
    for (std::int64_t k = to_do_count; k < columns; ++k) {
      const std::int64_t column = to_do[k];
      const std::int64_t moved = distance - slack[column];
      price[column] += moved;
      row_price[owner[column]] -= moved;
    }
    while (last >= 0) {
      const std::int64_t before = reached_from[last];
      owner[last] = before < 0 ? row : owner[before];
      last = before;
    }
  }

  if (!pred_price_.resize(pred_count_) || !gold_price_.resize(gold_count_)) {
    return Status::out_of_memory();
  }
  std::int64_t* prices_of_rows = preds_are_rows ? pred_price_.data() : gold_price_.data();
  std::int64_t* prices_of_columns = preds_are_rows ? gold_price_.data() : pred_price_.data();
  for (std::int64_t i = 0; i < rows; ++i) prices_of_rows[i] = row_price[i];
  for (std::int64_t j = 0; j + 1 < columns; ++j) prices_of_columns[j] = price[j];
  for (std::int64_t i = 0; i < pred_count_; ++i) chosen_[i] = -1;
  for (std::int64_t j = 0; j < gold_count_; ++j) owner_[j] = -1;
  for (std::int64_t j = 0; j + 1 < columns; ++j) {
    if (owner[j] < 0) continue;
    const std::int64_t i = preds_are_rows ? owner[j] : j;
    const std::int64_t g = preds_are_rows ? j : owner[j];
    if (weight(i, g) < 0) continue;  // a pair that may not match stands for two unmatched ones
    chosen_[i] = g;
    owner_[g] = i;
  }
  return Status();
}

// Settles predictions in order. For prediction i, everything that reaches i in the residual graph
// is found backwards; taking gold j closes a cycle, so it keeps an optimum, exactly when j reaches
// i. The graph: i -> j for tight unmatched pairs, j -> i for matched ones, and a hub that unmatched
// intervals hang on: i -> hub where a matched i has price 0, hub -> i where i is unmatched, hub ->
// j where a matched j has price 0, j -> hub where j is unmatched.
Status RowMatcher::take_first_in_order() {
  const std::int64_t node_count = pred_count_ + gold_count_ + 1;
  // order_: the queue of the backward search. scratch_: each found node's next one towards i.
  if (!order_.resize(node_count) || !scratch_.resize(node_count)) return Status::out_of_memory();
  for (std::int64_t i = 0; i < pred_count_; ++i) {
    const std::int64_t before = chosen_[i] < 0 ? gold_count_ : chosen_[i];
    std::int64_t wanted = before;
    for (std::int64_t j = 0; j < before; ++j) {
      if (is_open(j, i) && is_tight(i, j)) {
        wanted = j;
        break;
      }
    }
    if (wanted == before) continue;
    find_what_reaches(i, wanted);
    while (wanted < before &&
           (scratch_[pred_count_ + wanted] < 0 || !is_open(wanted, i) || !is_tight(i, wanted))) {
      ++wanted;
    }
    if (wanted < before) follow_cycle(i, wanted);
  }
  return Status();
}

// Breadth first, against the arrows; stops early when gold `wanted` is found.
void RowMatcher::find_what_reaches(std::int64_t i, std::int64_t wanted) {
  const std::int64_t hub = pred_count_ + gold_count_;
  std::int64_t* next = scratch_.data();
  std::int64_t* queue = order_.data();
  std::fill(next, next + hub + 1, std::int64_t{-1});
  std::int64_t found = 0;
  const auto visit = [&](std::int64_t node, std::int64_t towards) {
    if (next[node] >= 0) return;
    next[node] = towards;
    queue[found++] = node;
  };
  visit(i, i);
  for (std::int64_t k = 0; k < found && next[pred_count_ + wanted] < 0; ++k) {
    const std::int64_t node = queue[k];
    if (node == hub) {
      for (std::int64_t r = i; r < pred_count_; ++r) {
        if (chosen_[r] >= 0 && pred_price_[r] == 0) visit(r, hub);
      }
      for (std::int64_t j = 0; j < gold_count_; ++j) {
        if (owner_[j] < 0) visit(pred_count_ + j, hub);
      }
    } else if (node < pred_count_) {
      visit(chosen_[node] < 0 ? hub : pred_count_ + chosen_[node], node);
    } else {
      const std::int64_t j = node - pred_count_;
      for (std::int64_t r = i; r < pred_count_; ++r) {
        if (chosen_[r] != j && is_tight(r, j)) visit(r, node);
      }
      if (owner_[j] >= 0 && gold_price_[j] == 0) visit(hub, node);
    }
  }
}

// Prediction i takes `gold`; every arrow from there back to i changes hands.
void RowMatcher::follow_cycle(std::int64_t i, std::int64_t gold) {
  const std::int64_t hub = pred_count_ + gold_count_;
  const std::int64_t* next = scratch_.data();
  std::int64_t node = i;
  std::int64_t towards = pred_count_ + gold;
  do {
    if (node == hub) {
      if (towards >= pred_count_) owner_[towards - pred_count_] = -1;
    } else if (node < pred_count_) {
      chosen_[node] = towards == hub ? -1 : towards - pred_count_;
      if (towards != hub) owner_[towards - pred_count_] = node;
    }
    node = towards;
    towards = next[node];
  } while (node != i);
}

Status RowMatcher::match_greedy(double min_iou) {
  order_.clear();
  for (std::int64_t k = 0; k < pred_count_ * gold_count_; ++k) {
    if (iou_[k] > 0.0 && iou_[k] >= min_iou && !order_.push_back(k)) {
      return Status::out_of_memory();
    }
  }
  if (!owner_.resize(gold_count_)) return Status::out_of_memory();
  // k rises by prediction, then gold.
  std::sort(order_.data(), order_.data() + order_.size(), [&](std::int64_t a, std::int64_t b) {
    return iou_[a] > iou_[b] || (iou_[a] == iou_[b] && a < b);
  });
  for (std::int64_t i = 0; i < pred_count_; ++i) chosen_[i] = -1;
  for (std::int64_t j = 0; j < gold_count_; ++j) owner_[j] = -1;
  for (std::int64_t n = 0; n < order_.size(); ++n) {
    const std::int64_t i = order_[n] / gold_count_;
    const std::int64_t j = order_[n] % gold_count_;
    if (chosen_[i] >= 0 || owner_[j] >= 0) continue;
    chosen_[i] = j;
    owner_[j] = i;
  }
  return Status();
}

}  // namespace fastvbench
