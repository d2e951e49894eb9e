// The best rows of queries: by the filter, or by dot64 on every row.
#include "kernels/best_rows.cuh"
#include "kernels/candidates.cuh"
#include "kernels/exact_scan.cuh"
#include "search_launch.h"

namespace fastvbench {
namespace cuda {
namespace {

constexpr std::int64_t kLeastFilteredRows = 4096;  // fewer are done before codes have helped
constexpr std::int64_t kLeastRankedRows = 1024;    // likewise for ranks
constexpr std::int64_t kMostFilteredBest = 2048;   // more leave too much in doubt
constexpr std::int64_t kRowsPerBest = 8;           // likewise where the gallery has fewer for each
constexpr std::int64_t kUncodedQueries = 16;       // one-shot: fewer do not pay for codes
constexpr std::int64_t kMostBatchQueries = 65535;  // blocks in a grid's second dimension

std::int64_t power_of_two_from(std::int64_t least) {
  std::int64_t power = 1;
  while (power < least) power *= 2;
  return power;
}

// Candidates that a query has room for.
std::int64_t capacity_for(std::int64_t k, std::int64_t query_count) {
  const std::int64_t by_best = std::min<std::int64_t>(128 * k, 65536);
  const std::int64_t by_queries = query_count <= 32 ? 16384 : 4096;
  return power_of_two_from(std::max({by_best, by_queries, 2 * k + 4 * kExactBatch}));
}

// Rows of the first scan, all of which become candidates: enough for a threshold, as few as may be,
// because one block of threads looks through a query's.
std::int64_t first_rows(std::int64_t capacity, std::int64_t k) {
  return std::min(capacity, std::max<std::int64_t>(4096, 64 * k));
}

// Rows of the next scan: those seen so far let pass some 16 k of as many (bound.h's width on rows
// of normally distributed values, and room), and a quarter of the capacity is what there may be.
std::int64_t next_rows(std::int64_t seen, std::int64_t capacity, std::int64_t k) {
  const std::int64_t growth = std::clamp<std::int64_t>(capacity / (64 * k), 1, 15);
  return seen * growth;
}

// Sorts in shared memory, or in memory of its own.
struct SortRoom {
  DeviceBuffer<std::uint64_t> orders;
  DeviceBuffer<std::uint32_t> places;
  std::int32_t padded_k = 0;
  std::int64_t shared_bytes = 0;

