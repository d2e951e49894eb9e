// What becomes of rows that the scan could not rule out. A whole warp calls `take` for one query,
// a row of the block in each lane.
#pragma once

#include "kernels/dot64.cuh"
#include "search_data.h"

namespace fastvbench {
namespace cuda {

/// Places in a list for the lanes that want one: by one atomic of the warp. A list with more than
/// `capacity` places taken is not asked any more, so that its count never wraps.
FASTVBENCH_DEVICE std::int32_t warp_places(std::int32_t* count, std::int32_t capacity,
                                           std::uint32_t wanting) {
  std::int32_t first = 0;
  if (lane_index() == 0) {
    first = *static_cast<volatile std::int32_t*>(count);
    if (first <= capacity) first = atomic_add(count, bit_count(wanting));
  }
  first = shuffle(first, 0);
  return first + bit_count(wanting & ((1u << lane_index()) - 1));
}

/// Keeps a query's rows whose upper bound reaches its threshold.
struct CandidateSink {
  CandidateColumns candidates;

  FASTVBENCH_DEVICE void take(std::int32_t query, std::uint32_t row, bool is_rankable, float middle,
                              float width, float threshold) const {
    const float upper = middle + width;
    const bool is_kept = is_rankable && !(upper < threshold);
    const std::uint32_t kept = ballot(is_kept);
    if (kept == 0) return;
    const std::int32_t place = warp_places(candidates.counts + query, candidates.capacity, kept);
    if (!is_kept || place >= candidates.capacity) return;
    const float lower = middle - width;
    const std::int64_t slot = std::int64_t{query} * candidates.capacity + place;
    candidates.rows[slot] = row;
    candidates.lowers[slot] = std::isfinite(lower) ? lower : -HUGE_VALF;
    candidates.uppers[slot] = std::isnan(upper) ? HUGE_VALF : upper;
  }
};

/// A row that the filter cannot place relative to an item.
struct Doubt {
  std::uint32_t row;
  std::int32_t query;
  std::int64_t item;
};

/// Counts rows that are certainly above a query's items, and lists those in doubt.
struct RankSink {
  RankItems items;
  const float* floors;       // per item: rows whose upper bound is below are certainly not above
  const float* ceilings;     // per item: rows whose lower bound is above are certainly above
  std::int64_t first_query;  // the items belong to all queries, the scan's start here
  Doubt* doubts;
  std::int32_t* doubt_count;
  std::int32_t capacity;
  std::int32_t* is_lost;  // per query of the scan

  FASTVBENCH_DEVICE void take(std::int32_t query, std::uint32_t row, bool is_rankable, float middle,
                              float width, float) const {
    const float upper = middle + width;
    const float lower = middle - width;
    const std::int64_t end = items.offsets[first_query + query + 1];
    for (std::int64_t item = items.offsets[first_query + query]; item < end; ++item) {
      // An infinite lower bound may be an overflow; NaN answers no to both.
      const bool is_above = is_rankable && lower > ceilings[item] && lower < HUGE_VALF;
      const bool is_in_doubt = is_rankable && !is_above && !(upper < floors[item]);
      const std::uint32_t above = ballot(is_above);
      if (above != 0 && lane_index() == 0) {
        atomic_add(items.above + item, std::int64_t{bit_count(above)});
      }
      const std::uint32_t in_doubt = ballot(is_in_doubt);
      if (in_doubt == 0) continue;
      const std::int32_t place = warp_places(doubt_count, capacity, in_doubt);
      if (!is_in_doubt) continue;
      if (place < capacity) {
        doubts[place] = {row, query, item};
      } else {
        is_lost[query] = 1;
      }
    }
  }
};

}  // namespace cuda
}  // namespace fastvbench
