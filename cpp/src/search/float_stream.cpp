#include "search/float_stream.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "fastvbench/parallel.h"
#include "search/best_rows.h"
#include "search/faults.h"
#include "search/key_stream.h"
#include "search/row_reader.h"

namespace fastvbench {
namespace {

constexpr std::int64_t kChunksPerBlock = 4;

// A query times a power of two that makes its keys moderate numbers, and what that does to them.
struct ScaledQueries {
  AlignedBuffer<float> values;  // a multiple of kFloatQueries of them; the last ones are zeros
  AlignedBuffer<const float*> rows;
  AlignedBuffer<double> units;  // key * unit is what the filter sees, times |y| for cosine
  AlignedBuffer<double> norms;  // of the scaled query

  Status load(const QueryRows& queries, const RowFrame& frame, Similarity similarity) {
    const std::int64_t dimension = queries.dimension;
    const std::int64_t padded = (queries.count + kFloatQueries - 1) / kFloatQueries * kFloatQueries;
    if (!values.allocate(padded * dimension) || !rows.allocate(padded) ||
        !units.allocate(queries.count) || !norms.allocate(queries.count)) {
      return Status::out_of_memory();
    }
    std::fill(values.data(), values.data() + padded * dimension, 0.0f);
    for (std::int64_t q = 0; q < padded; ++q) rows[q] = values.data() + q * dimension;
    for (std::int64_t q = 0; q < queries.count; ++q) {
      const float* from = queries.row(q);
      const float largest =
          search_kernels().largest_magnitude(from, dimension, 1.0f, 0.0f, nullptr);
      int exponent = largest == 0.0f ? 0 : -std::ilogb(largest);
      // Rows stay as they are, so their scale goes to the query too, within what float32 holds.
      if (similarity == Similarity::kDot) {
        exponent += std::clamp(std::ilogb(frame.scale), -100, 100);
      }
      units[q] = std::ldexp(1.0, exponent);
      norms[q] = queries.norms[q] * units[q];
      float* to = values.data() + q * dimension;
      for (std::int64_t d = 0; d < dimension; ++d) to[d] = static_cast<float>(from[d] * units[q]);
    }
    return Status();
  }
};

// One worker's way over chunks of rows.
class FloatStream {
 public:
  FloatStream(const GalleryData& gallery, const QueryRows& queries, const ScaledQueries& scaled)
      : gallery_(gallery),
        queries_(queries),
        scaled_(scaled),
        kernels_(search_kernels()),
        reader_(gallery.rows, kernels_),
        chunk_(KeyStream::chunk_rows(gallery.rows.dimension)) {}

  std::int64_t chunk_rows() const { return chunk_; }
  bool reserve() {
    return reader_.reserve(chunk_) && rows_.allocate(chunk_) && norms_.allocate(chunk_) &&
           float_norms_.allocate(chunk_) && sums_.allocate(chunk_ * scaled_.rows.size()) &&
           kept_.allocate(chunk_) && kept_rows_.allocate(chunk_) && kept_query_.allocate(chunk_) &&
           keys_.allocate(chunk_) && rankable_.allocate(chunk_);
  }

  Status take(std::int64_t begin, std::int64_t end, BestRows* best) {
    const std::int64_t count = end - begin;
    const std::int64_t dimension = gallery_.rows.dimension;
    const float* first = reader_.read(begin, end);
    for (std::int64_t i = 0; i < count; ++i) rows_[i] = first + i * dimension;
    kernels_.dot64_pairs(rows_.data(), rows_.data(), count, dimension, norms_.data());
    for (std::int64_t i = 0; i < count; ++i) {
      RowFault fault = RowFault::kNone;
      if (needs_look(norms_[i], gallery_.similarity)) {
        fault = fault_of(rows_[i], dimension, gallery_.similarity);
        if (fault != RowFault::kNone && gallery_.preparation == Preparation::kNone) {
          return fault_status(fault, begin + i);
        }
      }
      rankable_[i] = fault == RowFault::kNone;
      norms_[i] = std::sqrt(norms_[i]);
      float_norms_[i] = static_cast<float>(norms_[i]);
    }
    kernels_.dot32_rows(rows_.data(), count, scaled_.rows.data(), scaled_.rows.size(), dimension,
                        chunk_, sums_.data());
    for (std::int64_t q = 0; q < queries_.count; ++q) {
      if (!score(q, begin, count, sums_.data() + q * chunk_, best[q])) {
        return Status::out_of_memory();
      }
    }
    return Status();
  }

