// Builds the blocks that the filters read: one pass over the rows.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "fastvbench/parallel.h"
#include "search/bound_terms.h"
#include "search/faults.h"
#include "search/filter_rows.h"
#include "search/row_reader.h"

namespace fastvbench {
namespace {

// Codes that a last-level cache may still hold when they are first read.
constexpr std::int64_t kCachedBytes = 64 << 20;

// Where a block's terms lie: four arrays of kBlockRows.
struct BlockTerms {
  float* scale;
  float* residual;
  float* length;
  float* bias;

  explicit BlockTerms(float* terms)
      : scale(terms),
        residual(terms + kBlockRows),
        length(terms + 2 * kBlockRows),
        bias(terms + 3 * kBlockRows) {}

  void set(int row, const RowTerms& terms) const {
    scale[row] = terms.step;
    residual[row] = terms.residual;
    length[row] = terms.length;
    bias[row] = terms.bias;
  }
};

// One worker's memory.
class BlockBuilder {
 public:
  BlockBuilder(const EmbeddingRows& rows, Similarity similarity, const RowFrame& frame,
               FilterRows& filter)
      : similarity_(similarity),
        frame_(frame),
        mean_(frame.is_centred ? frame.mean.data() : nullptr),
        filter_(filter),
        kernels_(search_kernels()),
        reader_(rows, kernels_),
        padded_((rows.dimension + 15) / 16 * 16),
        limit_(is_wide() ? wide_code_limit(rows.dimension) : kRowCodeLimit),
        rounding_(is_wide() ? wide_row_rounding() : byte_row_rounding(rows.dimension)) {}

  bool reserve() {
    if (!reader_.reserve(kBlockRows)) return false;
    return is_wide() ? wide_codes_.allocate(padded_ * kBlockRows)
                     : codes_.allocate(padded_ * kBlockRows) && wide_codes_.allocate(padded_);
  }

  // Builds one block; returns how many of its rows have a fault.
  std::int64_t build(std::int64_t block, std::uint8_t* faults, double* norms) {
    const std::int64_t first_row = block * kBlockRows;
    const std::int64_t begin = filter_.begin + first_row;
    const int count = static_cast<int>(std::min<std::int64_t>(kBlockRows, filter_.end - begin));
    const std::int64_t dimension = reader_.rows().dimension;
    const float* first = reader_.read(begin, begin + count);
    const float* rows[kBlockRows];
    double squares[kBlockRows];
    for (int i = 0; i < count; ++i) rows[i] = first + i * dimension;
    const bool is_cosine = similarity_ == Similarity::kCosine;
    if (is_cosine) kernels_.dot64_pairs(rows, rows, count, dimension, squares);
    const BlockTerms terms(filter_.terms.data() + block * 4 * kBlockRows);
    std::uint32_t rankable = 0;
    std::int64_t fault_count = 0;
    for (int i = 0; i < kBlockRows; ++i) {
      RowFault fault = RowFault::kNone;
      if (i < count) {
        fetch(begin + i + kBlockRows);
        const double factor = is_cosine ? 1.0 / std::sqrt(squares[i]) : frame_.scale;
        const double residual_square = encode(i, rows[i], factor, terms);
        // A value that is not finite leaves a residual that is not.
        const bool is_suspect =
            is_cosine ? needs_look(squares[i], similarity_) : !std::isfinite(residual_square);
        if (is_suspect) fault = fault_of(rows[i], dimension, similarity_);
        fault_count += fault != RowFault::kNone;
        if (faults != nullptr) faults[first_row + i] = static_cast<std::uint8_t>(fault);
        if (norms != nullptr) norms[first_row + i] = std::sqrt(squares[i]);
      }
      if (i < count && fault == RowFault::kNone) {
        rankable |= 1u << i;
      } else {  // its bit in `rankable` keeps it out
        terms.set(i, {0.0f, 0.0f, 0.0f, 0.0f});
        clear_codes(i);
      }
    }
    filter_.rankable[block] = rankable;
    float* peaks = filter_.peaks.data() + 2 * block;
    peaks[0] = *std::max_element(terms.residual, terms.residual + kBlockRows);
    peaks[1] = *std::max_element(terms.length, terms.length + kBlockRows);
    std::uint8_t* to = filter_.codes.data() + block * filter_.block_bytes();
    if (is_wide()) {
      kernels_.interleave_codes(wide_codes_.data(), padded_, kBlockRows, filter_.step_count,
                                CodeWidth::kWide, to, kBlockRows);
    } else {
      const bool is_past_cache = filter_.block_count() * filter_.block_bytes() > kCachedBytes;
      kernels_.interleave_rows(codes_.data(), padded_, filter_.step_count, is_past_cache, to);
    }
    return fault_count;
  }

 private:
  bool is_wide() const { return filter_.width == CodeWidth::kWide; }

