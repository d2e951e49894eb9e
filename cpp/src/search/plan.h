// Which way a call takes over the gallery.
#pragma once

#include "search/gallery_data.h"

namespace fastvbench {

/// For a search (k rows of each query), or for ranks where k is 0.
SearchPlan make_plan(const GalleryData& gallery, std::int64_t query_count, std::int64_t k,
                     SearchPath wanted);

/// Whether a gallery of this shape can be turned into codes, and whether it is worth keeping in
/// wide codes too.
bool can_be_coded(const EmbeddingRows& rows);
bool is_worth_wide_codes(const EmbeddingRows& rows);

}  // namespace fastvbench
