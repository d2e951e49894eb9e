// The proof of search/bound.h on numbers: whatever the vectors, the exact key lies within every
// bound that the filters compute, and no threshold or ceiling puts a row on the wrong side of
// itself.
#include <cstdio>

#include "check.h"
#include "search/filter_rows.h"
#include "search/query_panels.h"
#include "search_cases.h"

namespace {

using fastvbench::CodeWidth;
using fastvbench::FilterRows;
using fastvbench::kBlockRows;
using fastvbench::KeyScale;
using fastvbench::kPanelQueries;
using fastvbench::QueryPanels;
using fastvbench::QueryRows;
using fastvbench::RowFrame;
using fastvbench::search_kernels;
using fastvbench::TileHits;
using namespace search_cases;

// Exact or nearly: 64 bits of fraction on x86, 113 on some others.
using Wide = long double;

// The position of a row's exact key among the bounds: f = (X.u - X.mu) / S of bound.h, where X.u
// is the key that dot64 gives.
class Positions {
 public:
  Positions(const float* query, std::int64_t dimension, const RowFrame& frame,
            Similarity similarity, const KeyScale& scale)
      : half_slack_(static_cast<Wide>(scale.slack) / 2) {
    float largest = 0.0f;
    for (std::int64_t d = 0; d < dimension; ++d) largest = std::max(largest, std::fabs(query[d]));
    query_scale_ = largest == 0.0f ? 1.0 : std::ldexp(1.0, -std::ilogb(largest));
    if (similarity == Similarity::kDot) row_scale_ = frame.scale;
    // unit = query_scale * row_scale / S, rounded once, and S is a float32.
    step_ = static_cast<float>(query_scale_ * row_scale_ / scale.unit);
    for (std::int64_t d = 0; d < dimension; ++d) {
      mean_product_ += static_cast<Wide>(query_scale_) * query[d] * frame.mean.data()[d];
    }
  }
  Wide of(double key) const {
    return (static_cast<Wide>(key) * query_scale_ * row_scale_ - mean_product_) / step_;
  }
  bool is_within(Wide position, float lower, float upper) const {
    return !(position < lower - half_slack_) && !(position > upper + half_slack_);
  }
  // Half of the slack is for the key's own rounding and half for that of X.mu.
  Wide half_slack() const { return half_slack_; }

 private:
  double query_scale_ = 1.0;
  double row_scale_ = 1.0;
  Wide half_slack_;
  float step_;
  Wide mean_product_ = 0.0L;
};

struct Bounds {
  FilterRows rows;
  QueryRows queries;
  QueryPanels panels;
  RowFrame frame;
  TileHits hits;