 private:
  // Exact keys of the rows whose float32 sum may reach the query's floor. A row's sum is within
  // `error |y|` of the scaled key (times |y| for cosine); `error` also covers the rounding of |y|
  // and of the comparison itself, and `tiny` what is lost to underflow.
  bool score(std::int64_t q, std::int64_t begin, std::int64_t count, const float* sums,
             BestRows& best) {
    const std::int64_t dimension = gallery_.rows.dimension;
    const bool is_cosine = gallery_.similarity == Similarity::kCosine;
    const double floor = best.floor_key() * scaled_.units[q];
    const double tiny = static_cast<double>(dimension) * 0x1p-120;
    double error = (float_rounding(dimension) + 0x1p-21) * scaled_.norms[q];
    if (is_cosine) error += 0x1p-21 * std::fabs(floor);
    // Not below factor * |y| + constant. What is not finite keeps every row.
    const float factor = rounded_down((is_cosine ? floor : 0.0) - error);
    const float constant =
        rounded_down((is_cosine ? 0.0 : floor - 0x1p-21 * std::fabs(floor)) - tiny);
    for (std::int64_t i = 0; i < count; ++i) {
      // A sum that overflowed on its way says nothing.
      kept_[i] = !(sums[i] < factor * float_norms_[i] + constant && sums[i] > -HUGE_VALF);
    }
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (kept_[i] == 0 || rankable_[i] == 0) continue;
      kept_rows_[kept] = rows_[i];
      kept_query_[kept] = queries_.row(q);
      kept_[kept++] = static_cast<std::uint32_t>(i);
    }
    kernels_.dot64_pairs(kept_query_.data(), kept_rows_.data(), kept, dimension, keys_.data());
    for (std::int64_t i = 0; i < kept; ++i) {
      const std::uint32_t place = kept_[i];
      const double key = is_cosine ? keys_[i] / norms_[place] : keys_[i];
      if (!best.offer(key, begin + place)) return false;
    }
    return true;
  }

  const GalleryData& gallery_;
  const QueryRows& queries_;
  const ScaledQueries& scaled_;
  const SearchKernels& kernels_;
  RowReader reader_;
  std::int64_t chunk_;
  AlignedBuffer<const float*> rows_;
  AlignedBuffer<double> norms_;
  AlignedBuffer<float> float_norms_;
  AlignedBuffer<float> sums_;
  AlignedBuffer<std::uint32_t> kept_;
  AlignedBuffer<const float*> kept_rows_;
  AlignedBuffer<const float*> kept_query_;
  AlignedBuffer<double> keys_;
  AlignedBuffer<std::uint8_t> rankable_;
};

}  // namespace

Status float_search(const RunContext& context, const GalleryData& gallery, const RowFrame& frame,
                    const QueryRows& queries, std::int64_t k, std::int64_t* indices,
                    double* scores) {
  ScaledQueries scaled;
  Status status = scaled.load(queries, frame, gallery.similarity);
  if (!status.ok()) return status;
  const std::int64_t chunk = KeyStream::chunk_rows(gallery.rows.dimension);
  const std::int64_t block = chunk * kChunksPerBlock;
  const std::int32_t workers = thread_count(context, gallery.rows.count / block + 1);
  KeptRow<BestRows> best;
  if (!best.allocate(workers * queries.count)) return Status::out_of_memory();
  for (std::int64_t i = 0; i < workers * queries.count; ++i) best[i].start(k);
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
    FloatStream stream(gallery, queries, scaled);
    if (!stream.reserve()) return Status::out_of_memory();
    for (std::int64_t first = begin; first < end; first += chunk) {
      const Status taken =
          stream.take(first, std::min(first + chunk, end), best.data() + worker * queries.count);
      if (!taken.ok()) return taken;
    }
    return Status();
  };
  RunContext limited = context;
  limited.threads = workers;
  status = parallel_for(limited, gallery.rows.count, block, body);
  for (std::int64_t q = 0; q < queries.count && status.ok(); ++q) {
    for (std::int32_t worker = 1; worker < workers; ++worker) {
      if (!best[q].take_over(best[worker * queries.count + q])) status = Status::out_of_memory();
    }
  }
  if (!status.ok()) return status;
  return write_best(context, queries, 0, queries.count, gallery.similarity, k, best.data(), indices,
                    scores);
}

}  // namespace fastvbench
