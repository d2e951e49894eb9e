// Exact similarity search and rank counting over dense embeddings.
//
// Exact means: as if every row's key were computed by `dot64` and all rows were sorted.
//   dot64(a, b)   lane j of 16 adds the products of dimensions j, j + 16, ... in rising order, in
//                 float64; then lane j takes in lane j + 8, then j + 4, j + 2, j + 1; then + 0.0,
//                 so that -0 ties with +0. Products of float32 values are exact in float64.
//   key           dot: dot64(query, row); cosine: dot64(query, row) / sqrt(dot64(row, row))
//   order         key descending, row ascending
//   score         dot: the key; cosine: key / sqrt(dot64(query, query))
// Results don't depend on the CPU level, the number of threads, or what else is in the batch.
#pragma once

#include <cstdint>

#include "fastvbench/run_context.h"
#include "fastvbench/status.h"

namespace fastvbench {

enum class ElementType : std::int32_t { kFloat32 = 0, kFloat16 = 1, kBfloat16 = 2 };
enum class Similarity : std::int32_t { kDot = 0, kCosine = 1 };

/// Bytes of one value.
constexpr std::int64_t element_size(ElementType type) {
  return type == ElementType::kFloat32 ? 4 : 2;
}

/// Vectors of `dimension` values, one after the other, borrowed.
struct EmbeddingRows {
  const void* data = nullptr;
  std::int64_t count = 0;
  std::int64_t dimension = 0;
  ElementType type = ElementType::kFloat32;

  const void* row(std::int64_t index) const {
    return static_cast<const char*>(data) + index * dimension * element_size(type);
  }
  EmbeddingRows part(std::int64_t begin, std::int64_t end) const {
    return {row(begin), end - begin, dimension, type};
  }
};

/// Why a row cannot be ranked.
enum class RowFault : std::uint8_t { kNone = 0, kNan = 1, kInfinite = 2, kZero = 3 };

/// The fault of each row: NaN and infinity always, all zeros for cosine only. Returns through
/// `fault_count` how many rows have one.
Status find_faults(const RunContext& context, const EmbeddingRows& rows, Similarity similarity,
                   std::uint8_t* faults, std::int64_t* fault_count);

/// How a call goes over the gallery. Every path gives the same answer.
enum class SearchPath : std::int32_t {
  kAuto = 0,    // the planner decides
  kStream = 1,  // dot64 on every row, in the order they lie in memory: nothing to prepare
  kWide = 2,    // a filter of wide codes, whose bounds are close: for small galleries
  kCoded = 3,   // a filter of int8 codes, which are small and fast
  kFloat = 4,   // a filter of float32 sums over the rows as they lie: nothing to prepare
};

/// What a path costs and why the planner took it.
struct SearchPlan {
  SearchPath path = SearchPath::kStream;
  const char* reason = "";
  std::int64_t tile_rows = 0;   // rows prepared at a time; all of them where prepared beforehand
  std::int64_t query_rows = 0;  // queries that go over the gallery together
};

/// What is done before the first search.
enum class Preparation : std::int32_t {
  kNone = 0,    // nothing: a search that meets a row with a fault fails and names it
  kFaults = 1,  // rows with a fault are found, and left out of every answer
  kCodes = 2,   // that, and what the filters need
};

struct GalleryData;

/// A gallery prepared for many searches. Borrows the rows, which must stay as they are.
class Gallery {
 public:
  Gallery() = default;
  ~Gallery();
  Gallery(const Gallery&) = delete;
  Gallery& operator=(const Gallery&) = delete;

  /// Reads the rows at most once. May be called again with other rows: memory is used again. Not
  /// while another thread searches. After a failure the gallery must be prepared again.
  Status prepare(const RunContext& context, const EmbeddingRows& rows, Similarity similarity,
                 Preparation preparation);

  const EmbeddingRows& rows() const;
  Similarity similarity() const;
  std::int64_t fault_count() const;
  const std::uint8_t* faults() const;  // RowFault of each row; null where none was looked for
  std::int64_t rankable_count() const { return rows().count - fault_count(); }
  std::int64_t memory_bytes() const;

  SearchPlan plan(std::int64_t query_count, std::int64_t k, SearchPath wanted) const;
  SearchPlan rank_plan(std::int64_t query_count, SearchPath wanted) const;

  /// The best `k` rows of each query. `k` is 1 to rankable_count(); `indices` and `scores` are
  /// [queries.count][k]. Fails with kInvalidArgument where a query has a fault, or a row of the
  /// gallery has one that `prepare` did not look for; find_faults tells which.
  Status search(const RunContext& context, const EmbeddingRows& queries, std::int64_t k,
                SearchPath wanted, std::int64_t* indices, double* scores) const;

  /// Where relevant rows stand, counted over the whole gallery; see RankColumns.
  Status ranks(const RunContext& context, const EmbeddingRows& queries,
               const struct RelevantRows& relevant, SearchPath wanted,
               const struct RankColumns& out) const;

 private:
  Status prepare_rows(const RunContext& context, const EmbeddingRows& rows, Similarity similarity,
                      Preparation preparation);

  GalleryData* data_ = nullptr;
};

/// Query i asks for rows values[offsets[i] .. offsets[i + 1]) of the gallery, each rankable.
struct RelevantRows {
  const std::int64_t* values = nullptr;
  const std::int64_t* offsets = nullptr;
  /// Position of each gallery row in an order of the caller's, or null.
  const std::int64_t* order = nullptr;
};

/// One entry per relevant row, in the order of RelevantRows::values.
struct RankColumns {
  std::int64_t* above;                 // rows whose key is higher
  std::int64_t* tied;                  // rows with the same key, itself included
  std::int64_t* tied_before;           // of those, rows with a lower number
  std::int64_t* tied_before_in_order;  // of those, rows earlier in `order`; null where it is null
};

}  // namespace fastvbench