  // Asks for the same row of the next block, so that it comes while this one is encoded.
  void fetch(std::int64_t row) const {
    const EmbeddingRows& rows = reader_.rows();
    if (row >= rows.count) return;
    const auto* from = static_cast<const char*>(rows.row(row));
    const std::int64_t bytes = rows.dimension * element_size(rows.type);
    for (std::int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(from + i, 0, 2);
  }

  // Codes of row `i` of the block; returns the sum of squared residuals.
  double encode(int i, const float* row, double factor, const BlockTerms& terms) {
    const double largest = largest_of(row, factor);
    const auto step = static_cast<float>(std::max(largest / limit_, kSmallestRowStep));
    const CodedRow coded = !is_wide() && fits_float(factor) ? encode_bytes(i, row, factor, step)
                                                            : encode_wide(i, row, factor, step);
    if (!(largest <= kLargestComponent)) {
      terms.set(i, unknown_row_terms());
      clear_codes(i);
      return coded.residual_square;
    }
    terms.set(i, row_terms(step, coded.code_square, coded.residual_square, coded.mean_product,
                           frame_.mean_norm, rounding_));
    return coded.residual_square;
  }

  CodedRow encode_bytes(int i, const float* row, double factor, float step) {
    CodedRow coded;
    kernels_.encode_row(row, reader_.rows().dimension, static_cast<float>(factor), mean_, step,
                        codes_.data() + i * padded_, &coded);
    return coded;
  }

  // In float64: wide codes, and byte codes of a row whose factor float32 can't hold.
  CodedRow encode_wide(int i, const float* row, double factor, float step) {
    std::int16_t* codes = wide_codes_.data() + (is_wide() ? i * padded_ : 0);
    CodedVector coded;
    kernels_.encode_vector(row, reader_.rows().dimension, factor, mean_ == nullptr ? 0.0 : 1.0,
                           mean_, step, codes, &coded);
    if (!is_wide()) {
      for (std::int64_t d = 0; d < padded_; ++d) {
        codes_[i * padded_ + d] = static_cast<std::int8_t>(codes[d]);
      }
    }
    return {coded.residual_square, static_cast<double>(coded.code_square), coded.mean_product};
  }

  // Whether a factor loses no digits but the last in float32, and products with it none to speak
  // of.
  static bool fits_float(double factor) { return factor > 0x1p-100 && factor < 0x1p100; }

  // At least the largest |v_d|.
  double largest_of(const float* row, double factor) {
    const std::int64_t dimension = reader_.rows().dimension;
    if (fits_float(factor)) {
      const double largest = kernels_.largest_magnitude(row, dimension, static_cast<float>(factor),
                                                        mean_ == nullptr ? 0.0f : 1.0f, mean_);
      return enlarged(largest, frame_.mean_norm);
    }
    // A factor that float32 can't hold, or would lose digits to.
    double largest = 0.0;
    for (std::int64_t d = 0; d < dimension; ++d) {
      const double value = factor * row[d] - (mean_ == nullptr ? 0.0 : mean_[d]);
      largest = std::max(largest, std::fabs(value));
    }
    return enlarged(largest, frame_.mean_norm);
  }

  void clear_codes(int i) {
    if (is_wide()) {
      std::fill_n(wide_codes_.data() + i * padded_, padded_, std::int16_t{0});
    } else {
      std::fill_n(codes_.data() + i * padded_, padded_, std::int8_t{0});
    }
  }

  Similarity similarity_;
  const RowFrame& frame_;
  const float* mean_;  // null where rows are not centred
  FilterRows& filter_;
  const SearchKernels& kernels_;
  RowReader reader_;
  std::int64_t padded_;
  int limit_;
  RowRounding rounding_;
  AlignedBuffer<std::int8_t> codes_;        // byte codes, row after row
  AlignedBuffer<std::int16_t> wide_codes_;  // wide codes, or those of one row on their way to bytes
};

}  // namespace

Status FilterRows::build(const RunContext& context, const EmbeddingRows& rows,
                         Similarity similarity, const RowFrame& frame, CodeWidth wanted_width,
                         std::int64_t first_row, std::int64_t last_row, std::uint8_t* faults,
                         double* norms, std::int64_t* fault_count) {
  width = wanted_width;
  begin = first_row;
  end = last_row;
  step_count = steps_of(rows.dimension, width);
  const std::int64_t blocks_total = block_count();
  if (!codes.allocate(blocks_total * block_bytes()) ||
      !terms.allocate(blocks_total * 4 * kBlockRows) || !peaks.allocate(2 * blocks_total) ||
      !rankable.allocate(blocks_total)) {
    return Status::out_of_memory();
  }
  std::atomic<std::int64_t> faulty{0};
  const std::int64_t batch = std::clamp<std::int64_t>(blocks_total / 64, 1, 8);
  auto body = [&](std::int64_t first, std::int64_t last, std::int32_t) {
    BlockBuilder builder(rows, similarity, frame, *this);
    if (!builder.reserve()) return Status::out_of_memory();
    for (std::int64_t block = first; block < last; ++block) {
      faulty.fetch_add(builder.build(block, faults, norms), std::memory_order_relaxed);
    }
    return Status();
  };
  RunContext few = context;
  if ((end - begin) * rows.dimension < (1 << 17)) few.threads = 1;
  const Status status = parallel_for(few, blocks_total, batch, body);
  *fault_count = faulty.load();
  return status;
}

}  // namespace fastvbench
