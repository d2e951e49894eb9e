// The path without a filter: dot64 on every row. Memory sets its speed for few queries, and it
// needs nothing prepared; it is also the way where most rows are wanted.
#pragma once

#include <cstdint>

#include "search/gallery_data.h"
#include "search/query_rows.h"

namespace fastvbench {

Status stream_search(const RunContext& context, const GalleryData& gallery,
                     const QueryRows& queries, std::int64_t k, std::int64_t* indices,
                     double* scores);

/// `keys` holds the exact key of each relevant row. Adds to the counts in `out`.
Status stream_ranks(const RunContext& context, const GalleryData& gallery, const QueryRows& queries,
                    const RelevantRows& relevant, const double* keys, const RankColumns& out);

}  // namespace fastvbench
