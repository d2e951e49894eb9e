// Galleries on the device: norms, faults, frame, codes; and the queries of a call.
#include <numeric>

#include "kernels/encode.cuh"
#include "kernels/row_frame.cuh"
#include "search_launch.h"

namespace fastvbench {
namespace cuda {
namespace {

constexpr std::int64_t kMostSamples = 2048;
constexpr std::int64_t kLeastSamples = 256;
constexpr std::int64_t kRowsPerSample = 64;
constexpr int kThreads = 256;
constexpr int kHalfWarps = kThreads / kDotLanes;
constexpr std::int64_t kMostBlocks = 1 << 16;

CudaStatus measure_rows(const EmbeddingRows& rows, bool is_cosine, bool marks_faults, Stream stream,
                        double* norms, std::uint8_t* faults, std::int64_t* fault_count) {
  return with_type(rows.type, [&](auto type) {
    return FASTVBENCH_LAUNCH((measure_rows_kernel<decltype(type)::value>),
                             std::min(divided_up(rows.count, kHalfWarps), kMostBlocks), kThreads, 0,
                             stream, rows.data, rows.count, rows.dimension, is_cosine, marks_faults,
                             norms, faults, fault_count);
  });
}

// About the golden section of `count`, with no divisor in common: steps of it go all over the
// blocks, evenly from the start.
std::int32_t visiting_step(std::int32_t count) {
  auto step = static_cast<std::int32_t>(0.6180339887498949 * count);
  if (step < 1) return 1;
  while (std::gcd(step, count) != 1) --step;
  return step;
}

}  // namespace

CudaStatus DeviceGallery::prepare(const EmbeddingRows& rows, Similarity similarity, bool with_codes,
                                  Stream stream) {
  rows_ = rows;
  similarity_ = similarity;
  fault_count_ = 0;
  has_norms_ = has_codes_ = false;
  DeviceLimits limits;
  FASTVBENCH_CUDA_TRY(read_device_limits(&limits));
  multiprocessors_ = std::max(limits.multiprocessors, 1);
  shared_bytes_ = limits.shared_bytes_per_block;
  if (!with_codes) return {};
  DeviceBuffer<std::int64_t> fault_count;
  FASTVBENCH_CUDA_TRY(fault_count.allocate(1, stream));
  FASTVBENCH_CUDA_TRY(fill_bytes(fault_count.data(), 0, fault_count.bytes(), stream));
  FASTVBENCH_CUDA_TRY(faults_.allocate(rows.count, stream));
  FASTVBENCH_CUDA_TRY(measure(faults_.data(), fault_count.data(), stream));
  if (rows.dimension <= kMostDeviceDimensions) FASTVBENCH_CUDA_TRY(encode(stream));
  FASTVBENCH_CUDA_TRY(copy_to_host(&fault_count_, fault_count.data(), 8, stream));
  return synchronize(stream);
}

CudaStatus DeviceGallery::measure(std::uint8_t* faults, std::int64_t* fault_count, Stream stream) {
  FASTVBENCH_CUDA_TRY(norms_.allocate(rows_.count, stream));
  FASTVBENCH_CUDA_TRY(measure_rows(rows_, similarity_ == Similarity::kCosine, false, stream,
                                   norms_.data(), faults, fault_count));
  has_norms_ = true;
  return {};
}

CudaStatus DeviceGallery::encode(Stream stream) {
  const bool is_cosine = similarity_ == Similarity::kCosine;
  const std::int64_t dimension = rows_.dimension;
  word_count_ =
      static_cast<std::int32_t>(divided_up(dimension, kPaddedDimensions) * kPaddedDimensions / 4);
  block_count_ = static_cast<std::int32_t>(divided_up(rows_.count, kBlockRows));
  multiplier_ = visiting_step(block_count_);
  FASTVBENCH_CUDA_TRY(frame_.allocate(1, stream));
  FASTVBENCH_CUDA_TRY(mean_.allocate(divided_up(dimension, kMeanColumns) * kMeanColumns, stream));
  FASTVBENCH_CUDA_TRY(
      codes_.allocate(std::int64_t{block_count_} * word_count_ * kBlockRows, stream));
  FASTVBENCH_CUDA_TRY(terms_.allocate(std::int64_t{block_count_} * 4 * kBlockRows, stream));
  FASTVBENCH_CUDA_TRY(heads_.allocate(block_count_, stream));
  const std::int64_t wanted = std::clamp(rows_.count / kRowsPerSample, kLeastSamples, kMostSamples);
  const std::int64_t stride = divided_up(rows_.count, wanted);
  const auto samples = static_cast<std::int32_t>(divided_up(rows_.count, stride));
  const Sample sample{rows_.data, norms_.data(), faults_.data(), dimension, stride, samples};
  DeviceBuffer<std::uint32_t> largest;
  DeviceBuffer<double> lengths;
  FASTVBENCH_CUDA_TRY(largest.allocate(samples, stream));
  FASTVBENCH_CUDA_TRY(lengths.allocate(2 * samples, stream));
  const std::int64_t blocks = divided_up(samples, kHalfWarps);
  const CudaStatus status = with_type(rows_.type, [&](auto type) -> CudaStatus {
    constexpr ElementType kType = decltype(type)::value;
    if (!is_cosine) {
      FASTVBENCH_CUDA_TRY(FASTVBENCH_LAUNCH((sample_magnitudes_kernel<kType>), blocks, kThreads, 0,
                                            stream, sample, largest.data()));
    }
    FASTVBENCH_CUDA_TRY(FASTVBENCH_LAUNCH(choose_scale_kernel, 1, kThreads, 0, stream,
                                          largest.data(), samples, is_cosine, frame_.data()));
    FASTVBENCH_CUDA_TRY(FASTVBENCH_LAUNCH(
        (average_sample_kernel<kType>), divided_up(dimension, kMeanColumns),
        kMeanColumns * kMeanGroups, 0, stream, sample, is_cosine, frame_.data(), mean_.data()));
    FASTVBENCH_CUDA_TRY(FASTVBENCH_LAUNCH((sample_lengths_kernel<kType>), blocks, kThreads, 0,
                                          stream, sample, is_cosine, frame_.data(), mean_.data(),
                                          lengths.data()));
    FASTVBENCH_CUDA_TRY(FASTVBENCH_LAUNCH(settle_frame_kernel, 1, kWarpSize, 0, stream,
                                          lengths.data(), samples, dimension, mean_.data(),
                                          frame_.data()));
    return FASTVBENCH_LAUNCH((encode_rows_kernel<kType>), block_count_, kEncodeThreads, 0, stream,
                             exact_rows(), norms_.data(), faults_.data(), mean_.data(), is_cosine,
                             frame_.data(), coded_blocks());
  });
  has_codes_ = status.ok();
  return status;
}

std::int64_t DeviceGallery::memory_bytes() const {
  return norms_.bytes() + faults_.bytes() + mean_.bytes() + codes_.bytes() + terms_.bytes() +
         heads_.bytes();
}

CudaStatus DeviceGallery::read_faults(std::uint8_t* faults, Stream stream) const {
  FASTVBENCH_CUDA_TRY(copy_to_host(faults, faults_.data(), faults_.bytes(), stream));
  return synchronize(stream);
}

ExactRows DeviceGallery::exact_rows() const {
  return {rows_.data, similarity_ == Similarity::kCosine ? norms_.data() : nullptr, rows_.dimension,
          static_cast<std::int32_t>(rows_.count)};
}

CodedBlocks DeviceGallery::coded_blocks() const {
  return {codes_.data(), terms_.data(), heads_.data(),
          word_count_,   block_count_,  static_cast<std::int32_t>(rows_.count)};
}

CudaStatus DeviceGallery::load(const EmbeddingRows& rows, Stream stream, Queries* queries) const {
  queries->count = rows.count;
  queries->dimension = rows.dimension;
  FASTVBENCH_CUDA_TRY(queries->norms.allocate(rows.count, stream));
  FASTVBENCH_CUDA_TRY(measure_rows(rows, similarity_ == Similarity::kCosine, true, stream,
                                   queries->norms.data(), nullptr, nullptr));
  queries->values = static_cast<const float*>(rows.data);
  if (rows.type == ElementType::kFloat32) return {};
  const std::int64_t count = rows.count * rows.dimension;
  FASTVBENCH_CUDA_TRY(queries->widened.allocate(count, stream));
  queries->values = queries->widened.data();
  return with_type(rows.type, [&](auto type) {
    return FASTVBENCH_LAUNCH((widen_kernel<decltype(type)::value>),
                             std::min(divided_up(count, kThreads), kMostBlocks), kThreads, 0,
                             stream, rows.data, count, queries->widened.data());
  });
}

CudaStatus PanelBuffers::encode(const ExactQueries& queries, std::int64_t dimension,
                                const float* mean, bool is_cosine, const DeviceFrame* frame,
                                Stream stream) {
  query_count_ = queries.count;
  return FASTVBENCH_LAUNCH(encode_queries_kernel, padded_count(queries.count) / kPanelRows,
                           kEncodeThreads, 0, stream, queries, dimension, mean, is_cosine, frame,
                           view(), thresholds());
}

CudaStatus find_faults(const EmbeddingRows& rows, Similarity similarity, Stream stream,
                       std::uint8_t* faults, std::int64_t* fault_count) {
  DeviceBuffer<std::uint8_t> found;
  DeviceBuffer<std::int64_t> count;
  FASTVBENCH_CUDA_TRY(found.allocate(rows.count, stream));
  FASTVBENCH_CUDA_TRY(count.allocate(1, stream));
  FASTVBENCH_CUDA_TRY(fill_bytes(count.data(), 0, count.bytes(), stream));
  FASTVBENCH_CUDA_TRY(measure_rows(rows, similarity == Similarity::kCosine, false, stream, nullptr,
                                   found.data(), count.data()));
  FASTVBENCH_CUDA_TRY(copy_to_host(faults, found.data(), found.bytes(), stream));
  FASTVBENCH_CUDA_TRY(copy_to_host(fault_count, count.data(), count.bytes(), stream));
  return synchronize(stream);
}

}  // namespace cuda
}  // namespace fastvbench
