// The loops of search that exist once per CPU level, each against the plainest code there is.
#include <set>

#include "check.h"
#include "fastvbench/aligned_buffer.h"
#include "search/kernels.h"
#include "search_cases.h"

namespace {

using fastvbench::CodeWidth;
using fastvbench::kBlockRows;
using fastvbench::kPanelQueries;
using fastvbench::search_kernels;
using namespace search_cases;

bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }
bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

void check_dot64() {
  std::mt19937_64 random(1);
  for (const std::int64_t dimension : {1, 3, 15, 16, 17, 31, 64, 777, 4097}) {
    for (const Family family : {Family::kGaussian, Family::kWildScales, Family::kSubnormal}) {
      for (const std::int64_t count : {1, 2, 3, 4, 5, 9}) {
        const Vectors a = make_vectors(family, count, dimension, random);
        const Vectors b = make_vectors(family, count, dimension, random);
        std::vector<const float*> a_rows, b_rows;
        for (std::int64_t i = 0; i < count; ++i) {
          a_rows.push_back(a.row(i));
          b_rows.push_back(b.row(i));
        }
        std::vector<double> out(static_cast<std::size_t>(count), -1.0);
        search_kernels().dot64_pairs(a_rows.data(), b_rows.data(), count, dimension, out.data());
        for (std::int64_t i = 0; i < count; ++i) {
          CHECK(same_bits(out[static_cast<std::size_t>(i)],
                          plain_dot64(a.row(i), b.row(i), dimension)));
        }
      }
    }
  }
  // A sum of negative zeros is +0, which ties with every other zero.
  const float minus[2] = {-0.0f, -0.0f};
  const float plus[2] = {1.0f, 2.0f};
  const float* a = minus;
  const float* b = plus;
  double out = -1.0;
  search_kernels().dot64_pairs(&a, &b, 1, 2, &out);
  CHECK(same_bits(out, 0.0));
}

void check_widening() {
  std::vector<std::uint16_t> patterns(65536);
  for (std::size_t i = 0; i < patterns.size(); ++i) patterns[i] = static_cast<std::uint16_t>(i);
  std::vector<float> halves(patterns.size()), brains(patterns.size());
  // From odd places and in odd lengths too: the last values take another way than the first.
  for (const std::size_t first : {std::size_t{0}, std::size_t{3}}) {
    const auto count = static_cast<std::int64_t>(patterns.size() - first);
    search_kernels().widen_halves(patterns.data() + first, count, halves.data() + first);
    search_kernels().widen_brain_floats(patterns.data() + first, count, brains.data() + first);
    for (std::size_t i = first; i < patterns.size(); ++i) {
      const float half = half_value(patterns[i]);
      CHECK(std::isnan(half) ? std::isnan(halves[i]) : same_bits(halves[i], half));
      CHECK(same_bits(brains[i], brain_value(patterns[i])));
    }
  }
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    float alone = -1.0f;
    search_kernels().widen_halves(&patterns[i], 1, &alone);
    CHECK(std::isnan(halves[i]) ? std::isnan(alone) : same_bits(alone, halves[i]));
  }
}

