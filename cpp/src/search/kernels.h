// The loops of this room that exist once per CPU level, and the table that picks a level's.
#pragma once

#include <cstdint>

#include "search/bound.h"

namespace fastvbench {

constexpr int kFloatQueries = 4;  // queries that rows as they lie are multiplied with together

/// How many bits a code has: a byte, or as many as fit the sum of all products (wide_code_limit).
enum class CodeWidth { kByte, kWide };

constexpr std::int64_t steps_of(std::int64_t dimension, CodeWidth width) {
  return width == CodeWidth::kByte ? (dimension + 3) / 4 : (dimension + 1) / 2;
}

/// One vector as codes: value = step * code + residual.
struct CodedVector {
  double residual_square;    // sum of squared residuals
  double mean_product;       // sum of mean * value
  std::int64_t code_square;  // sum of squared codes
  std::int64_t code_sum;
};

/// One row as byte codes, with float32 sums of `dimension` squares (bound.h, 4).
struct CodedRow {
  double residual_square;
  double code_square;
  double mean_product;  // sum of mean * value, in float64
};

/// Gallery blocks of kBlockRows rows as a filter reads them, in steps of four bytes: four codes
/// plus 128 as uint8, or two wide codes as int16.
struct FilterBlocks {
  const std::uint8_t* codes;      // [block][step][row][4 bytes]
  const float* terms;             // [block][scale, residual, length, bias][row]: c, e, m, r
  const float* peaks;             // [block][largest residual, largest length of its rows]
  const std::uint32_t* rankable;  // [block]: bit per row
  std::int64_t step_count;
};

constexpr int kPanelRoom = 16;  // kPanelQueries in whole registers

/// Up to kPanelQueries queries as a filter reads them; the terms are those of bound.h.
struct FilterPanel {
  const std::uint8_t* codes;           // [step][query][4 bytes]: int8, or wide codes as int16
  std::int32_t starts[kPanelRoom];     // -128 * sum of codes; 0 for wide codes
  float mean_shares[kPanelRoom];       // t'
  float residual_factors[kPanelRoom];  // A
  float length_factors[kPanelRoom];    // B
  bool is_centred;                     // whether any t' is not 0
};

/// Rows of one block that reach a query's threshold, with their bounds middle +- width.
struct TileHits {
  std::uint32_t queries;  // bit per query that has any
  std::uint32_t rows[kPanelQueries];
  alignas(64) float middles[kPanelQueries][kBlockRows];
  alignas(64) float widths[kPanelQueries][kBlockRows];
};

/// Scans blocks from `begin` on until one has a row whose upper bound is not below a query's
/// threshold. Returns that block, or `end`. `thresholds` has room for kPanelRoom values.
using ScanBlocks = std::int64_t (*)(const FilterBlocks& blocks, std::int64_t begin,
                                    std::int64_t end, const FilterPanel& panel,
                                    const float* thresholds, TileHits* hits);

struct SearchKernels {
  /// out[i] = dot64(a[i], b[i]).
  void (*dot64_pairs)(const float* const* a, const float* const* b, std::int64_t count,
                      std::int64_t dimension, double* out);
  /// out[q * stride + i] = float32 sum of rows[i] with queries[q], off by at most
  /// float_rounding(dimension) |row||query| and a little underflow. `query_count` is a multiple of
  /// kFloatQueries.
  void (*dot32_rows)(const float* const* rows, std::int64_t count, const float* const* queries,
                     std::int64_t query_count, std::int64_t dimension, std::int64_t stride,
                     float* out);
  void (*widen_halves)(const std::uint16_t* from, std::int64_t count, float* to);
  void (*widen_brain_floats)(const std::uint16_t* from, std::int64_t count, float* to);

  /// The largest of |factor * values[d] - mean_factor * mean[d]| in float32 arithmetic, NaN passed
  /// over. `mean` may be null (it then counts as zeros), and has zeros up to a multiple of 16.
  float (*largest_magnitude)(const float* values, std::int64_t dimension, float factor,
                             float mean_factor, const float* mean);
  /// Codes of v = factor * values - mean_factor * mean, in float64: v / step, rounded; zeros up to
  /// a multiple of 16. |v| / step must stay below 32767.5 unless it is not finite. The mean product
  /// is 0 where `mean` is null.
  void (*encode_vector)(const float* values, std::int64_t dimension, double factor,
                        double mean_factor, const float* mean, double step, std::int16_t* codes,
                        CodedVector* out);
  /// Byte codes of v = factor * values - mean, in float32; zeros up to a multiple of 16. |v| / step
  /// must stay below 127.5 unless it is not finite. `mean` as above; the mean product is then 0.
  void (*encode_row)(const float* values, std::int64_t dimension, float factor, const float* mean,
                     float step, std::int8_t* codes, CodedRow* out);
  /// Vectors of codes, `stride` codes apart, as [step][vector][4 bytes] with room for
  /// `width_vectors` in a step.
  void (*interleave_codes)(const std::int16_t* codes, std::int64_t stride, int vector_count,
                           std::int64_t step_count, CodeWidth width, std::uint8_t* to,
                           int width_vectors);
  /// The same of kBlockRows rows of byte codes, plus 128. `to` is aligned to 64 bytes; it is
  /// written past the caches where no cache would hold it until it is read.
  void (*interleave_rows)(const std::int8_t* codes, std::int64_t stride, std::int64_t step_count,
                          bool is_past_cache, std::uint8_t* to);

