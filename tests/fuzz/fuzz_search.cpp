// A small gallery and queries from any bytes: every path and CPU level refuses the same row, and
// else gives the best rows, scores and ranks that plain sums and a sort give.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "fastvbench/cpu_level.h"
#include "fastvbench/search.h"

namespace {

using fastvbench::Code;
using fastvbench::ElementType;
using fastvbench::EmbeddingRows;
using fastvbench::Gallery;
using fastvbench::Preparation;
using fastvbench::RankColumns;
using fastvbench::RelevantRows;
using fastvbench::RunContext;
using fastvbench::SearchPath;
using fastvbench::Similarity;
using fastvbench::Status;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

// The bytes of an input, one after the other; zeros behind its end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint8_t next() { return at_ < size_ ? data_[at_++] : 0; }
  bool is_empty() const { return at_ >= size_; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

// What the first bytes say about a call.
struct Options {
  Similarity similarity;
  ElementType type;
  std::int64_t dimension, rows, queries, k;
  std::int32_t threads;
  Preparation preparation;
  bool may_hold_faults;

  explicit Options(Bytes& bytes) {
    const std::uint8_t first = bytes.next();
    similarity = (first & 1) != 0 ? Similarity::kCosine : Similarity::kDot;
    type = static_cast<ElementType>((first >> 1 & 3) % 3);
    threads = (first & 8) != 0 ? 2 : 1;
    static constexpr std::int64_t kDimensions[] = {1, 2, 3, 15, 16, 17, 33, 130};
    dimension = kDimensions[first >> 5];
    rows = 1 + bytes.next() % 100;
    const std::uint8_t last = bytes.next();
    queries = 1 + (last & 31) % 27;
    k = 1 + (last >> 5);
    const std::uint8_t how = bytes.next();
    may_hold_faults = (how & 3) == 0;
    preparation = static_cast<Preparation>((how >> 2) % 3);
  }
};

struct Vectors {
  std::int64_t count = 0;
  std::int64_t dimension = 0;
  ElementType type = ElementType::kFloat32;
  std::vector<float> values;
  std::vector<std::uint16_t> patterns;

  const float* row(std::int64_t i) const { return values.data() + i * dimension; }
  EmbeddingRows view() const {
    if (type == ElementType::kFloat32) return {values.data(), count, dimension, type};
    return {patterns.data(), count, dimension, type};
  }
};

float from_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

float half_value(std::uint16_t pattern) {
  const int exponent = pattern >> 10 & 31;
  const int fraction = pattern & 1023;
  const float sign = (pattern & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VALF : NAN;
  return sign * (exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                               : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25));
}

// Two bytes a value: mostly a small number of steps at the row's own exponent, at times any
// pattern.
void read_vectors(Bytes& bytes, std::int64_t count, const Options& options, Vectors* out) {
  out->count = count;
  out->dimension = options.dimension;
  out->type = options.type;
  out->values.resize(static_cast<std::size_t>(count * options.dimension));
  if (options.type != ElementType::kFloat32) out->patterns.resize(out->values.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint8_t kind = bytes.next();
    const bool repeats = i > 0 && (kind >= 0xF0 || bytes.is_empty());
    for (std::int64_t d = 0; d < options.dimension; ++d) {
      const auto at = static_cast<std::size_t>(i * options.dimension + d);
      if (repeats) {
        const std::size_t from = at - static_cast<std::size_t>(options.dimension);
        out->values[at] = out->values[from];
        if (!out->patterns.empty()) out->patterns[at] = out->patterns[from];
        continue;
      }
      const std::uint8_t low = bytes.next();
      const auto pattern = static_cast<std::uint16_t>(bytes.next() << 8 | low);
      float value = 0.0f;
      if (options.type == ElementType::kFloat16) {
        value = half_value(pattern);
      } else if (options.type == ElementType::kBfloat16) {
        value = from_bits(static_cast<std::uint32_t>(pattern) << 16);
      } else if (low == 0xFF) {
        value = from_bits(static_cast<std::uint32_t>(pattern) << 16 | kind);
      } else {
        // Exponents -149 .. 127 of the row, moved by a few in single values.
        const int exponent = (kind < 0x40 ? 0 : (kind - 0x40) * 277 / 0xB0 - 149) + (low & 7);
        value = std::ldexp(static_cast<float>(static_cast<std::int16_t>(pattern)) / 32768.0f,
                           std::min(exponent, 127));
      }
      if (!std::isfinite(value) && !options.may_hold_faults) {
        value = 1.0f;
        if (!out->patterns.empty()) {
          out->patterns[at] = options.type == ElementType::kFloat16 ? 0x3C00 : 0x3F80;
        }
      } else if (!out->patterns.empty()) {
        out->patterns[at] = pattern;
      }
      out->values[at] = value;
    }
  }
}

double plain_dot64(const float* a, const float* b, std::int64_t dimension) {
  double lanes[16] = {};
  for (std::int64_t d = 0; d < dimension; ++d) {
    lanes[d % 16] += static_cast<double>(a[d]) * static_cast<double>(b[d]);
  }
  for (int width = 8; width > 0; width /= 2) {
    for (int j = 0; j < width; ++j) lanes[j] += lanes[j + width];
  }
  return lanes[0] + 0.0;
}

bool can_be_ranked(const float* row, const Options& options) {
  bool is_zero = true;
  for (std::int64_t d = 0; d < options.dimension; ++d) {
    if (!std::isfinite(row[d])) return false;
    is_zero = is_zero && row[d] == 0.0f;
  }
  return !is_zero || options.similarity == Similarity::kDot;
}

// What every call must answer.
struct Plain {
  std::vector<bool> rankable;
  std::int64_t first_bad = -1;
  std::int64_t first_bad_query = -1;
  std::int64_t rankable_count = 0;
  std::vector<double> keys;              // [query][row]
  std::vector<std::int64_t> indices;     // [query][k]
  std::vector<double> scores;            // [query][k]
  std::vector<std::int64_t> values;      // two relevant rows per query
  std::vector<std::int64_t> offsets{0};  // of `values`
  std::vector<std::int64_t> above, tied, before;

  Plain(const Vectors& rows, const Vectors& queries, const Options& options) {
    for (std::int64_t i = 0; i < rows.count; ++i) {
      rankable.push_back(can_be_ranked(rows.row(i), options));
      if (rankable.back()) ++rankable_count;
      if (!rankable.back() && first_bad < 0) first_bad = i;
    }
    for (std::int64_t q = queries.count - 1; q >= 0; --q) {
      if (!can_be_ranked(queries.row(q), options)) first_bad_query = q;
    }
    if (first_bad_query >= 0 || rankable_count == 0) return;
    for (std::int64_t q = 0; q < queries.count; ++q) {
      add_query(rows, queries.row(q), options, std::min(options.k, rankable_count));
    }
  }

 private:
  void add_query(const Vectors& rows, const float* query, const Options& options, std::int64_t k) {
    const std::size_t first = keys.size();
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const float* row = rows.row(i);
      double key = plain_dot64(query, row, rows.dimension);
      if (options.similarity == Similarity::kCosine) {
        key /= std::sqrt(plain_dot64(row, row, rows.dimension));
      }
      keys.push_back(key);
      if (rankable[static_cast<std::size_t>(i)]) order.push_back(i);
    }
    const double* own = keys.data() + first;
    std::stable_sort(order.begin(), order.end(),
                     [own](std::int64_t a, std::int64_t b) { return own[a] > own[b]; });
    const double norm = std::sqrt(plain_dot64(query, query, rows.dimension));
    for (std::int64_t i = 0; i < k; ++i) {
      const std::int64_t row = order[static_cast<std::size_t>(i)];
      indices.push_back(row);
      scores.push_back(options.similarity == Similarity::kCosine ? own[row] / norm : own[row]);
    }
    for (const std::int64_t row : {order[0], order[order.size() / 2]}) {
      values.push_back(row);
      std::int64_t counts[3] = {};
      for (const std::int64_t i : order) {
        counts[0] += own[i] > own[row];
        counts[1] += own[i] == own[row];
        counts[2] += own[i] == own[row] && i < row;
      }
      above.push_back(counts[0]);
      tied.push_back(counts[1]);
      before.push_back(counts[2]);
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
};

void check_call(const Gallery& gallery, const Vectors& queries, const Plain& plain, std::int64_t k,
                SearchPath path, const RunContext& context, bool refuses_rows) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(queries.count * k), -1);
  std::vector<double> scores(indices.size(), -1.0);
  const Status status =
      gallery.search(context, queries.view(), k, path, indices.data(), scores.data());
  if (plain.first_bad_query >= 0) {
    require(status.code == Code::kInvalidArgument && status.row == plain.first_bad_query,
            "the first query with a fault is refused");
    return;
  }
  if (refuses_rows) {
    require(status.code == Code::kInvalidArgument && status.row == plain.first_bad,
            "the first row with a fault is refused");
    return;
  }
  require(status.ok(), "a search without faults succeeds");
  require(indices == plain.indices, "the best rows are those of plain sums");
  require(std::memcmp(scores.data(), plain.scores.data(), 8 * scores.size()) == 0,
          "scores are those of plain sums");
  const std::size_t items = plain.values.size();
  std::vector<std::int64_t> above(items, -1), tied(items, -1), before(items, -1);
  const RelevantRows relevant{plain.values.data(), plain.offsets.data(), nullptr};
  const RankColumns out{above.data(), tied.data(), before.data(), nullptr};
  require(gallery.ranks(context, queries.view(), relevant, path, out).ok(), "ranks succeed");
  require(above == plain.above && tied == plain.tied && before == plain.before,
          "ranks are those of plain sums");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8) return 0;
  Bytes bytes(data, size);
  const Options options(bytes);
  Vectors rows, queries;
  read_vectors(bytes, options.queries, options, &queries);
  read_vectors(bytes, options.rows, options, &rows);
  const Plain plain(rows, queries, options);
  const std::int64_t k = std::min(options.k, plain.rankable_count);
  if (k == 0) return 0;
  RunContext context;
  context.threads = options.threads;
  const bool refuses_rows = options.preparation == Preparation::kNone && plain.first_bad >= 0;
  for (int level = 0; level <= static_cast<int>(fastvbench::best_cpu_level()); ++level) {
    fastvbench::set_cpu_level(static_cast<fastvbench::CpuLevel>(level));
    Gallery gallery;
    require(gallery.prepare(context, rows.view(), options.similarity, options.preparation).ok(),
            "any gallery can be prepared");
    require(options.preparation == Preparation::kNone ||
                gallery.rankable_count() == plain.rankable_count,
            "every row with a fault is found");
    for (const SearchPath path :
         {SearchPath::kStream, SearchPath::kWide, SearchPath::kCoded, SearchPath::kFloat}) {
      check_call(gallery, queries, plain, k, path, context, refuses_rows);
    }
  }
  return 0;
}
