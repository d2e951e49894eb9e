// Highlight detection, one video per row: how well scores rank the clips that annotators grade
// high.
#pragma once

#include <cstdint>

#include "fastvbench/run_context.h"
#include "fastvbench/status.h"

namespace fastvbench {

/// Row i owns clips offsets[i] .. offsets[i + 1] - 1. Offsets ascend.
struct ClipColumn {
  const double* scores;       // one per clip; what is not finite ranks behind all that is
  const std::int8_t* grades;  // [clip][annotator]
  const std::int64_t* offsets;
  std::int64_t size;
  std::int32_t annotator_count;

  std::int64_t count(std::int64_t row) const { return offsets[row + 1] - offsets[row]; }
};

/// A clip is right for an annotator who grades it at least `minimum`. Clips with equal scores are
/// ranked as one group. For each minimum and row:
///   average precision: over the groups from the last to the first, the right clips of the group
///     times the best precision (right clips over clips) at its end or later, added up and divided
///     by all right clips; then the mean over the annotators who have any right clip, added in
///     their order;
///   hit: of the clips in the first group, the share that is right for any annotator.
/// Both are 0 where no clip has a finite score, and NaN where no clip is right for anybody.
/// Writes average_precision[m * size + row] and hit[m * size + row].
Status highlight_scores(const RunContext& context, const ClipColumn& clips,
                        const std::int8_t* minimums, std::int64_t minimum_count,
                        double* average_precision, double* hit);

}  // namespace fastvbench