  bool load(const Vectors& gallery, const Vectors& asked, Similarity similarity, CodeWidth width) {
    std::vector<double> norms(static_cast<std::size_t>(gallery.count));
    std::int64_t faults = -1;
    return frame.measure(gallery.view(), similarity).ok() &&
           rows.build({}, gallery.view(), similarity, frame, width, 0, gallery.count, nullptr,
                      similarity == Similarity::kCosine ? norms.data() : nullptr, &faults)
               .ok() &&
           faults == 0 && queries.load({}, asked.view(), similarity).ok() &&
           panels.load({}, queries, 0, asked.count, frame, similarity, width).ok();
  }
  std::int64_t scan(std::int64_t block, std::int64_t end, const float* thresholds) {
    const int count = panels.queries_in(0);
    const auto& kernels = search_kernels();
    const auto run =
        rows.width == CodeWidth::kByte ? kernels.scan_codes[count] : kernels.scan_wide_codes[count];
    return run(rows.blocks(), block, end, panels.panel(0), thresholds, &hits);
  }
};

// Every row of every block, with thresholds that drop none.
void check_bounds(Bounds& bounds, const Vectors& gallery, const Vectors& queries,
                  const PlainKeys& plain) {
  float none[fastvbench::kPanelRoom] = {}, all[fastvbench::kPanelRoom] = {};
  std::fill(none, none + kPanelQueries, -HUGE_VALF);
  std::fill(all, all + kPanelQueries, HUGE_VALF);
  std::vector<Positions> positions;
  for (std::int64_t q = 0; q < queries.count; ++q) {
    positions.emplace_back(queries.row(q), queries.dimension, bounds.frame, plain.similarity,
                           bounds.panels.scale(q));
  }
  const std::int64_t blocks = bounds.rows.block_count();
  for (std::int64_t block = 0; block < blocks; ++block) {
    CHECK(bounds.scan(block, blocks, none) == block);
    const TileHits every = bounds.hits;
    for (std::int64_t q = 0; q < queries.count; ++q) {
      const Positions& place = positions[static_cast<std::size_t>(q)];
      for (int i = 0; i < kBlockRows; ++i) {
        const std::int64_t row = block * kBlockRows + i;
        const bool is_there = (every.rows[q] >> i & 1) != 0;
        CHECK(is_there == (row < gallery.count));
        if (!is_there) continue;
        const double key = plain.key(q, row);
        const Wide position = place.of(key);
        const float lower = every.middles[q][i] - every.widths[q][i];
        const float upper = every.middles[q][i] + every.widths[q][i];
        CHECK(place.is_within(position, lower, upper));
        const KeyScale& scale = bounds.panels.scale(q);
        CHECK(scale.threshold(key) <= position - place.half_slack());
        CHECK(scale.ceiling(key) >= position + place.half_slack());
        CHECK(!(lower > scale.ceiling(key)));
        // Asked for nothing less than this row, the scan still finds it.
        float thresholds[fastvbench::kPanelRoom] = {};
        std::copy_n(all, kPanelQueries, thresholds);
        thresholds[q] = scale.threshold(key);
        CHECK(bounds.scan(block, block + 1, thresholds) == block);
        CHECK((bounds.hits.rows[q] >> i & 1) != 0);
      }
    }
  }
}

// Queries that strain a bound: rows themselves, one direction for all leftovers, the mean, nothing.
Vectors straining_queries(const Vectors& gallery, Similarity similarity, Family family,
                          std::int64_t count, std::mt19937_64& random) {
  const std::int64_t dimension = gallery.dimension;
  Vectors queries = empty_vectors(count, dimension);
  const Vectors same_kind = make_vectors(family, count, dimension, random);
  for (std::int64_t q = 0; q < count; ++q) {
    float* query = queries.row(q);
    for (std::int64_t d = 0; d < dimension; ++d) {
      double mean = 0.0;
      for (std::int64_t i = 0; i < gallery.count && q % 6 == 2; ++i) mean += gallery.row(i)[d] / 64;
      const double choices[6] = {same_kind.row(q)[d],
                                 gallery.row(q % gallery.count)[d],
                                 mean,
                                 d == 0 && dimension > 1 ? 0.0 : 1.0,
                                 similarity == Similarity::kDot ? 0.0 : 1.0 + 1e-7 * d,
                                 gaussian(random) * (d % 7 == 0 ? 1e-30 : 1e-38)};
      query[d] = static_cast<float>(choices[q % 6]);
    }
    if (std::all_of(query, query + dimension, [](float v) { return v == 0.0f; }) &&
        similarity == Similarity::kCosine) {
      query[0] = 1.0f;
    }
  }
  return queries;
}

// What a gallery of one kind lacks: rows that all are the same, so that only the mean is left; and
// sums whose roundings all go one way.
Vectors drifting_rows(std::int64_t count, std::int64_t dimension, std::mt19937_64& random) {
  Vectors rows = make_vectors(Family::kGaussian, count, dimension, random);
  for (std::int64_t i = 1; i < count; ++i) {
    for (std::int64_t d = 0; d < dimension; ++d) {
      rows.row(i)[d] = i % 2 == 0 ? rows.row(0)[d] : 0.1f * static_cast<float>(1 + i % 3);
    }
  }
  return rows;
}

void check(const Vectors& gallery, Similarity similarity, Family family, std::int64_t query_count,
           std::mt19937_64& random) {
  const Vectors queries = straining_queries(gallery, similarity, family, query_count, random);
  const PlainKeys plain(gallery, queries, similarity);
  for (const CodeWidth width : {CodeWidth::kByte, CodeWidth::kWide}) {
    const int failures_before = failure_count();
    Bounds bounds;
    CHECK(bounds.load(gallery, queries, similarity, width));
    check_bounds(bounds, gallery, queries, plain);
    if (failure_count() == failures_before) continue;
    std::printf("  family %d, D %d, queries %d, similarity %d, width %d\n",
                static_cast<int>(family), static_cast<int>(gallery.dimension),
                static_cast<int>(query_count), static_cast<int>(similarity),
                static_cast<int>(width));
  }
}

void check_families() {
  std::mt19937_64 random(1);
  for (const std::int64_t dimension : {1, 3, 16, 17, 64, 777, 4097}) {
    for (int f = 0; f < kFamilyCount; ++f) {
      const auto family = static_cast<Family>(f);
      for (const Similarity similarity : {Similarity::kDot, Similarity::kCosine}) {
        const std::int64_t query_count = dimension > 64 ? 6 : 1 + (f + dimension) % kPanelQueries;
        const Vectors gallery = make_vectors(family, 70, dimension, random);
        check(gallery, similarity, family, query_count, random);
      }
    }
  }
}

void check_every_panel_size() {
  std::mt19937_64 random(2);
  const Vectors gallery = make_vectors(Family::kClustered, 65, 33, random);
  for (std::int64_t count = 1; count <= kPanelQueries; ++count) {
    check(gallery, Similarity::kCosine, Family::kClustered, count, random);
  }
}

void check_rows_that_strain() {
  std::mt19937_64 random(3);
  for (const std::int64_t dimension : {17, 1000, 4097}) {
    Vectors same = make_vectors(Family::kGaussian, 64, dimension, random);
    for (std::int64_t i = 1; i < 64; ++i) std::copy_n(same.row(0), dimension, same.row(i));
    const Vectors drifting = drifting_rows(64, dimension, random);
    for (const Similarity similarity : {Similarity::kDot, Similarity::kCosine}) {
      check(same, similarity, Family::kGaussian, 6, random);
      check(drifting, similarity, Family::kGaussian, 6, random);
    }
  }
}

// dot64 at its worst: in each lane a one, then values too small to be added to it, all lost. The
// rows are their mean, so that nothing but the slack is there to hold the difference.
void check_a_sum_that_loses() {
  constexpr std::int64_t kDimension = 65536;
  Vectors rows = empty_vectors(3, kDimension);
  Vectors query = empty_vectors(1, kDimension);
  std::fill(rows.values.begin(), rows.values.end(), 1.0f);
  std::fill(query.values.begin(), query.values.end(), 0x1p-53f);
  std::fill_n(query.values.begin(), 16, 1.0f);
  const PlainKeys plain(rows, query, Similarity::kDot);
  CHECK(plain.key(0, 0) == 16.0);
  for (const CodeWidth width : {CodeWidth::kByte, CodeWidth::kWide}) {
    Bounds bounds;
    CHECK(bounds.load(rows, query, Similarity::kDot, width));
    check_bounds(bounds, rows, query, plain);
  }
}

// A threshold that is NaN drops nothing, and one that nothing reaches drops everything.
void check_thresholds() {
  std::mt19937_64 random(4);
  const Vectors gallery = make_vectors(Family::kGaussian, 90, 20, random);
  const Vectors queries = make_vectors(Family::kGaussian, 5, 20, random);
  for (const CodeWidth width : {CodeWidth::kByte, CodeWidth::kWide}) {
    Bounds bounds;
    CHECK(bounds.load(gallery, queries, Similarity::kDot, width));
    float thresholds[fastvbench::kPanelRoom] = {};
    std::fill(thresholds, thresholds + kPanelQueries, HUGE_VALF);
    CHECK(bounds.scan(0, 3, thresholds) == 3);
    thresholds[3] = NAN;
    CHECK(bounds.scan(0, 3, thresholds) == 0);
    CHECK(bounds.hits.queries == 8u);
    CHECK(bounds.hits.rows[3] == 0xFFFFFFFFu);
    CHECK(bounds.scan(2, 3, thresholds) == 2);
    CHECK(bounds.hits.rows[3] == 0x03FFFFFFu);  // 26 rows of the last block are there
  }
}

// A position that float64 rounds onto a float32 above it, or below: 1/3 is less in float64 than it
// is, and its threefold is rounded to 1.
void check_positions_are_rounded() {
  for (const double sign : {1.0, -1.0}) {
    const KeyScale scale{sign * (1.0 / 3.0), 0.0, 0.0};
    for (int whole = 1; whole < 1000; ++whole) {
      const double key = 3.0 * whole;
      const Wide position = static_cast<Wide>(key) * scale.unit;
      CHECK(scale.threshold(key) <= position);
      CHECK(scale.ceiling(key) >= position);
    }
  }
}

void check_rounding_to_float() {
  using fastvbench::rounded_down;
  using fastvbench::rounded_up;
  for (const double value : {0.0, -0.0, 0.1, -0.1, 1e-50, -1e-50, 1e300, -1e300, 3.4e38, 1.0}) {
    CHECK(static_cast<double>(rounded_up(value)) >= value);
    CHECK(static_cast<double>(rounded_down(value)) <= value);
    const float up = rounded_up(value);
    const double before = std::nextafter(up, -HUGE_VALF);
    CHECK(before < value || up == static_cast<float>(value));
  }
  CHECK(rounded_up(HUGE_VAL) == HUGE_VALF);
  CHECK(rounded_down(-HUGE_VAL) == -HUGE_VALF);
  CHECK(std::isnan(rounded_up(NAN)));
}

}  // namespace

int main() {
  check_families();
  check_every_panel_size();
  check_rows_that_strain();
  check_a_sum_that_loses();
  check_thresholds();
  check_positions_are_rounded();
  check_rounding_to_float();
  return failure_count() != 0;
}