void check_codes() {
  std::mt19937_64 random(2);
  for (const std::int64_t dimension : {1, 3, 16, 17, 777}) {
    const auto size = static_cast<std::size_t>(dimension);
    const std::size_t padded = (size + 15) / 16 * 16;
    for (const int limit : {63, 127, fastvbench::wide_code_limit(dimension)}) {
      const Vectors row = make_vectors(Family::kGaussian, 1, dimension, random);
      std::vector<float> mean(padded, 0.0f);
      for (std::size_t d = 0; d < size; ++d) mean[d] = static_cast<float>(gaussian(random));
      std::vector<double> centred(padded, 0.0);
      double most = 0.0;
      for (std::size_t d = 0; d < size; ++d) {
        centred[d] = 0.75 * row.values[d] - 0.5 * mean[d];
        most = std::max(most, std::fabs(centred[d]));
      }
      const double largest =
          search_kernels().largest_magnitude(row.row(0), dimension, 0.75f, 0.5f, mean.data());
      CHECK(std::fabs(largest - most) <= 0x1p-21 * (most + 4.0));
      CHECK(fastvbench::enlarged(largest, 4.0) >= most);
      const double step = static_cast<float>(fastvbench::enlarged(largest, 4.0) / limit);
      std::vector<std::int16_t> codes(padded, -1);
      fastvbench::CodedVector coded{};
      search_kernels().encode_vector(row.row(0), dimension, 0.75, 0.5, mean.data(), step,
                                     codes.data(), &coded);
      std::int64_t sum = 0, square = 0;
      double residual_square = 0.0, mean_product = 0.0, mean_size = 0.0;
      for (std::size_t d = 0; d < padded; ++d) {
        const int code = codes[d];
        CHECK(code >= -limit && code <= limit);
        const double residual = centred[d] - step * code;
        CHECK(std::fabs(residual) <= 0.5000001 * step);
        sum += code;
        square += code * code;
        residual_square += residual * residual;
        mean_product += centred[d] * mean[d];
        mean_size += std::fabs(centred[d] * mean[d]);
      }
      CHECK(coded.code_sum == sum);
      CHECK(coded.code_square == square);
      CHECK(std::fabs(coded.residual_square - residual_square) <= 1e-12 * residual_square);
      CHECK(std::fabs(coded.mean_product - mean_product) <= 1e-12 * mean_size);
    }
  }
}

// Float32 sums are held to what bound.h allows them.
void check_row_codes() {
  std::mt19937_64 random(5);
  for (const std::int64_t dimension : {1, 3, 16, 17, 777, 65536}) {
    const auto size = static_cast<std::size_t>(dimension);
    const std::size_t padded = (size + 15) / 16 * 16;
    const Vectors row = make_vectors(Family::kGaussian, 1, dimension, random);
    for (const bool is_centred : {false, true}) {
      std::vector<float> mean(padded, 0.0f);
      for (std::size_t d = 0; is_centred && d < size; ++d) {
        mean[d] = static_cast<float>(gaussian(random));
      }
      const float* mean_values = is_centred ? mean.data() : nullptr;
      const float factor = 0.7f;
      const double largest =
          search_kernels().largest_magnitude(row.row(0), dimension, factor, 1.0f, mean_values);
      const auto step = static_cast<float>(fastvbench::enlarged(largest, 4.0) / 127);
      std::vector<std::int8_t> codes(padded, -1);
      fastvbench::CodedRow coded{};
      search_kernels().encode_row(row.row(0), dimension, factor, mean_values, step, codes.data(),
                                  &coded);
      double square = 0.0, residual_square = 0.0, mean_product = 0.0, mean_size = 0.0, off = 0.0;
      for (std::size_t d = 0; d < padded; ++d) {
        const double scaled = d < size ? static_cast<double>(factor) * row.values[d] : 0.0;
        const double value = scaled - mean[d];
        const double residual = value - static_cast<double>(step) * codes[d];
        CHECK(std::fabs(residual) <= 0.5001 * step);
        square += codes[d] * codes[d];
        residual_square += residual * residual;
        mean_product += value * mean[d];
        mean_size += (std::fabs(scaled) + std::fabs(mean[d])) * std::fabs(mean[d]);
        const double component =
            fastvbench::kByteComponentRounding * (std::fabs(scaled) + std::fabs(mean[d]));
        off += component * component;
      }
      const double room = 1.0 + fastvbench::float_rounding(dimension);
      const double least = std::sqrt(residual_square), given = std::sqrt(coded.residual_square);
      CHECK(given * room + std::sqrt(off) >= least && given <= least * room + std::sqrt(off));
      CHECK(std::sqrt(coded.code_square) * room >= std::sqrt(square));
      CHECK(std::sqrt(coded.code_square) <= std::sqrt(square) * room);
      CHECK(std::fabs(coded.mean_product - mean_product) <= 0x1p-22 * mean_size);
    }
  }
}

