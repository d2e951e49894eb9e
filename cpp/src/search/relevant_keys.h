// The exact keys of the rows that queries ask for.
#pragma once

#include "search/gallery_data.h"
#include "search/query_rows.h"

namespace fastvbench {

/// keys[i] is the key of relevant.values[i]. Fails where that row has a fault.
Status relevant_keys(const RunContext& context, const GalleryData& gallery,
                     const QueryRows& queries, const RelevantRows& relevant, double* keys);

}  // namespace fastvbench
