// One-shot search for a few queries: float32 sums of the rows as they lie, and exact keys of
// what they leave in doubt.
#pragma once

#include <cstdint>

#include "search/gallery_data.h"
#include "search/query_rows.h"

namespace fastvbench {

Status float_search(const RunContext& context, const GalleryData& gallery, const RowFrame& frame,
                    const QueryRows& queries, std::int64_t k, std::int64_t* indices,
                    double* scores);

}  // namespace fastvbench
