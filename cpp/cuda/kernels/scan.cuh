// The filter: products of codes, bounds, and which rows matter to which query.
//
// A warp takes one block of 32 rows against kPanels panels of 32 queries. Rows go straight from
// memory into registers, queries wait in shared memory; no thread waits for another warp. One
// 16-byte load brings four vectors' words at one place, and as the order of vectors within an mma
// is free, that is what a lane needs: with g = lane / 4 and t = lane % 4, a lane loads words t and
// t + 4 of vectors 4 g .. 4 g + 3, and column g of the j-th mma is row 4 g + j. A lane then holds
// the products of queries 4 g .. 4 g + 3 of each panel with rows 8 t .. 8 t + 7.
#pragma once

#include "kernels/dot64.cuh"
#include "kernels/sinks.cuh"
#include "search_data.h"

namespace fastvbench {
namespace cuda {

constexpr int kScanThreads = 256;
constexpr int kScanWarps = kScanThreads / kWarpSize;
constexpr int kTileStride =
    36;  // words between queries of a tile: 16-byte stores without conflicts
constexpr int kTileWords = kPanelRows * kTileStride;
constexpr int kQueryTerms = 4;  // floats that each query of the scan has in shared memory

// Sums of products start here: as long as they stay below 2^22 in magnitude (kProductLimit), their
// bits are those of a float32 that is kExactShift more, and one subtraction converts them exactly.
constexpr std::int32_t kExactBits = 0x4B400000;
constexpr float kExactShift = 12582912.0f;  // 1.5 * 2^23

FASTVBENCH_DEVICE float product_of(std::int32_t bits) {
  return same_bits<float>(bits) - kExactShift;
}

/// Dynamic shared memory of a scan with its queries' codes at hand.
constexpr std::int64_t scan_shared_bytes(int panels, std::int64_t word_count, bool is_resident) {
  return 4 * (kScanWarps * kTileWords + panels * kPanelRows * kQueryTerms +
              (is_resident ? panels * kPanelRows * word_count : 0));
}

struct FourFloats {
  float value[4];
};
FASTVBENCH_DEVICE FourFloats load_floats4(const float* from) {
  return same_bits<FourFloats>(load_words4(from));
}

/// What a row's middle must reach for its upper bound to reach the threshold, whichever row of the
/// block it is (bound.h, 8).
FASTVBENCH_DEVICE float least_middle(float threshold, float residual_factor, float length_factor,
                                     const BlockHead& head) {
  const float widest = std::fma(residual_factor, head.residual, length_factor * head.length);
  const float rounding = 0x1p-20f * (std::fabs(threshold) + widest);
  return threshold - widest - rounding;
}

/// Which of the lane's four queries of a panel, by bit, have a row that may matter.
template <int kMmaRows, int kMmaColumns>
FASTVBENCH_DEVICE std::uint32_t reaching(const std::int32_t (&sums)[kMmaRows][kMmaColumns][4],
                                         const float (&steps)[8], const float (&biases)[8],
                                         const FourFloats& shares, const FourFloats& leasts) {
  std::uint32_t reached = 0;
  FASTVBENCH_UNROLL
  for (int q = 0; q < 4; ++q) {
    bool is_reached = false;
    FASTVBENCH_UNROLL
    for (int r = 0; r < 8; ++r) {
      const float product = product_of(sums[q / 2][r % 4][2 * (q % 2) + r / 4]);
      const float middle = std::fma(product, steps[r], shares.value[q] * biases[r]);
      is_reached |= !(middle < leasts.value[q]);
    }
    reached |= (is_reached ? 1u : 0u) << q;
  }
  return reached;
}

/// Groups of panels are the grid's first dimension: blocks that run together then read the same
/// rows, which come from memory once.
template <int kPanels, bool kIsResident, typename Sink>
FASTVBENCH_KERNEL_BOUNDED(scan_kernel, kScanThreads, 1)(CodedBlocks rows, CodedPanels queries,
                                                        const float* thresholds, Visit visit,
                                                        Sink sink) {
  auto* tiles = dynamic_shared<std::uint32_t>();
  auto* shares = reinterpret_cast<float*>(tiles + kScanWarps * kTileWords);
  float* residual_factors = shares + kPanels * kPanelRows;
  float* length_factors = residual_factors + kPanels * kPanelRows;
  float* own_thresholds = length_factors + kPanels * kPanelRows;
  auto* own_codes = reinterpret_cast<std::uint32_t*>(own_thresholds + kPanels * kPanelRows);
  const std::int32_t word_count = rows.word_count;
  const std::int32_t first_query = block_index() * kPanels * kPanelRows;
  const std::uint32_t* panel_codes = queries.codes + std::int64_t{first_query} * word_count;
  for (int i = thread_index(); i < kPanels * kPanelRows; i += thread_count()) {
    shares[i] = queries.mean_shares[first_query + i];
    residual_factors[i] = queries.residual_factors[first_query + i];
    length_factors[i] = queries.length_factors[first_query + i];
    own_thresholds[i] = thresholds[first_query + i];
  }
  if constexpr (kIsResident) {
    for (std::int32_t i = 4 * thread_index(); i < kPanels * kPanelRows * word_count;
         i += 4 * thread_count()) {
      store_words4(own_codes + i, load_words4(panel_codes + i));
    }
  }
  sync_block();
  const std::uint32_t* codes = kIsResident ? own_codes : panel_codes;
  std::uint32_t* tile = tiles + warp_index() * kTileWords;
  const std::int32_t group = lane_index() / 4;
  const std::int32_t turn = lane_index() % 4;
  const std::int32_t lane_offset = turn * kPanelRows + 4 * group;
  const std::int64_t step_words = kStepWords * kPanelRows;

  for (std::int64_t i = visit.begin + block_index_y() * kScanWarps + warp_index(); i < visit.end;
       i += std::int64_t{block_count_y()} * kScanWarps) {
    const std::int64_t block = i * visit.multiplier % rows.block_count;
    const std::uint32_t* own_rows = rows.codes + block * word_count * kBlockRows + lane_offset;
    std::int32_t sums[kPanels][2][4][4];
    FASTVBENCH_UNROLL
    for (int p = 0; p < kPanels; ++p) {
      FASTVBENCH_UNROLL
      for (int n = 0; n < 32; ++n) sums[p][n / 16][n / 4 % 4][n % 4] = kExactBits;
    }
    // Vectors are padded to whole pairs of steps, and the next pair comes while one is multiplied.
    Words4 next[2][2];
    FASTVBENCH_UNROLL
    for (int n = 0; n < 4; ++n) {
      next[n / 2][n % 2] = load_words4(own_rows + n / 2 * step_words + n % 2 * 4 * kBlockRows);
    }
    const std::uint32_t* own_queries = codes + lane_offset;
    for (std::int32_t word = 0; word < word_count; word += 2 * kStepWords) {
      Words4 now[2][2];
      FASTVBENCH_UNROLL
      for (int n = 0; n < 4; ++n) now[n / 2][n % 2] = next[n / 2][n % 2];
      own_rows += 2 * step_words;
      if (word + 2 * kStepWords < word_count) {
        FASTVBENCH_UNROLL
        for (int n = 0; n < 4; ++n) {
          next[n / 2][n % 2] = load_words4(own_rows + n / 2 * step_words + n % 2 * 4 * kBlockRows);
        }
      }
      FASTVBENCH_UNROLL
      for (int s = 0; s < 2; ++s) {
        FASTVBENCH_UNROLL
        for (int p = 0; p < kPanels; ++p) {
          const std::uint32_t* from = own_queries + std::int64_t{p} * word_count * kPanelRows;
          const Words4 low = load_words4(from);
          const Words4 high = load_words4(from + 4 * kPanelRows);
          FASTVBENCH_UNROLL
          for (int m = 0; m < 2; ++m) {
            const std::uint32_t a[4] = {low.word[2 * m], low.word[2 * m + 1], high.word[2 * m],
                                        high.word[2 * m + 1]};
            FASTVBENCH_UNROLL
            for (int n = 0; n < 4; ++n) {
              const std::uint32_t b[2] = {now[s][0].word[n], now[s][1].word[n]};
              mma_m16n8k32_s8(sums[p][m][n], a, b);
            }
          }
        }
        own_queries += step_words;
      }
    }

    const BlockHead head = rows.heads[block];
    const float* terms = rows.terms + block * 4 * kBlockRows;
    float steps[8];
    float biases[8];
    FASTVBENCH_UNROLL
    for (int n = 0; n < 2; ++n) {
      const FourFloats four_steps = load_floats4(terms + 8 * turn + 4 * n);
      const FourFloats four_biases = load_floats4(terms + 3 * kBlockRows + 8 * turn + 4 * n);
      FASTVBENCH_UNROLL
      for (int j = 0; j < 4; ++j) {
        steps[4 * n + j] = four_steps.value[j];
        biases[4 * n + j] = four_biases.value[j];
      }
    }
    FASTVBENCH_UNROLL
    for (int p = 0; p < kPanels; ++p) {
      const std::int32_t first = p * kPanelRows + 4 * group;
      const FourFloats limits = load_floats4(own_thresholds + first);
      const FourFloats outer = load_floats4(residual_factors + first);
      const FourFloats inner = load_floats4(length_factors + first);
      FourFloats leasts;
      FASTVBENCH_UNROLL
      for (int q = 0; q < 4; ++q) {
        leasts.value[q] = least_middle(limits.value[q], outer.value[q], inner.value[q], head);
      }
      const std::uint32_t reached =
          reaching(sums[p], steps, biases, load_floats4(shares + first), leasts);
      if (!any(reached != 0)) continue;
      // Seldom: lane by lane a row, query by query that has one.
      FASTVBENCH_UNROLL
      for (int n = 0; n < 8; ++n) {
        const int q = n / 2;
        Words4 four;
        FASTVBENCH_UNROLL
        for (int j = 0; j < 4; ++j) {
          four.word[j] = static_cast<std::uint32_t>(sums[p][q / 2][j][2 * (q % 2) + n % 2]);
        }
        store_words4(tile + (4 * group + q) * kTileStride + 8 * turn + 4 * (n % 2), four);
      }
      sync_warp();
      const float* row_terms = terms + lane_index();
      const float step = row_terms[0];
      const float residual = row_terms[kBlockRows];
      const float length = row_terms[2 * kBlockRows];
      const float bias = row_terms[3 * kBlockRows];
      const bool is_rankable = (head.rankable >> lane_index() & 1) != 0;
      const auto row = static_cast<std::uint32_t>(block * kBlockRows + lane_index());
      for (int q = 0; q < 4; ++q) {
        std::uint32_t lanes = ballot((reached >> q & 1) != 0);
        lanes |= lanes >> 1;
        lanes |= lanes >> 2;
        lanes &= 0x11111111u;  // the first lane of each group, which is four times its number
        for (; lanes != 0; lanes &= lanes - 1) {
          const std::int32_t in_panel = lowest_bit(lanes) + q;
          const std::int32_t own = p * kPanelRows + in_panel;
          if (first_query + own >= queries.query_count) continue;
          const float product =
              product_of(static_cast<std::int32_t>(tile[in_panel * kTileStride + lane_index()]));
          const float middle = std::fma(product, step, shares[own] * bias);
          const float width =
              std::fma(residual_factors[own], residual, length_factors[own] * length);
          sink.take(first_query + own, row, is_rankable, middle, width, own_thresholds[own]);
        }
      }
      sync_warp();
    }
  }
}

/// The same for a single query, by dot4: bound by reading the codes. `query_codes` is its panel.
template <typename Sink>
FASTVBENCH_KERNEL_BOUNDED(scan_one_kernel, kScanThreads, 2)(CodedBlocks rows, CodedPanels queries,
                                                            const float* thresholds, Visit visit,
                                                            Sink sink) {
  auto* codes = dynamic_shared<std::uint32_t>();
  for (std::int32_t i = thread_index(); i < rows.word_count; i += thread_count()) {
    codes[i] = queries.codes[i * kPanelRows];
  }
  sync_block();
  const float share = queries.mean_shares[0];
  const float residual_factor = queries.residual_factors[0];
  const float length_factor = queries.length_factors[0];
  const float threshold = thresholds[0];
  const std::int32_t group = lane_index() / 4;
  const std::int32_t turn = lane_index() % 4;
  for (std::int64_t i = visit.begin + block_index() * kScanWarps + warp_index(); i < visit.end;
       i += std::int64_t{block_count()} * kScanWarps) {
    const std::int64_t block = i * visit.multiplier % rows.block_count;
    const std::uint32_t* from =
        rows.codes + block * rows.word_count * kBlockRows + turn * kBlockRows + 4 * group;
    std::int32_t sums[4] = {};
    for (std::int32_t word = 0; word < rows.word_count; word += 2 * kStepWords) {
      Words4 four[4];
      FASTVBENCH_UNROLL
      for (int n = 0; n < 4; ++n) four[n] = load_words4(from + (word + 4 * n) * kBlockRows);
      FASTVBENCH_UNROLL
      for (int n = 0; n < 4; ++n) {
        const std::uint32_t query = codes[word + 4 * n + turn];
        FASTVBENCH_UNROLL
        for (int j = 0; j < 4; ++j) sums[j] = dot4(four[n].word[j], query, sums[j]);
      }
    }
    FASTVBENCH_UNROLL
    for (int j = 0; j < 4; ++j) {
      sums[j] += shuffle_xor(sums[j], 1);
      sums[j] += shuffle_xor(sums[j], 2);
    }
    // Lane 4 g + t is row 4 g + t.
    const std::int32_t pair[2] = {turn % 2 == 0 ? sums[0] : sums[1],
                                  turn % 2 == 0 ? sums[2] : sums[3]};
    const auto product = static_cast<float>(turn < 2 ? pair[0] : pair[1]);
    const BlockHead head = rows.heads[block];
    const float* terms = rows.terms + block * 4 * kBlockRows + lane_index();
    const float middle = std::fma(product, terms[0], share * terms[3 * kBlockRows]);
    const float width =
        std::fma(residual_factor, terms[kBlockRows], length_factor * terms[2 * kBlockRows]);
    const bool is_rankable = (head.rankable >> lane_index() & 1) != 0;
    if (!any(is_rankable && !(middle + width < threshold))) continue;
    sink.take(0, static_cast<std::uint32_t>(block * kBlockRows + lane_index()), is_rankable, middle,
              width, threshold);
  }
}

}  // namespace cuda
}  // namespace fastvbench