// NaN and infinity reach the residual, which is how a row with a fault is noticed.
void check_codes_of_faults() {
  for (const double bad : {static_cast<double>(NAN), HUGE_VAL, -HUGE_VAL}) {
    for (const double step : {1.0, HUGE_VAL}) {
      std::vector<float> row(16, 0.5f);
      row[5] = static_cast<float>(bad);
      const std::vector<float> mean(16, 0.0f);
      std::vector<std::int16_t> codes(16);
      fastvbench::CodedVector coded{};
      search_kernels().encode_vector(row.data(), 16, 1.0, 1.0, mean.data(), step, codes.data(),
                                     &coded);
      CHECK(!std::isfinite(coded.residual_square));
      std::vector<std::int8_t> bytes(16);
      fastvbench::CodedRow row_coded{};
      search_kernels().encode_row(row.data(), 16, 1.0f, mean.data(), static_cast<float>(step),
                                  bytes.data(), &row_coded);
      CHECK(!std::isfinite(row_coded.residual_square));
    }
  }
}

// Row blocks and query panels, full and not, with steps before and behind a whole register of them.
void check_interleave() {
  std::mt19937_64 random(3);
  for (const CodeWidth width : {CodeWidth::kByte, CodeWidth::kWide}) {
    for (const std::int64_t dimension : {1, 5, 63, 64, 130, 200}) {
      for (const int count : {1, 5, 12, 16, 17, 32}) {
        const int room = count <= 12 ? 12 : 32;
        const std::int64_t stride = (dimension + 15) / 16 * 16;
        const std::int64_t steps = fastvbench::steps_of(dimension, width);
        const int largest = width == CodeWidth::kByte ? 127 : 32767;
        std::vector<std::int16_t> codes(static_cast<std::size_t>(stride * count));
        for (auto& code : codes) {
          code =
              static_cast<std::int16_t>(static_cast<int>(random() % (2 * largest + 1)) - largest);
        }
        std::vector<std::uint8_t> to(static_cast<std::size_t>(steps * room * 4), 99);
        search_kernels().interleave_codes(codes.data(), stride, count, steps, width, to.data(),
                                          room);
        for (std::int64_t step = 0; step < steps; ++step) {
          for (int i = 0; i < room; ++i) {
            const std::uint8_t* place = to.data() + (step * room + i) * 4;
            std::int16_t wide[2];
            std::memcpy(wide, place, sizeof wide);
            for (int k = 0; k < 4 && i < count; ++k) {
              const std::int16_t* row = codes.data() + i * stride;
              if (width == CodeWidth::kWide) {
                CHECK(wide[k / 2] == row[2 * step + k / 2]);
              } else {
                CHECK(static_cast<std::int8_t>(place[k]) == row[4 * step + k]);
              }
            }
            CHECK(i < count || place[0] == 99);  // other vectors' places are left alone
          }
        }
      }
    }
  }
}

// Blocks of rows, written through the caches and past them.
void check_interleave_rows() {
  std::mt19937_64 random(4);
  for (const std::int64_t dimension : {1, 5, 63, 64, 130, 200}) {
    const std::int64_t stride = (dimension + 15) / 16 * 16;
    const std::int64_t steps = fastvbench::steps_of(dimension, CodeWidth::kByte);
    std::vector<std::int8_t> codes(static_cast<std::size_t>(stride * kBlockRows));
    for (auto& code : codes)
      code = static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127);
    for (const bool is_past_cache : {false, true}) {
      fastvbench::AlignedBuffer<std::uint8_t> to;
      CHECK(to.allocate(steps * kBlockRows * 4));
      search_kernels().interleave_rows(codes.data(), stride, steps, is_past_cache, to.data());
      for (std::int64_t step = 0; step < steps; ++step) {
        for (int i = 0; i < kBlockRows; ++i) {
          for (int k = 0; k < 4; ++k) {
            CHECK(to[(step * kBlockRows + i) * 4 + k] == codes[i * stride + 4 * step + k] + 128);
          }
        }
      }
    }
  }
}

