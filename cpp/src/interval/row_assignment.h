// Optimal matching of one row on the CPU and on CUDA devices: the Hungarian method on integer
// weights, then the lexicographic rule of fastvbench/matching.h on its dual solution.
//
// Prices u (predictions) and v (gold) of an optimal dual solution satisfy u, v >= 0 and
// u + v >= weight for every pair that may match. A matching is optimal exactly when it uses only
// tight pairs (u + v == weight), leaves no prediction with u > 0 and no gold with v > 0 unmatched.
// So the optimal matchings are the integral flows of one small network, any two of them differ by
// cycles in its residual graph, and "may prediction i take gold j instead?" is one reachability
// question. Predictions are settled in order, each with the first gold that keeps an optimum.
#pragma once

#include <cstdint>

#include "fastvbench/host_device.h"

namespace fastvbench {

constexpr std::int64_t kMayNotMatch = -1;  // weight of a pair that may not

/// llround(iou * 2^40) of an IoU in [0, 1]; the product is exact.
FASTVBENCH_HOST_DEVICE_INLINE std::int64_t weight_of_iou(double iou) {
  const double scaled = iou * 1099511627776.0;
  const auto whole = static_cast<std::int64_t>(scaled);
  return whole + (scaled - static_cast<double>(whole) >= 0.5 ? 1 : 0);
}

FASTVBENCH_HOST_DEVICE_INLINE bool may_match(double iou, double min_iou) {
  return iou > 0.0 && iou >= min_iou;
}

/// Order of pairs in greedy matching: by IoU descending, then by place (prediction, then gold).
FASTVBENCH_HOST_DEVICE_INLINE bool comes_before(double iou, std::int64_t place, double other_iou,
                                                std::int64_t other_place) {
  return iou > other_iou || (iou == other_iou && place < other_place);
}

/// One row's problem, in memory of the caller.
class RowAssignment {
 public:
  /// Words of memory beside the weights.
  static FASTVBENCH_HOST_DEVICE std::int64_t memory_words(std::int64_t pred_count,
                                                          std::int64_t gold_count) {
    const std::int64_t larger = pred_count > gold_count ? pred_count : gold_count;
    const std::int64_t both = pred_count + gold_count;
    const std::int64_t search_words = 4 * (larger + 1);
    const std::int64_t order_words = 2 * (both + 1);
    return 2 * both + 2 + (search_words > order_words ? search_words : order_words);
  }

  /// `weights` [prediction][gold], kMayNotMatch where a pair may not. `memory` is uninitialised.
  FASTVBENCH_HOST_DEVICE RowAssignment(const std::int64_t* weights, std::int64_t pred_count,
                                       std::int64_t gold_count, std::int64_t* memory)
      : weights_(weights),
        pred_count_(pred_count),
        gold_count_(gold_count),
        chosen_(memory),
        owner_(chosen_ + pred_count),
        pred_price_(owner_ + gold_count),
        gold_price_(pred_price_ + pred_count + 1),
        scratch_(gold_price_ + gold_count + 1) {}

  /// Gold index of a prediction, or -1.
  FASTVBENCH_HOST_DEVICE std::int64_t chosen(std::int64_t pred) const { return chosen_[pred]; }