  CudaStatus allocate(std::int64_t k, std::int64_t query_count, Stream stream) {
    padded_k = static_cast<std::int32_t>(power_of_two_from(k));
    if (k <= kMostSharedBest) {
      shared_bytes = 12 * std::int64_t{padded_k};
      return {};
    }
    FASTVBENCH_CUDA_TRY(orders.allocate(padded_k * query_count, stream));
    return places.allocate(padded_k * query_count, stream);
  }
};

CudaStatus write_best(const FoundEntries& found, const ExactQueries& queries, bool is_cosine,
                      std::int64_t k, SortRoom& room, Stream stream, std::int64_t* indices,
                      double* scores) {
  return FASTVBENCH_LAUNCH(write_best_kernel, queries.count, 256, room.shared_bytes, stream, found,
                           queries.norms, is_cosine, k, room.padded_k, room.orders.data(),
                           room.places.data(), indices, scores);
}

}  // namespace

SearchPlan DeviceGallery::plan(std::int64_t query_count, std::int64_t k, SearchPath wanted) const {
  SearchPlan plan{SearchPath::kStream, "", rows_.count, std::min(query_count, kMostBatchQueries)};
  if (wanted == SearchPath::kStream) {
    plan.reason = "it was asked for";
  } else if (rows_.dimension > kMostDeviceDimensions) {
    plan.reason = "products of codes would not be exact in so many dimensions";
  } else if (k > kMostFilteredBest) {
    plan.reason = "a filter leaves too many rows in doubt where so many are wanted";
  } else if (wanted != SearchPath::kAuto) {
    plan.path = SearchPath::kCoded;
    plan.reason = "it was asked for";
  } else if (rows_.count < (k == 0 ? kLeastRankedRows : kLeastFilteredRows)) {
    plan.reason = "the gallery is small";
  } else if (k > rows_.count / kRowsPerBest) {
    plan.reason = "a large part of the gallery is wanted";
  } else if (!has_codes_ && query_count <= kUncodedQueries) {
    plan.reason = "so few queries do not pay for codes";
  } else {
    plan.path = SearchPath::kCoded;
    plan.reason =
        has_codes_ ? "codes of the rows are there" : "codes of the rows pay for themselves";
  }
  return plan;
}

CudaStatus DeviceGallery::search(const EmbeddingRows& query_rows, std::int64_t k,
                                 const SearchOptions& options, Stream stream, std::int64_t* indices,
                                 double* scores) {
  if (query_rows.count == 0) return {};
  Queries queries;
  FASTVBENCH_CUDA_TRY(load(query_rows, stream, &queries));
  const bool is_filtered = plan(queries.count, k, options.path).path == SearchPath::kCoded;
  const bool is_cosine = similarity_ == Similarity::kCosine;
  if (!has_norms_ && (is_cosine || is_filtered)) {
    FASTVBENCH_CUDA_TRY(faults_.allocate(rows_.count, stream));
    FASTVBENCH_CUDA_TRY(measure(faults_.data(), nullptr, stream));
  }
  if (is_filtered && !has_codes_) FASTVBENCH_CUDA_TRY(encode(stream));
  return is_filtered ? search_filtered(queries, k, options, stream, indices, scores)
                     : search_exactly(queries, k, options.workspace_bytes, stream, indices, scores);
}

CudaStatus DeviceGallery::search_filtered(const Queries& queries, std::int64_t k,
                                          const SearchOptions& options, Stream stream,
                                          std::int64_t* indices, double* scores) const {
  const std::int64_t least = 2 * k + 2 * kExactBatch;  // queries done again need as much
  const std::int64_t capacity = options.candidate_places == 0
                                    ? capacity_for(k, queries.count)
                                    : std::max(options.candidate_places, least);
  const std::int64_t per_query =
      capacity * (4 + 4 + 4 + 8) + 8 + PanelBuffers::bytes_per_query(word_count_);
  const std::int64_t batch = std::clamp<std::int64_t>(
      options.workspace_bytes / per_query / kPanelRows * kPanelRows, kPanelRows, kMostBatchQueries);
  const std::int64_t most = std::min(batch, queries.count);
  PanelBuffers panels;
  DeviceBuffer<std::int32_t> counts;  // and whether rows were lost
  DeviceBuffer<std::uint32_t> rows;
  DeviceBuffer<float> bounds;
  DeviceBuffer<double> keys;
  SortRoom room;
  FASTVBENCH_CUDA_TRY(panels.allocate(most, word_count_, stream));
  FASTVBENCH_CUDA_TRY(counts.allocate(2 * most, stream));
  FASTVBENCH_CUDA_TRY(rows.allocate(most * capacity, stream));
  FASTVBENCH_CUDA_TRY(bounds.allocate(2 * most * capacity, stream));
  FASTVBENCH_CUDA_TRY(keys.allocate(most * capacity, stream));
  FASTVBENCH_CUDA_TRY(room.allocate(k, most, stream));
  const CandidateColumns candidates{counts.data(),        rows.data(),
                                    bounds.data(),        bounds.data() + most * capacity,
                                    keys.data(),          panels.thresholds(),
                                    counts.data() + most, static_cast<std::int32_t>(capacity)};
  // Queries whose candidates were too many are done again where their candidates lay.
  const auto part_count = static_cast<std::int32_t>(
      std::clamp<std::int64_t>(capacity / (2 * k + 2 * kExactBatch), 1, 16));
  const PartColumns parts{keys.data(), rows.data(), capacity,
                          static_cast<std::int32_t>(capacity / part_count)};
  const ExactRows exact = exact_rows();
  const bool is_cosine = similarity_ == Similarity::kCosine;
  const ScanLauncher scan(multiprocessors_, shared_bytes_, stream);
  for (std::int64_t begin = 0; begin < queries.count; begin += most) {
    const std::int64_t end = std::min(begin + most, queries.count);
    const ExactQueries own = queries.part(begin, end);
    FASTVBENCH_CUDA_TRY(
        panels.encode(own, rows_.dimension, mean_.data(), is_cosine, frame_.data(), stream));
    FASTVBENCH_CUDA_TRY(fill_bytes(counts.data(), 0, counts.bytes(), stream));
    const int compact_threads = own.count <= 32 ? 1024 : 256;
    std::int64_t seen = 0;
    while (seen < block_count_) {
      const std::int64_t wanted =
          seen == 0 ? first_rows(capacity, k) / kBlockRows : next_rows(seen, capacity, k);
      const Visit visit{
          static_cast<std::int32_t>(seen),
          static_cast<std::int32_t>(std::min<std::int64_t>(seen + wanted, block_count_)),
          multiplier_};
      FASTVBENCH_CUDA_TRY(scan.run(coded_blocks(), panels.view(), panels.thresholds(), visit,
                                   CandidateSink{candidates}));
      FASTVBENCH_CUDA_TRY(with_type(rows_.type, [&](auto type) {
        return FASTVBENCH_LAUNCH((compact_kernel<decltype(type)::value>), own.count,
                                 compact_threads, 0, stream, exact, own, panels.scales(),
                                 candidates, k);
      }));
      seen = visit.end;
    }
    FASTVBENCH_CUDA_TRY(with_type(rows_.type, [&](auto type) -> CudaStatus {
      constexpr ElementType kType = decltype(type)::value;
      const std::int64_t splits = std::clamp<std::int64_t>(
          divided_up(4 * multiprocessors_, own.count), 1, divided_up(capacity, 64));
      FASTVBENCH_CUDA_TRY(FASTVBENCH_LAUNCH((score_candidates_kernel<kType>),
                                            Grid(splits, own.count), 256, 0, stream, exact, own,
                                            candidates));
      return FASTVBENCH_LAUNCH((exact_scan_kernel<kType>), Grid(part_count, own.count),
                               kExactThreads, 0, stream, exact, own, k,
                               static_cast<const std::int32_t*>(candidates.is_lost), parts);
    }));
    FASTVBENCH_CUDA_TRY(write_best({candidates, parts, part_count}, own, is_cosine, k, room, stream,
                                   indices + begin * k, scores + begin * k));
  }
  return {};
}

CudaStatus DeviceGallery::search_exactly(const Queries& queries, std::int64_t k,
                                         std::int64_t workspace_bytes, Stream stream,
                                         std::int64_t* indices, double* scores) const {
  const std::int64_t part_size = 2 * k + 2 * kExactBatch;
  const std::int64_t sort_bytes = k <= kMostSharedBest ? 0 : 12 * power_of_two_from(k);
  // As many parts as keep the device busy, if they fit; a part has some work for its block.
  std::int64_t part_count = std::clamp<std::int64_t>(
      divided_up(2 * multiprocessors_, queries.count), 1,
      std::max<std::int64_t>(rows_.count / std::max<std::int64_t>(2 * kExactBatch, k), 1));
  part_count =
      std::clamp<std::int64_t>((workspace_bytes - sort_bytes) / (12 * part_size), 1, part_count);
  const std::int64_t per_query = 12 * part_count * part_size + sort_bytes;
  const std::int64_t most = std::min(
      std::clamp<std::int64_t>(workspace_bytes / per_query, 1, kMostBatchQueries), queries.count);
  DeviceBuffer<double> keys;
  DeviceBuffer<std::uint32_t> rows;
  SortRoom room;
  FASTVBENCH_CUDA_TRY(keys.allocate(most * part_count * part_size, stream));
  FASTVBENCH_CUDA_TRY(rows.allocate(most * part_count * part_size, stream));
  FASTVBENCH_CUDA_TRY(room.allocate(k, most, stream));
  const PartColumns parts{keys.data(), rows.data(), part_count * part_size,
                          static_cast<std::int32_t>(part_size)};
  const FoundEntries found{{}, parts, static_cast<std::int32_t>(part_count)};
  const ExactRows exact = exact_rows();
  for (std::int64_t begin = 0; begin < queries.count; begin += most) {
    const ExactQueries own = queries.part(begin, std::min(begin + most, queries.count));
    FASTVBENCH_CUDA_TRY(with_type(rows_.type, [&](auto type) {
      return FASTVBENCH_LAUNCH((exact_scan_kernel<decltype(type)::value>),
                               Grid(part_count, own.count), kExactThreads, 0, stream, exact, own, k,
                               static_cast<const std::int32_t*>(nullptr), parts);
    }));
    FASTVBENCH_CUDA_TRY(write_best(found, own, similarity_ == Similarity::kCosine, k, room, stream,
                                   indices + begin * k, scores + begin * k));
  }
  return {};
}

}  // namespace cuda
}  // namespace fastvbench
