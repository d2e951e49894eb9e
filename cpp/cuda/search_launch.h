// Shared by the drivers of search: element types as template arguments, queries on the device, and
// launches of the scan.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/row_norms.cuh"
#include "kernels/scan.cuh"
#include "search.h"
#include "search_data.h"

namespace fastvbench {
namespace cuda {

/// use(std::integral_constant<ElementType, type>()).
template <typename Use>
CudaStatus with_type(ElementType type, Use use) {
  switch (type) {
    case ElementType::kFloat16:
      return use(std::integral_constant<ElementType, ElementType::kFloat16>());
    case ElementType::kBfloat16:
      return use(std::integral_constant<ElementType, ElementType::kBfloat16>());
    case ElementType::kFloat32:
      break;
  }
  return use(std::integral_constant<ElementType, ElementType::kFloat32>());
}

constexpr std::int64_t divided_up(std::int64_t count, std::int64_t by) {
  return (count + by - 1) / by;
}

/// Queries of one call as float32, with their norms.
struct DeviceGallery::Queries {
  DeviceBuffer<float> widened;
  DeviceBuffer<double> norms;
  const float* values = nullptr;
  std::int64_t count = 0;
  std::int64_t dimension = 0;

  ExactQueries part(std::int64_t begin, std::int64_t end) const {
    return {values + begin * dimension, norms.data() + begin,
            static_cast<std::int32_t>(end - begin)};
  }
};

/// Codes of a batch of queries, and their thresholds.
class PanelBuffers {
 public:
  CudaStatus allocate(std::int64_t query_count, std::int64_t word_count, Stream stream) {
    padded_ = padded_count(query_count);
    word_count_ = word_count;
    FASTVBENCH_CUDA_TRY(codes_.allocate(padded_ * word_count, stream));
    FASTVBENCH_CUDA_TRY(terms_.allocate(4 * padded_, stream));
    return scales_.allocate(padded_, stream);
  }
  static std::int64_t padded_count(std::int64_t query_count) {
    const std::int64_t group = kMostPanels * kPanelRows;
    return divided_up(query_count, group) * group;
  }
  static std::int64_t bytes_per_query(std::int64_t word_count) {
    return 4 * word_count + 16 + std::int64_t{sizeof(KeyScale)};
  }
  /// Codes of these queries, and minus infinity as their thresholds.
  CudaStatus encode(const ExactQueries& queries, std::int64_t dimension, const float* mean,
                    bool is_cosine, const DeviceFrame* frame, Stream stream);
  CodedPanels view() {
    return {codes_.data(),
            terms_.data(),
            terms_.data() + padded_,
            terms_.data() + 2 * padded_,
            scales_.data(),
            static_cast<std::int32_t>(word_count_),
            query_count_};
  }
  float* thresholds() { return terms_.data() + 3 * padded_; }
  const KeyScale* scales() const { return scales_.data(); }

 private:
  DeviceBuffer<std::uint32_t> codes_;
  DeviceBuffer<float> terms_;
  DeviceBuffer<KeyScale> scales_;
  std::int64_t padded_ = 0;
  std::int64_t word_count_ = 0;
  std::int32_t query_count_ = 0;
};

/// Launches the scan that suits the number of queries.
class ScanLauncher {
 public:
  ScanLauncher(std::int32_t multiprocessors, std::int64_t shared_bytes, Stream stream)
      : multiprocessors_(multiprocessors), shared_bytes_(shared_bytes), stream_(stream) {}

  template <typename Sink>
  CudaStatus run(const CodedBlocks& rows, const CodedPanels& queries, const float* thresholds,
                 const Visit& visit, const Sink& sink) const {
    const std::int64_t visits = divided_up(visit.end - visit.begin, kScanWarps);
    if (queries.query_count == 1 && 4 * std::int64_t{rows.word_count} <= 32 * 1024) {
      const std::int64_t blocks = std::min<std::int64_t>(visits, 8 * multiprocessors_);
      return FASTVBENCH_LAUNCH((scan_one_kernel<Sink>), blocks, kScanThreads,
                               4 * std::int64_t{rows.word_count}, stream_, rows, queries,
                               thresholds, visit, sink);
    }
    const std::int64_t panels = divided_up(queries.query_count, kPanelRows);
    const auto fits = [&](int count) {
      return scan_shared_bytes(count, rows.word_count, true) <= shared_bytes_;
    };
    if (panels > 2 && fits(4)) return launch<4, true>(rows, queries, thresholds, visit, sink);
    if (panels > 1 && fits(2)) return launch<2, true>(rows, queries, thresholds, visit, sink);
    if (fits(1)) return launch<1, true>(rows, queries, thresholds, visit, sink);
    return launch<2, false>(rows, queries, thresholds, visit, sink);
  }

 private:
  template <int kPanels, bool kIsResident, typename Sink>
  CudaStatus launch(const CodedBlocks& rows, const CodedPanels& queries, const float* thresholds,
                    const Visit& visit, const Sink& sink) const {
    constexpr std::int64_t kWaves = 8;  // blocks per multiprocessor: none waits long for the last
    const std::int64_t groups = divided_up(queries.query_count, kPanels * kPanelRows);
    const std::int64_t visits = divided_up(visit.end - visit.begin, kScanWarps);
    const std::int64_t wanted = divided_up(kWaves * multiprocessors_, groups);
    return FASTVBENCH_LAUNCH((scan_kernel<kPanels, kIsResident, Sink>),
                             Grid(groups, std::min(visits, wanted)), kScanThreads,
                             scan_shared_bytes(kPanels, rows.word_count, kIsResident), stream_,
                             rows, queries, thresholds, visit, sink);
  }

  std::int32_t multiprocessors_;
  std::int64_t shared_bytes_;
  Stream stream_;
};

}  // namespace cuda
}  // namespace fastvbench