  /// Each prediction's first best gold, where no two want the same one: then no sum can be larger
  /// and no sequence with that sum comes earlier. False where two do.
  FASTVBENCH_HOST_DEVICE bool give_everyone_the_best() {
    for (std::int64_t j = 0; j < gold_count_; ++j) owner_[j] = -1;
    for (std::int64_t i = 0; i < pred_count_; ++i) {
      std::int64_t best = kMayNotMatch;
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

  /// Some optimal matching and its prices, by shortest augmenting paths. `should_stop()` is asked
  /// once per interval of the smaller side; false where it said so.
  template <typename ShouldStop>
  FASTVBENCH_HOST_DEVICE bool solve(const ShouldStop& should_stop) {
    // Rows are the smaller side; a last column without weight lets one more row than there are
    // columns stay free, so that a free column always exists and all prices of the larger side end
    // at 0 or above.
    const bool preds_are_rows = pred_count_ <= gold_count_;
    Search search;
    search.row_count = preds_are_rows ? pred_count_ : gold_count_;
    search.column_count = (preds_are_rows ? gold_count_ : pred_count_) + 1;
    search.row_stride = preds_are_rows ? gold_count_ : 1;
    search.column_stride = preds_are_rows ? 1 : gold_count_;
    search.row_price = preds_are_rows ? pred_price_ : gold_price_;
    search.column_price = preds_are_rows ? gold_price_ : pred_price_;
    search.slack = scratch_;
    search.reached_from = search.slack + search.column_count;
    search.owner = search.reached_from + search.column_count;
    search.to_do = search.owner + search.column_count;
    for (std::int64_t j = 0; j < search.column_count; ++j) {
      search.column_price[j] = 0;
      search.owner[j] = -1;
    }
    for (std::int64_t row = 0; row < search.row_count; ++row) {
      if (should_stop()) return false;
      add_row(search, row);
    }
    for (std::int64_t i = 0; i < pred_count_; ++i) chosen_[i] = -1;
    for (std::int64_t j = 0; j < gold_count_; ++j) owner_[j] = -1;
    for (std::int64_t j = 0; j + 1 < search.column_count; ++j) {
      if (search.owner[j] < 0) continue;
      const std::int64_t i = preds_are_rows ? search.owner[j] : j;
      const std::int64_t g = preds_are_rows ? j : search.owner[j];
      if (weight(i, g) < 0) continue;  // a pair that may not match stands for two unmatched ones
      chosen_[i] = g;
      owner_[g] = i;
    }
    return true;
  }

  /// After solve(): the optimal matching that comes first.
  ///
  /// For prediction i, everything that reaches i in the residual graph is found backwards; taking
  /// gold j closes a cycle, so it keeps an optimum, exactly when j reaches i. The graph: i -> j for
  /// tight unmatched pairs, j -> i for matched ones, and a hub that unmatched intervals hang on:
  /// i -> hub where a matched i has price 0, hub -> i where i is unmatched, hub -> j where a
  /// matched j has price 0, j -> hub where j is unmatched.
  FASTVBENCH_HOST_DEVICE void take_first_in_order() {
    next_ = scratch_;
    queue_ = scratch_ + pred_count_ + gold_count_ + 1;
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
             (next_[pred_count_ + wanted] < 0 || !is_open(wanted, i) || !is_tight(i, wanted))) {
        ++wanted;
      }
      if (wanted < before) follow_cycle(i, wanted);
    }
  }

 private:
  struct Search {
    std::int64_t row_count;
    std::int64_t column_count;
    std::int64_t row_stride;  // of weights
    std::int64_t column_stride;
    std::int64_t* row_price;
    std::int64_t* column_price;
    std::int64_t* slack;         // [column]: length of the shortest path found so far
    std::int64_t* reached_from;  // [column]: the column before it on that path, or -1
    std::int64_t* owner;         // [column]: its row, or -1
    std::int64_t* to_do;         // columns whose path is not settled, then the settled ones
  };

  FASTVBENCH_HOST_DEVICE std::int64_t weight(std::int64_t pred, std::int64_t gold) const {
    return weights_[pred * gold_count_ + gold];
  }
  FASTVBENCH_HOST_DEVICE bool is_tight(std::int64_t pred, std::int64_t gold) const {
    const std::int64_t pair_weight = weight(pred, gold);
    return pair_weight >= 0 && pred_price_[pred] + gold_price_[gold] == pair_weight;
  }
  // Not owned by a prediction before `pred`, whose choices are settled.
  FASTVBENCH_HOST_DEVICE bool is_open(std::int64_t gold, std::int64_t pred) const {
    return owner_[gold] < 0 || owner_[gold] >= pred;
  }

  FASTVBENCH_HOST_DEVICE void add_row(const Search& search, std::int64_t row) {
    // The row's best gain over today's prices is where its search starts.
    std::int64_t to_do_count = search.column_count;
    std::int64_t current = row;
    std::int64_t came_from = -1;
    std::int64_t distance = 0;
    search.row_price[row] = 0;
    for (std::int64_t j = 0; j < search.column_count; ++j) {
      search.to_do[j] = j;
      search.slack[j] = INT64_MAX;
    }
    std::int64_t last = -1;
    while (last < 0) {
      const std::int64_t nearest = reach(search, to_do_count, current, came_from, distance);
      const std::int64_t column = search.to_do[nearest];
      distance = search.slack[column];
      if (search.owner[column] < 0) {
        last = column;
      } else {
        // Done columns gather behind the ones to do.
        search.to_do[nearest] = search.to_do[--to_do_count];
        search.to_do[to_do_count] = column;
        came_from = column;
        current = search.owner[column];
      }
    }
    // Prices move so that every pair on a shortest path is tight.
    search.row_price[row] -= distance;
    for (std::int64_t k = to_do_count; k < search.column_count; ++k) {
      const std::int64_t column = search.to_do[k];
      const std::int64_t moved = distance - search.slack[column];
      search.column_price[column] += moved;
      search.row_price[search.owner[column]] -= moved;
    }
    while (last >= 0) {
      const std::int64_t before = search.reached_from[last];
      search.owner[last] = before < 0 ? row : search.owner[before];
      last = before;
    }
  }

