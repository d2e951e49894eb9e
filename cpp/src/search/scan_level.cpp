// The filters: products of a tile, bounds of every row and query, and which of them matter.
#include "search/kernels.h"
#include "search/tiles.h"
#include "search/vectors.h"

namespace fastvbench {
namespace FASTVBENCH_LEVEL {
namespace {

constexpr int kHalves = kBlockRows / kVectorLanes;

struct RowTerms {
  Floats scale[kHalves], residual[kHalves], length[kHalves], bias[kHalves];
};

FASTVBENCH_INLINE RowTerms load_terms(const float* terms) {
  RowTerms r;
  for (int h = 0; h < kHalves; ++h) {
    r.scale[h] = load_floats(terms + kVectorLanes * h);
    r.residual[h] = load_floats(terms + kBlockRows + kVectorLanes * h);
    r.length[h] = load_floats(terms + 2 * kBlockRows + kVectorLanes * h);
    r.bias[h] = load_floats(terms + 3 * kBlockRows + kVectorLanes * h);
  }
  return r;
}

// Bounds of one query's row of products. Most queries have no row that matters in a block, and for
// them only the upper bound is needed.
FASTVBENCH_INLINE void bound_rows(const std::int32_t* products, const RowTerms& rows,
                                  const FilterPanel& panel, int q, std::uint32_t rankable,
                                  float threshold, TileHits* hits) {
  std::uint32_t kept = 0;
  for (int h = 0; h < kHalves; ++h) {
    const Floats width = multiply_add(panel.residual_factors[q], rows.residual[h],
                                      panel.length_factors[q] * rows.length[h]);
    const Floats bias = multiply_add(panel.mean_shares[q], rows.bias[h], width);
    const Floats upper = multiply_add(as_floats(products + kVectorLanes * h), rows.scale[h], bias);
    kept |= not_below(upper, threshold) << kVectorLanes * h;
  }
  kept &= rankable;
  hits->rows[q] = kept;
  if (__builtin_expect(kept == 0, 1)) return;
  hits->queries |= 1u << q;
  for (int h = 0; h < kHalves; ++h) {
    const Floats bias = panel.mean_shares[q] * rows.bias[h];
    store_floats(hits->middles[q] + kVectorLanes * h,
                 multiply_add(as_floats(products + kVectorLanes * h), rows.scale[h], bias));
    store_floats(hits->widths[q] + kVectorLanes * h,
                 multiply_add(panel.residual_factors[q], rows.residual[h],
                              panel.length_factors[q] * rows.length[h]));
  }
}

// What a row's middle must reach in this block for its upper bound to reach the threshold,
// whichever row it is: the threshold less the widest bound of the block, and a little for rounding.
// NaN where a bound or a threshold is infinite, and then every row is looked at.
FASTVBENCH_INLINE void least_middles(const FilterPanel& panel, const float* peaks,
                                     const float* thresholds, float* least) {
  constexpr float kBlockRounding = 9.5367431640625e-07f;  // 2^-20
  const Floats lengths = peaks[1] * load_floats(panel.length_factors);
  const Floats widest = multiply_add(peaks[0], load_floats(panel.residual_factors), lengths);
  float widths[kVectorLanes];
  store_floats(widths, widest);
  for (int q = 0; q < kVectorLanes; ++q) {
    const float rounding = kBlockRounding * (__builtin_fabsf(thresholds[q]) + widths[q]);
    least[q] = thresholds[q] - widths[q] - rounding;
  }
}

// Whether some row's middle is not below `least`.
template <bool kIsCentred>
FASTVBENCH_INLINE bool reaches(const std::int32_t* products, const RowTerms& rows, float mean_share,
                               float least) {
  std::uint32_t reached = 0;
  for (int h = 0; h < kHalves; ++h) {
    const Floats lanes = as_floats(products + kVectorLanes * h);
    const Floats middle = kIsCentred ? multiply_add(lanes, rows.scale[h], mean_share * rows.bias[h])
                                     : lanes * rows.scale[h];
    reached |= not_below(middle, least);
  }
  return reached != 0;
}

template <int kQueries, bool kIsCentred>
FASTVBENCH_INLINE bool bound_queries(const std::int32_t (*products)[kBlockRows],
                                     const FilterBlocks& blocks, std::int64_t block,
                                     const FilterPanel& panel, const float* thresholds,
                                     const float* least, TileHits* hits) {
  const RowTerms rows = load_terms(blocks.terms + block * 4 * kBlockRows);
  hits->queries = 0;
  for (int q = 0; q < kQueries; ++q) {
    if (__builtin_expect(reaches<kIsCentred>(products[q], rows, panel.mean_shares[q], least[q]),
                         0)) {
      bound_rows(products[q], rows, panel, q, blocks.rankable[block], thresholds[q], hits);
    }
  }
  return hits->queries != 0;
}

template <int kQueries>
FASTVBENCH_INLINE bool bound_tile(const std::int32_t (*products)[kBlockRows],
                                  const FilterBlocks& blocks, std::int64_t block,
                                  const FilterPanel& panel, const float* thresholds,
                                  TileHits* hits) {
  float least[kPanelRoom];
  least_middles(panel, blocks.peaks + 2 * block, thresholds, least);
  return panel.is_centred ? bound_queries<kQueries, true>(products, blocks, block, panel,
                                                          thresholds, least, hits)
                          : bound_queries<kQueries, false>(products, blocks, block, panel,
                                                           thresholds, least, hits);
}

}  // namespace

template <CodeWidth kWidth, int kQueries>
std::int64_t scan_codes(const FilterBlocks& blocks, std::int64_t begin, std::int64_t end,
                        const FilterPanel& panel, const float* thresholds, TileHits* hits) {
  alignas(64) std::int32_t products[kQueries][kBlockRows];
  const std::int64_t block_bytes = blocks.step_count * 4 * kBlockRows;
  for (std::int64_t block = begin; block < end; ++block) {
    code_tile<kWidth, kQueries>(blocks.codes + block * block_bytes, panel.codes, blocks.step_count,
                                panel.starts, products);
    if (bound_tile<kQueries>(products, blocks, block, panel, thresholds, hits)) return block;
  }
  return end;
}

#define FASTVBENCH_INSTANTIATE(kQueries)                                                          \
  template std::int64_t scan_codes<CodeWidth::kByte, kQueries>(const FilterBlocks&, std::int64_t, \
                                                               std::int64_t, const FilterPanel&,  \
                                                               const float*, TileHits*);          \
  template std::int64_t scan_codes<CodeWidth::kWide, kQueries>(const FilterBlocks&, std::int64_t, \
                                                               std::int64_t, const FilterPanel&,  \
                                                               const float*, TileHits*);
FASTVBENCH_INSTANTIATE(1)
FASTVBENCH_INSTANTIATE(2)
FASTVBENCH_INSTANTIATE(3)
FASTVBENCH_INSTANTIATE(4)
FASTVBENCH_INSTANTIATE(5)
FASTVBENCH_INSTANTIATE(6)
FASTVBENCH_INSTANTIATE(7)
FASTVBENCH_INSTANTIATE(8)
FASTVBENCH_INSTANTIATE(9)
FASTVBENCH_INSTANTIATE(10)
FASTVBENCH_INSTANTIATE(11)
FASTVBENCH_INSTANTIATE(12)
#undef FASTVBENCH_INSTANTIATE

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