// The sums of products at their extremes: every code at its limit, of one sign and of both.
void check_sums_fit() {
  for (const std::int64_t dimension : {1, 2, 3, 64, 777, 65536}) {
    for (const CodeWidth width : {CodeWidth::kByte, CodeWidth::kWide}) {
      const bool is_byte = width == CodeWidth::kByte;
      const int row_limit = is_byte ? 127 : fastvbench::wide_code_limit(dimension);
      const int query_limit = is_byte ? search_kernels().query_code_limit : row_limit;
      const std::int64_t stride = (dimension + 15) / 16 * 16;
      const std::int64_t steps = fastvbench::steps_of(dimension, width);
      const auto code = [&](int kind, std::int64_t d, int limit) {
        const bool is_negative =
            kind == 1 || (kind == 2 && d % 2 == 1) || (kind == 3 && d < dimension / 2);
        return static_cast<std::int16_t>(d >= dimension ? 0 : is_negative ? -limit : limit);
      };
      std::vector<std::int16_t> rows, queries;
      for (int i = 0; i < kBlockRows; ++i) {
        for (std::int64_t d = 0; d < stride; ++d) rows.push_back(code(i % 4, d, row_limit));
      }
      for (int q = 0; q < kPanelQueries; ++q) {
        for (std::int64_t d = 0; d < stride; ++d) queries.push_back(code(q % 4, d, query_limit));
      }
      fastvbench::AlignedBuffer<std::uint8_t> block, panel_codes;
      CHECK(block.allocate(steps * kBlockRows * 4) &&
            panel_codes.allocate(steps * kPanelQueries * 4));
      if (is_byte) {
        const std::vector<std::int8_t> bytes(rows.begin(), rows.end());
        search_kernels().interleave_rows(bytes.data(), stride, steps, false, block.data());
      } else {
        search_kernels().interleave_codes(rows.data(), stride, kBlockRows, steps, width,
                                          block.data(), kBlockRows);
      }
      search_kernels().interleave_codes(queries.data(), stride, kPanelQueries, steps, width,
                                        panel_codes.data(), kPanelQueries);
      std::vector<float> terms(4 * kBlockRows, 0.0f);
      std::fill_n(terms.begin(), kBlockRows, 1.0f);
      const std::uint32_t rankable = 0xFFFFFFFFu;
      fastvbench::FilterPanel panel{};
      panel.codes = panel_codes.data();
      for (int q = 0; q < kPanelQueries; ++q) {
        std::int64_t sum = 0;
        for (std::int64_t d = 0; d < dimension; ++d) sum += queries[q * stride + d];
        panel.starts[q] = is_byte ? static_cast<std::int32_t>(-128 * sum) : 0;
      }
      std::vector<float> thresholds(fastvbench::kPanelRoom, -HUGE_VALF);
      const float peaks[2] = {0.0f, 0.0f};
      fastvbench::TileHits hits;
      const auto& scans = is_byte ? search_kernels().scan_codes : search_kernels().scan_wide_codes;
      CHECK(scans[kPanelQueries]({block.data(), terms.data(), peaks, &rankable, steps}, 0, 1, panel,
                                 thresholds.data(), &hits) == 0);
      for (int q = 0; q < kPanelQueries; ++q) {
        for (int i = 0; i < kBlockRows; ++i) {
          std::int64_t product = 0;
          for (std::int64_t d = 0; d < dimension; ++d) {
            product += rows[i * stride + d] * queries[q * stride + d];
          }
          CHECK(hits.middles[q][i] == static_cast<float>(product));
        }
      }
    }
  }
}

float any_float(std::mt19937_64& random) {
  static const float kEdges[] = {0.0f,    -0.0f,    1.0f,      -1.0f,      1e-45f, -1e-45f,
                                 3.4e38f, -3.4e38f, HUGE_VALF, -HUGE_VALF, NAN};
  return random() % 3 == 0 ? kEdges[random() % 11] : static_cast<float>(gaussian(random));
}

