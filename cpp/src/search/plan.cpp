#include "search/plan.h"

#include <algorithm>

#include "search/bound.h"

namespace fastvbench {
namespace {

// Every constant was chosen by measuring both sides of it; see benchmarks/README.md.
constexpr std::int64_t kWideRows = 1024;         // so few rows stay in a core's own cache
constexpr std::int64_t kWideQueries = 16;        // fewer are answered sooner from codes
constexpr std::int64_t kStreamQueries = 3;       // one-shot: float64 sums keep up with memory
constexpr std::int64_t kFloatQueriesMost = 16;   // one-shot: codes are paid back by more
constexpr std::int64_t kFloatBestRows = 2048;    // one-shot: K beyond leaves too much in doubt
constexpr std::int64_t kTileBytes = 64 << 20;    // one-shot: codes of a tile
constexpr std::int64_t kBatchBytes = 512 << 10;  // codes of a batch of queries

SearchPlan planned(SearchPath path, const char* reason) {
  SearchPlan plan;
  plan.path = path;
  plan.reason = reason;
  return plan;
}

SearchPlan choose(const GalleryData& gallery, std::int64_t query_count, std::int64_t k,
                  SearchPath wanted) {
  const EmbeddingRows& rows = gallery.rows;
  const bool is_prepared = gallery.preparation == Preparation::kCodes;
  const bool has_wide = gallery.wide.end > 0;
  if (wanted == SearchPath::kStream) return planned(SearchPath::kStream, "it was asked for");
  if (!can_be_coded(rows)) {
    return planned(SearchPath::kStream, "the shape is beyond what int8 codes can hold");
  }
  if (wanted == SearchPath::kWide && has_wide) {
    return planned(SearchPath::kWide, "it was asked for");
  }
  if (wanted == SearchPath::kFloat && k > 0) return planned(SearchPath::kFloat, "it was asked for");
  if (wanted == SearchPath::kCoded) return planned(SearchPath::kCoded, "it was asked for");
  if (k > rows.count / 2) {
    return planned(SearchPath::kStream, "most rows are wanted, so a filter would drop few");
  }
  if (!is_prepared) {
    if (query_count <= kStreamQueries) {
      return planned(SearchPath::kStream,
                     "so few queries are done before codes could be made for them");
    }
    if (query_count <= kFloatQueriesMost && k > 0 && k <= kFloatBestRows) {
      return planned(SearchPath::kFloat, "a few queries would not pay for making codes");
    }
    return planned(SearchPath::kCoded, "many queries pay for making codes, a tile at a time");
  }
  if (has_wide && query_count >= kWideQueries) {
    return planned(SearchPath::kWide,
                   "the gallery is small, so exact keys of loose candidates would cost more than "
                   "wide codes");
  }
  return planned(SearchPath::kCoded, "codes are read and multiplied four times as fast as float32");
}

}  // namespace

bool can_be_coded(const EmbeddingRows& rows) {
  return rows.dimension <= kMostCodedDimensions && rows.count <= INT32_MAX - kBlockRows;
}

bool is_worth_wide_codes(const EmbeddingRows& rows) { return rows.count <= kWideRows; }

SearchPlan make_plan(const GalleryData& gallery, std::int64_t query_count, std::int64_t k,
                     SearchPath wanted) {
  SearchPlan plan = choose(gallery, query_count, k, wanted);
  const std::int64_t dimension = std::max<std::int64_t>(gallery.rows.dimension, 1);
  plan.tile_rows = gallery.rows.count;
  plan.query_rows = query_count;
  if (plan.path == SearchPath::kStream || plan.path == SearchPath::kFloat) return plan;
  const std::int64_t whole_panels =
      std::clamp<std::int64_t>(kBatchBytes / dimension / kPanelQueries, 8, 84);
  plan.query_rows = std::min(query_count, whole_panels * kPanelQueries);
  // Also for what a prepared gallery has not got: ranks may want wide codes.
  if (gallery.preparation != Preparation::kCodes || k == 0) {
    const std::int64_t tile = std::max<std::int64_t>(kTileBytes / dimension, 1024);
    plan.tile_rows = std::min(gallery.rows.count, tile / kBlockRows * kBlockRows);
  }
  return plan;
}

}  // namespace fastvbench
