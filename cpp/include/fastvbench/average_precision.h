// Average precision of moment retrieval, one query per row, as QVHighlights computes it.
#pragma once

#include <cstdint>

#include "fastvbench/intervals.h"

namespace fastvbench {

/// Predictions of a row by score descending (equal scores in listed order) each take the free gold
/// interval that they overlap most (ties: listed first) if that IoU reaches the threshold. The
/// precision at each true positive, raised to the best precision at it or later, is added from the
/// last true positive to the first and divided by the number of gold intervals.
///
/// scores: one per prediction, not NaN. Writes out[t * size + row]; rows without gold get 0.
/// Refuses as row_iou does.
Status average_precision(const RunContext& context, const IntervalColumn& pred,
                         const double* scores, const IntervalColumn& gold, const double* thresholds,
                         std::int64_t threshold_count, double* out);

}  // namespace fastvbench