void check_append() {
  std::mt19937_64 random(4);
  for (int repeat = 0; repeat < 500; ++repeat) {
    float middles[kBlockRows], widths[kBlockRows];
    for (int i = 0; i < kBlockRows; ++i) {
      middles[i] = any_float(random);
      widths[i] = std::fabs(any_float(random));
    }
    auto rows = static_cast<std::uint32_t>(random());
    if (repeat < 3) rows = repeat == 0 ? 0 : repeat == 1 ? 0xFFFFFFFFu : 0x80000001u;
    float lowers[2 * kBlockRows], uppers[2 * kBlockRows];
    std::uint32_t places[2 * kBlockRows];
    const std::int64_t count =
        search_kernels().append_rows(middles, widths, rows, 640, lowers, uppers, places);
    std::int64_t next = 0;
    for (int i = 0; i < kBlockRows; ++i) {
      if ((rows >> i & 1) == 0) continue;
      const float lower = middles[i] - widths[i];
      const float upper = middles[i] + widths[i];
      CHECK(places[next] == 640u + static_cast<std::uint32_t>(i));
      CHECK(same_bits(lowers[next], std::isfinite(lower) ? lower : -HUGE_VALF));
      CHECK(same_bits(uppers[next], std::isnan(upper) ? HUGE_VALF : upper));
      ++next;
    }
    CHECK(count == next);
  }
}

void check_keep() {
  std::mt19937_64 random(5);
  for (const std::int64_t count : {0, 1, 15, 16, 17, 47, 200}) {
    for (const float threshold : {-HUGE_VALF, -0.5f, 0.0f, 0.7f, HUGE_VALF, NAN}) {
      const auto size = static_cast<std::size_t>(count);
      // Whole registers may be written, within the columns.
      std::vector<float> lowers(size + kBlockRows), uppers(size + kBlockRows);
      std::vector<std::uint32_t> rows(size + kBlockRows);
      for (std::size_t i = 0; i < size; ++i) {
        lowers[i] = any_float(random);
        uppers[i] = any_float(random);
        rows[i] = static_cast<std::uint32_t>(random());
      }
      const std::vector<float> lowers_before = lowers, uppers_before = uppers;
      const std::vector<std::uint32_t> rows_before = rows;
      const std::int64_t kept = search_kernels().keep_not_below(lowers.data(), uppers.data(),
                                                                rows.data(), count, threshold);
      std::size_t next = 0;
      for (std::size_t i = 0; i < size; ++i) {
        if (uppers_before[i] < threshold) continue;
        CHECK(same_bits(lowers[next], lowers_before[i]));
        CHECK(same_bits(uppers[next], uppers_before[i]));
        CHECK(rows[next] == rows_before[i]);
        ++next;
      }
      CHECK(kept == static_cast<std::int64_t>(next));
    }
  }
}

void check_kth_largest() {
  std::mt19937_64 random(6);
  for (const std::int64_t count : {1, 2, 3, 16, 100, 1000}) {
    for (int kind = 0; kind < 5; ++kind) {
      std::vector<float> values;
      for (std::int64_t i = 0; i < count; ++i) {
        float value = any_float(random);
        while (std::isnan(value) || value == HUGE_VALF) value = any_float(random);
        if (kind == 1) value = -HUGE_VALF;
        if (kind == 2) value = random() % 2 == 0 ? 0.0f : -0.0f;
        if (kind == 3) value = static_cast<float>(random() % 4) - 2.0f;
        if (kind == 4 && random() % 2 == 0) value = -HUGE_VALF;
        values.push_back(value);
      }
      std::set<std::int64_t> places{1, 2, count / 2, count - 1, count};
      for (const std::int64_t wanted : places) {
        if (wanted < 1 || wanted > count) continue;
        std::vector<float> sorted = values;
        std::nth_element(sorted.begin(), sorted.begin() + (wanted - 1), sorted.end(),
                         [](float a, float b) { return a > b; });
        CHECK(search_kernels().kth_largest(values.data(), count, wanted) ==
              sorted[static_cast<std::size_t>(wanted - 1)]);
      }
    }
  }
}

}  // namespace

int main() {
  check_dot64();
  check_widening();
  check_codes();
  check_row_codes();
  check_codes_of_faults();
  check_interleave();
  check_interleave_rows();
  check_sums_fit();
  check_append();
  check_keep();
  check_kth_largest();
  return failure_count() != 0;
}
