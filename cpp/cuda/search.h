// Exact search and ranks over embeddings in device memory: what fastvbench/search.h says, bit for
// bit, on the caller's stream.
//
// Nothing waits for the device but `prepare` with codes and what says so. As nothing comes back
// to the host, a query or a row that cannot be ranked is no error here: it is left out. Places of
// an answer that no row can fill, and answers of a query that cannot be compared, hold -1 and NaN;
// counts of a relevant row that cannot be ranked are -1.
#pragma once

#include <cstdint>

#include "fastvbench/search.h"
#include "runtime.h"

namespace fastvbench {
namespace cuda {

// What kernels are handed (search_data.h).
struct BlockHead;
struct CodedBlocks;
struct DeviceFrame;
struct ExactRows;
struct RankItems;

struct SearchOptions {
  SearchPath path = SearchPath::kAuto;  // kStream: dot64 on every row; kCoded: the filter
  std::int64_t workspace_bytes = std::int64_t{512} << 20;  // queries and rows are split to fit
  std::int64_t candidate_places = 0;  // rows that the filter keeps of a query; 0 chooses
};

/// Rows of device memory, prepared for searches. Borrows the rows. Used by one thread at a time.
class DeviceGallery {
 public:
  /// `with_codes` is for many searches: what the filter needs is made, and `fault_count` is known
  /// afterwards; this waits for the stream. Without, nothing is read before a search.
  CudaStatus prepare(const EmbeddingRows& rows, Similarity similarity, bool with_codes,
                     Stream stream);

  const EmbeddingRows& rows() const { return rows_; }
  Similarity similarity() const { return similarity_; }
  std::int64_t fault_count() const { return fault_count_; }
  std::int64_t rankable_count() const { return rows_.count - fault_count_; }
  std::int64_t memory_bytes() const;
  /// RowFault of each row, of a gallery with codes. Waits.
  CudaStatus read_faults(std::uint8_t* faults, Stream stream) const;

  /// Which path a call takes and why; k is 0 for ranks. Ask before the call, which may make codes.
  SearchPlan plan(std::int64_t query_count, std::int64_t k, SearchPath wanted) const;

  /// The best k rows of each query: `indices` and `scores` are [queries.count][k] of device memory,
  /// 1 <= k <= rows().count. Queries have the gallery's dimension and any type.
  CudaStatus search(const EmbeddingRows& queries, std::int64_t k, const SearchOptions& options,
                    Stream stream, std::int64_t* indices, double* scores);

  /// Everything is device memory: relevant rows, which may hold any number, and the counts. Null
  /// offsets stand for one relevant row of each query.
  CudaStatus ranks(const EmbeddingRows& queries, const RelevantRows& relevant,
                   std::int64_t item_count, const SearchOptions& options, Stream stream,
                   const RankColumns& out);

 private:
  struct Queries;
  CudaStatus measure(std::uint8_t* faults, std::int64_t* fault_count, Stream stream);
  CudaStatus encode(Stream stream);
  CudaStatus load(const EmbeddingRows& rows, Stream stream, Queries* queries) const;
  CudaStatus search_filtered(const Queries& queries, std::int64_t k, const SearchOptions& options,
                             Stream stream, std::int64_t* indices, double* scores) const;
  CudaStatus search_exactly(const Queries& queries, std::int64_t k, std::int64_t workspace_bytes,
                            Stream stream, std::int64_t* indices, double* scores) const;
  CudaStatus ranks_filtered(const Queries& queries, const RankItems& items, std::int64_t item_count,
                            std::int64_t workspace_bytes, Stream stream) const;
  ExactRows exact_rows() const;
  CodedBlocks coded_blocks() const;

  EmbeddingRows rows_;
  Similarity similarity_ = Similarity::kDot;
  std::int64_t fault_count_ = 0;
  std::int32_t multiprocessors_ = 1;
  std::int64_t shared_bytes_ = 48 * 1024;
  bool has_norms_ = false;
  bool has_codes_ = false;
  std::int32_t word_count_ = 0;
  std::int32_t block_count_ = 0;
  std::int32_t multiplier_ = 1;  // of the order in which blocks are visited
  DeviceBuffer<double> norms_;
  DeviceBuffer<std::uint8_t> faults_;
  DeviceBuffer<DeviceFrame> frame_;
  DeviceBuffer<float> mean_;
  // Written by kernels alone, which get plain pointers from const members too.
  mutable DeviceBuffer<std::uint32_t> codes_;
  mutable DeviceBuffer<float> terms_;
  mutable DeviceBuffer<BlockHead> heads_;
};

/// Faults of rows in device memory, to the host: for queries that are to be checked. Waits.
CudaStatus find_faults(const EmbeddingRows& rows, Similarity similarity, Stream stream,
                       std::uint8_t* faults, std::int64_t* fault_count);

}  // namespace cuda
}  // namespace fastvbench