  /// Appends the rows of a block whose bit is set to three columns, as middle -+ width; a lower
  /// bound that is not finite becomes minus infinity, an upper one that is NaN infinity. Returns
  /// how many; kBlockRows places behind the columns' end may be written.
  std::int64_t (*append_rows)(const float* middles, const float* widths, std::uint32_t rows,
                              std::uint32_t block_row, float* lowers, float* uppers,
                              std::uint32_t* to_rows);
  /// Keeps, in order, what is not below the threshold. Returns how many.
  std::int64_t (*keep_not_below)(float* lowers, float* uppers, std::uint32_t* rows,
                                 std::int64_t count, float threshold);
  /// The `wanted`-th largest of `count` values without NaN; 1 <= wanted <= count.
  float (*kth_largest)(const float* values, std::int64_t count, std::int64_t wanted);

  int query_code_limit;                      // what the level's products can take
  ScanBlocks scan_codes[kPanelQueries + 1];  // by number of queries
  ScanBlocks scan_wide_codes[kPanelQueries + 1];
};

/// The table of the CPU level in use.
const SearchKernels& search_kernels();

#define FASTVBENCH_DECLARE_SEARCH_LEVEL(level)                                                  \
  namespace level {                                                                             \
  void dot64_pairs(const float* const* a, const float* const* b, std::int64_t count,            \
                   std::int64_t dimension, double* out);                                        \
  void dot32_rows(const float* const* rows, std::int64_t count, const float* const* queries,    \
                  std::int64_t query_count, std::int64_t dimension, std::int64_t stride,        \
                  float* out);                                                                  \
  void widen_halves(const std::uint16_t* from, std::int64_t count, float* to);                  \
  void widen_brain_floats(const std::uint16_t* from, std::int64_t count, float* to);            \
  float largest_magnitude(const float* values, std::int64_t dimension, float factor,            \
                          float mean_factor, const float* mean);                                \
  void encode_vector(const float* values, std::int64_t dimension, double factor,                \
                     double mean_factor, const float* mean, double step, std::int16_t* codes,   \
                     CodedVector* out);                                                         \
  void encode_row(const float* values, std::int64_t dimension, float factor, const float* mean, \
                  float step, std::int8_t* codes, CodedRow* out);                               \
  void interleave_codes(const std::int16_t* codes, std::int64_t stride, int vector_count,       \
                        std::int64_t step_count, CodeWidth width, std::uint8_t* to,             \
                        int width_vectors);                                                     \
  void interleave_rows(const std::int8_t* codes, std::int64_t stride, std::int64_t step_count,  \
                       bool is_past_cache, std::uint8_t* to);                                   \
  std::int64_t append_rows(const float* middles, const float* widths, std::uint32_t rows,       \
                           std::uint32_t block_row, float* lowers, float* uppers,               \
                           std::uint32_t* to_rows);                                             \
  std::int64_t keep_not_below(float* lowers, float* uppers, std::uint32_t* rows,                \
                              std::int64_t count, float threshold);                             \
  float kth_largest(const float* values, std::int64_t count, std::int64_t wanted);              \
  template <CodeWidth kWidth, int kQueries>                                                     \
  std::int64_t scan_codes(const FilterBlocks& blocks, std::int64_t begin, std::int64_t end,     \
                          const FilterPanel& panel, const float* thresholds, TileHits* hits);   \
  }
FASTVBENCH_DECLARE_SEARCH_LEVEL(level_scalar)
#ifdef FASTVBENCH_X86_LEVELS
FASTVBENCH_DECLARE_SEARCH_LEVEL(level_avx2)
FASTVBENCH_DECLARE_SEARCH_LEVEL(level_avx512)
#endif
#undef FASTVBENCH_DECLARE_SEARCH_LEVEL

}  // namespace fastvbench
