// What the search kernels read, as structs that a launch takes by value. All pointers are device
// memory; the terms are those of search/bound.h.
#pragma once

#include <cstdint>

#include "fastvbench/search.h"
#include "search/bound_terms.h"

namespace fastvbench {
namespace cuda {

constexpr int kPanelRows = 32;         // queries of a panel; a block of rows has kBlockRows
constexpr int kStepWords = 8;          // words of a vector that one mma takes: 32 codes
constexpr int kPaddedDimensions = 64;  // codes of a vector are padded to a multiple
constexpr int kMostPanels = 4;         // panels that a warp of the scan holds
// Half a code per dimension, times the longest vector of codes, stays below 2^21 (kProductLimit).
constexpr std::int64_t kMostDeviceDimensions = 32768;
// Products of codes stay below 2^22 in magnitude, so that they are exact as float32 however they
// are converted. Queries are coded coarsely enough for that; 2^14 less, for the rounding of norms.
constexpr double kProductLimit = 0x1p22 - 0x1p14;

/// Scale and mean of a gallery, and what is known once its rows are coded.
struct DeviceFrame {
  double scale;
  double mean_norm;
  std::int32_t is_centred;
  std::uint32_t largest_code_norm;  // a float's bits: at least |code| of every row
};

/// The least a scan must know of a block before it looks at its rows.
struct BlockHead {
  float residual;          // the largest e
  float length;            // the largest m
  std::uint32_t rankable;  // bit per row
  std::uint32_t unused;
};

/// Rows as codes: [block][word][row], four codes a word, and [block][c, e, m, r][row].
struct CodedBlocks {
  std::uint32_t* codes;
  float* terms;
  BlockHead* heads;
  std::int32_t word_count;
  std::int32_t block_count;
  std::int32_t row_count;
};

/// Queries as codes, [panel][word][query], in whole groups of kMostPanels panels.
struct CodedPanels {
  std::uint32_t* codes;
  float* mean_shares;
  float* residual_factors;
  float* length_factors;
  KeyScale* scales;
  std::int32_t word_count;
  std::int32_t query_count;
};

/// Rows as they lie, and what is known of each.
struct ExactRows {
  const void* values;
  const double* norms;  // sqrt(dot64(row, row)); null for dot
  std::int64_t dimension;
  std::int32_t count;
};

/// Float32 queries; the norm of one that cannot be compared is NaN.
struct ExactQueries {
  const float* values;
  const double* norms;
  std::int32_t count;
};

/// Blocks [begin, end) of an order that goes all over the gallery: the i-th is
/// i * multiplier % block_count. Rows that lie together are often alike, and a threshold found
/// from some of them would be of little use for the others.
struct Visit {
  std::int32_t begin;
  std::int32_t end;
  std::int32_t multiplier;
};

/// A threshold that drops every row of which something is known.
constexpr float kDropAll = 3.4028234663852886e+38f;

/// Rows that queries could not rule out: `capacity` places for each query. A count beyond it means
/// that rows were lost.
struct CandidateColumns {
  std::int32_t* counts;
  std::uint32_t* rows;
  float* lowers;
  float* uppers;
  double* keys;
  float* thresholds;      // per query
  std::int32_t* is_lost;  // per query: whether rows were ever lost
  std::int32_t capacity;
};

/// Relevant rows of queries and their counts.
struct RankItems {
  const std::int64_t* rows;
  const std::int64_t* offsets;  // [query_count + 1]
  const std::int64_t* order;    // per gallery row, or null
  const double* keys;           // NaN for an item that cannot be ranked
  std::int64_t* above;
  std::int64_t* tied;
  std::int64_t* tied_before;
  std::int64_t* tied_before_in_order;  // null where `order` is
};

}  // namespace cuda
}  // namespace fastvbench
