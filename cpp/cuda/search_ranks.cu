// Ranks of relevant rows: counted in the scan, exactly where in doubt.
#include "kernels/ranks.cuh"
#include "search_launch.h"

namespace fastvbench {
namespace cuda {
namespace {

constexpr std::int64_t kMostBatchQueries = 65535;  // blocks in a grid's second dimension
constexpr std::int64_t kPairsPerDoubt = 64;        // of a scan; more doubts are lost
constexpr int kThreads = 256;
constexpr std::int64_t kMostBlocks = 1 << 16;

}  // namespace

CudaStatus DeviceGallery::ranks(const EmbeddingRows& query_rows, const RelevantRows& relevant,
                                std::int64_t item_count, const SearchOptions& options,
                                Stream stream, const RankColumns& out) {
  if (query_rows.count == 0 || item_count == 0) return {};
  Queries queries;
  FASTVBENCH_CUDA_TRY(load(query_rows, stream, &queries));
  const bool is_filtered = plan(queries.count, 0, options.path).path == SearchPath::kCoded;
  if (!has_norms_ && (is_filtered || similarity_ == Similarity::kCosine)) {
    FASTVBENCH_CUDA_TRY(faults_.allocate(rows_.count, stream));
    FASTVBENCH_CUDA_TRY(measure(faults_.data(), nullptr, stream));
  }
  if (is_filtered && !has_codes_) FASTVBENCH_CUDA_TRY(encode(stream));
  DeviceBuffer<double> keys;
  FASTVBENCH_CUDA_TRY(keys.allocate(item_count, stream));
  const std::int64_t* offsets = relevant.offsets;
  DeviceBuffer<std::int64_t> one_each;
  if (offsets == nullptr) {
    FASTVBENCH_CUDA_TRY(one_each.allocate(queries.count + 1, stream));
    FASTVBENCH_CUDA_TRY(FASTVBENCH_LAUNCH(
        count_up_kernel, std::min(divided_up(queries.count + 1, kThreads), kMostBlocks), kThreads,
        0, stream, one_each.data(), queries.count + 1));
    offsets = one_each.data();
  }
  const RankItems items{relevant.values, offsets,  relevant.order,  keys.data(),
                        out.above,       out.tied, out.tied_before, out.tied_before_in_order};
  const ExactRows exact = exact_rows();
  FASTVBENCH_CUDA_TRY(with_type(rows_.type, [&](auto type) {
    return FASTVBENCH_LAUNCH((relevant_keys_kernel<decltype(type)::value>),
                             divided_up(queries.count, kThreads / kDotLanes), kThreads, 0, stream,
                             exact, queries.part(0, queries.count), items, std::int64_t{0},
                             keys.data());
  }));
  if (is_filtered) {
    FASTVBENCH_CUDA_TRY(
        ranks_filtered(queries, items, item_count, options.workspace_bytes, stream));
  } else {
    for (std::int64_t begin = 0; begin < queries.count; begin += kMostBatchQueries) {
      const ExactQueries own =
          queries.part(begin, std::min(begin + kMostBatchQueries, queries.count));
      const std::int64_t parts = std::clamp<std::int64_t>(
          divided_up(2 * multiprocessors_, own.count), 1, divided_up(rows_.count, kExactBatch));
      FASTVBENCH_CUDA_TRY(with_type(rows_.type, [&](auto type) {
        return FASTVBENCH_LAUNCH((count_exactly_kernel<decltype(type)::value>),
                                 Grid(parts, own.count), kExactThreads, 0, stream, exact, own,
                                 items, begin, static_cast<const std::int32_t*>(nullptr));
      }));
    }
  }
  return FASTVBENCH_LAUNCH(mark_unranked_kernel,
                           std::min(divided_up(item_count, kThreads), kMostBlocks), kThreads, 0,
                           stream, items, item_count);
}

CudaStatus DeviceGallery::ranks_filtered(const Queries& queries, const RankItems& items,
                                         std::int64_t item_count, std::int64_t workspace_bytes,
                                         Stream stream) const {
  const bool is_cosine = similarity_ == Similarity::kCosine;
  const ExactRows exact = exact_rows();
  // Half of the workspace is for queries, half for doubts.
  const std::int64_t most =
      std::min(std::clamp<std::int64_t>(workspace_bytes / 2 /
                                            (PanelBuffers::bytes_per_query(word_count_) + 4) /
                                            kPanelRows * kPanelRows,
                                        kPanelRows, kMostBatchQueries),
               queries.count);
  const std::int64_t pairs = most * std::int64_t{block_count_} * kBlockRows;
  const std::int64_t capacity =
      std::min({std::clamp<std::int64_t>(workspace_bytes / 2 / std::int64_t{sizeof(Doubt)}, 1024,
                                         std::int64_t{1} << 27),
                pairs});
  PanelBuffers panels;
  DeviceBuffer<float> limits;
  DeviceBuffer<std::int32_t> flags;  // the number of doubts, and per query whether any was lost
  DeviceBuffer<Doubt> doubts;
  FASTVBENCH_CUDA_TRY(panels.allocate(most, word_count_, stream));
  FASTVBENCH_CUDA_TRY(limits.allocate(2 * item_count, stream));
  FASTVBENCH_CUDA_TRY(flags.allocate(1 + most, stream));
  FASTVBENCH_CUDA_TRY(doubts.allocate(capacity, stream));
  float* floors = limits.data();
  float* ceilings = limits.data() + item_count;
  std::int32_t* is_lost = flags.data() + 1;
  const ScanLauncher scan(multiprocessors_, shared_bytes_, stream);
  for (std::int64_t begin = 0; begin < queries.count; begin += most) {
    const ExactQueries own = queries.part(begin, std::min(begin + most, queries.count));
    const std::int64_t padded = PanelBuffers::padded_count(own.count);
    FASTVBENCH_CUDA_TRY(
        panels.encode(own, rows_.dimension, mean_.data(), is_cosine, frame_.data(), stream));
    FASTVBENCH_CUDA_TRY(FASTVBENCH_LAUNCH(
        rank_limits_kernel, divided_up(padded, kThreads), kThreads, 0, stream, items, begin,
        panels.scales(), own.count, padded, floors, ceilings, panels.thresholds()));
    FASTVBENCH_CUDA_TRY(fill_bytes(flags.data(), 0, flags.bytes(), stream));
    const RankSink sink{items,
                        floors,
                        ceilings,
                        begin,
                        doubts.data(),
                        flags.data(),
                        static_cast<std::int32_t>(capacity),
                        is_lost};
    const std::int64_t blocks_at_once = std::clamp<std::int64_t>(
        capacity * kPairsPerDoubt / (std::int64_t{own.count} * kBlockRows), 1, block_count_);
    for (std::int64_t seen = 0; seen < block_count_; seen += blocks_at_once) {
      const Visit visit{
          static_cast<std::int32_t>(seen),
          static_cast<std::int32_t>(std::min<std::int64_t>(seen + blocks_at_once, block_count_)),
          multiplier_};
      FASTVBENCH_CUDA_TRY(
          scan.run(coded_blocks(), panels.view(), panels.thresholds(), visit, sink));
      FASTVBENCH_CUDA_TRY(with_type(rows_.type, [&](auto type) {
        return FASTVBENCH_LAUNCH((settle_doubts_kernel<decltype(type)::value>),
                                 8 * std::int64_t{multiprocessors_}, kThreads, 0, stream, exact,
                                 own, items, static_cast<const Doubt*>(doubts.data()),
                                 static_cast<const std::int32_t*>(flags.data()), capacity);
      }));
      FASTVBENCH_CUDA_TRY(fill_bytes(flags.data(), 0, 4, stream));
    }
    FASTVBENCH_CUDA_TRY(FASTVBENCH_LAUNCH(clear_lost_kernel, divided_up(own.count, kThreads),
                                          kThreads, 0, stream, items, begin,
                                          static_cast<const std::int32_t*>(is_lost), own.count));
    const std::int64_t parts =
        std::clamp<std::int64_t>(divided_up(rows_.count, 64 * kExactBatch), 1, 8);
    FASTVBENCH_CUDA_TRY(with_type(rows_.type, [&](auto type) {
      return FASTVBENCH_LAUNCH((count_exactly_kernel<decltype(type)::value>),
                               Grid(parts, own.count), kExactThreads, 0, stream, exact, own, items,
                               begin, static_cast<const std::int32_t*>(is_lost));
    }));
  }
  return {};
}

}  // namespace cuda
}  // namespace fastvbench