  // Shortens paths through `current` and returns the place in to_do of the nearest column, a free
  // one where several are.
  FASTVBENCH_HOST_DEVICE std::int64_t reach(const Search& search, std::int64_t to_do_count,
                                            std::int64_t current, std::int64_t came_from,
                                            std::int64_t distance) const {
    std::int64_t nearest = -1;
    const std::int64_t* gains = weights_ + current * search.row_stride;
    for (std::int64_t k = 0; k < to_do_count; ++k) {
      const std::int64_t j = search.to_do[k];
      std::int64_t gain = j + 1 < search.column_count ? gains[j * search.column_stride] : 0;
      if (gain < 0) gain = 0;
      const std::int64_t reached =
          distance + search.row_price[current] + search.column_price[j] - gain;
      if (reached < search.slack[j]) {
        search.slack[j] = reached;
        search.reached_from[j] = came_from;
      }
      const std::int64_t best = nearest < 0 ? j : search.to_do[nearest];
      if (nearest < 0 || search.slack[j] < search.slack[best] ||
          (search.slack[j] == search.slack[best] && search.owner[j] < 0 &&
           search.owner[best] >= 0)) {
        nearest = k;
      }
    }
    return nearest;
  }

  FASTVBENCH_HOST_DEVICE void visit(std::int64_t node, std::int64_t towards, std::int64_t* found) {
    if (next_[node] >= 0) return;
    next_[node] = towards;
    queue_[(*found)++] = node;
  }

  // Breadth first, against the arrows; stops early when gold `wanted` is found.
  FASTVBENCH_HOST_DEVICE void find_what_reaches(std::int64_t i, std::int64_t wanted) {
    const std::int64_t hub = pred_count_ + gold_count_;
    for (std::int64_t node = 0; node <= hub; ++node) next_[node] = -1;
    std::int64_t found = 0;
    visit(i, i, &found);
    for (std::int64_t k = 0; k < found && next_[pred_count_ + wanted] < 0; ++k) {
      const std::int64_t node = queue_[k];
      if (node == hub) {
        for (std::int64_t r = i; r < pred_count_; ++r) {
          if (chosen_[r] >= 0 && pred_price_[r] == 0) visit(r, hub, &found);
        }
        for (std::int64_t j = 0; j < gold_count_; ++j) {
          if (owner_[j] < 0) visit(pred_count_ + j, hub, &found);
        }
      } else if (node < pred_count_) {
        visit(chosen_[node] < 0 ? hub : pred_count_ + chosen_[node], node, &found);
      } else {
        const std::int64_t j = node - pred_count_;
        for (std::int64_t r = i; r < pred_count_; ++r) {
          if (chosen_[r] != j && is_tight(r, j)) visit(r, node, &found);
        }
        if (owner_[j] >= 0 && gold_price_[j] == 0) visit(hub, node, &found);
      }
    }
  }

  // Prediction i takes `gold`; every arrow from there back to i changes hands.
  FASTVBENCH_HOST_DEVICE void follow_cycle(std::int64_t i, std::int64_t gold) {
    const std::int64_t hub = pred_count_ + gold_count_;
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
      towards = next_[node];
    } while (node != i);
  }

  const std::int64_t* weights_;
  std::int64_t pred_count_;
  std::int64_t gold_count_;
  std::int64_t* chosen_;      // [prediction]: its gold, or -1
  std::int64_t* owner_;       // [gold]: its prediction, or -1
  std::int64_t* pred_price_;  // dual values: prices of a pair sum to its weight at least
  std::int64_t* gold_price_;
  std::int64_t* scratch_;
  std::int64_t* next_ = nullptr;   // [node]: the one after it on its way to i, or -1
  std::int64_t* queue_ = nullptr;  // nodes found, in order
};

}  // namespace fastvbench
