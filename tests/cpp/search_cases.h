// Vectors to search, and what a search must answer: every key by plain dot64, all rows sorted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "fastvbench/search.h"

namespace search_cases {

using fastvbench::ElementType;
using fastvbench::EmbeddingRows;
using fastvbench::Similarity;

/// Values as float32; for 16-bit types the patterns that they were read from.
struct Vectors {
  std::int64_t count = 0;
  std::int64_t dimension = 0;
  ElementType type = ElementType::kFloat32;
  std::vector<float> values;
  std::vector<std::uint16_t> patterns;

  float* row(std::int64_t i) { return values.data() + i * dimension; }
  const float* row(std::int64_t i) const { return values.data() + i * dimension; }
  EmbeddingRows view() const {
    if (type == ElementType::kFloat32) return {values.data(), count, dimension, type};
    return {patterns.data(), count, dimension, type};
  }
};

inline Vectors empty_vectors(std::int64_t count, std::int64_t dimension) {
  Vectors made;
  made.count = count;
  made.dimension = dimension;
  made.values.assign(static_cast<std::size_t>(count * dimension), 0.0f);
  return made;
}

/// IEEE half precision as its definition says, one value.
inline float half_value(std::uint16_t pattern) {
  const int exponent = pattern >> 10 & 31;
  const int fraction = pattern & 1023;
  double value =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) {
    value = fraction == 0 ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
  }
  return static_cast<float>((pattern & 0x8000) != 0 ? -value : value);
}

inline float brain_value(std::uint16_t pattern) {
  const std::uint32_t bits = static_cast<std::uint32_t>(pattern) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

enum class Family {
  kGaussian,
  kClustered,   // around one direction, so that the filter centres them
  kTies,        // a few values only, and rows that repeat
  kOneHuge,     // 1e30 in one row among ones
  kWildScales,  // each row by a factor from 1e-37 to 1e30
  kSubnormal,
  kWholeCodes,  // whole numbers up to 127: nothing is left over by the codes
  kHalfSteps,   // halfway between two codes, all on one side
  kHalf,        // any finite float16 pattern
  kBrain,       // finite bfloat16 patterns, subnormal ones too
};
constexpr int kFamilyCount = 10;

inline double gaussian(std::mt19937_64& random) {
  double sum = -6.0;  // twelve uniform values: the same numbers with every standard library
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
  return sum;
}

inline void fill_patterns(Vectors& made, Family family, std::mt19937_64& random) {
  made.type = family == Family::kHalf ? ElementType::kFloat16 : ElementType::kBfloat16;
  made.patterns.resize(made.values.size());
  for (std::size_t i = 0; i < made.values.size(); ++i) {
    do {
      made.patterns[i] = static_cast<std::uint16_t>(random());
      // Mostly of one size, so that more than one value of a row counts.
      if (family == Family::kBrain && random() % 8 != 0) {
        made.patterns[i] = static_cast<std::uint16_t>(0x3F80 | (made.patterns[i] & 0x80FF));
      }
      made.values[i] =
          family == Family::kHalf ? half_value(made.patterns[i]) : brain_value(made.patterns[i]);
    } while (!std::isfinite(made.values[i]));
    if (random() % 16 == 0) {  // a subnormal
      made.patterns[i] = static_cast<std::uint16_t>(random() & 0x803F);
      made.values[i] =
          family == Family::kHalf ? half_value(made.patterns[i]) : brain_value(made.patterns[i]);
    }
  }
}

inline Vectors make_vectors(Family family, std::int64_t count, std::int64_t dimension,
                            std::mt19937_64& random) {
  Vectors made = empty_vectors(count, dimension);
  if (family == Family::kHalf || family == Family::kBrain) {
    fill_patterns(made, family, random);
  }
  for (std::int64_t i = 0; i < count && made.patterns.empty(); ++i) {
    float* row = made.row(i);
    const double scale = std::pow(10.0, static_cast<double>(random() % 68) - 37.0);
    const bool repeats = i > 0 && random() % 3 == 0;
    for (std::int64_t d = 0; d < dimension; ++d) {
      double value = gaussian(random);
      switch (family) {
        case Family::kClustered:
          value = 3.0 * std::sin(static_cast<double>(d)) + 0.3 * value;
          break;
        case Family::kTies:
          value = repeats ? row[d - dimension] : static_cast<double>(random() % 3) - 1.0;
          break;
        case Family::kOneHuge:
          value = (i == count / 2 ? 1e30 : 1.0) * (random() % 2 == 0 ? 1.0 : -1.0);
          break;
        case Family::kWildScales:
          value *= scale;
          break;
        case Family::kSubnormal:
          value *= random() % 4 == 0 ? 1e-38 : 1e-42;
          break;
        case Family::kWholeCodes:
          value = d == 0 ? 127.0 : static_cast<double>(random() % 255) - 127.0;
          break;
        case Family::kHalfSteps:
          value = d == 0 ? 127.0 : static_cast<double>(random() % 200) - 100.0 + 31.0 / 64.0;
          break;
        default:
          break;
      }
      row[d] = static_cast<float>(value);
    }
  }
  // No row is all zeros, which has no cosine.
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::any_of(made.row(i), made.row(i) + dimension, [](float v) { return v != 0.0f; })) {
      continue;
    }
    made.row(i)[0] =
        made.type == ElementType::kFloat32 && family == Family::kSubnormal ? 1e-44f : 1.0f;
    if (made.patterns.empty()) continue;
    made.patterns[static_cast<std::size_t>(i * dimension)] =
        made.type == ElementType::kFloat16 ? 0x3C00 : 0x3F80;
  }
  return made;
}

/// dot64 as search.h defines it.
inline double plain_dot64(const float* a, const float* b, std::int64_t dimension) {
  double lanes[16] = {};
  for (std::int64_t d = 0; d < dimension; ++d) {
    lanes[d % 16] += static_cast<double>(a[d]) * static_cast<double>(b[d]);
  }
  for (int width = 8; width > 0; width /= 2) {
    for (int j = 0; j < width; ++j) lanes[j] += lanes[j + width];
  }
  return lanes[0] + 0.0;
}

/// Every key, and which rows can be ranked.
struct PlainKeys {
  std::int64_t rows = 0;
  Similarity similarity = Similarity::kDot;
  std::vector<double> keys;  // [query][row]
  std::vector<double> query_norms;
  std::vector<bool> is_rankable;

  PlainKeys(const Vectors& gallery, const Vectors& queries, Similarity which)
      : rows(gallery.count), similarity(which) {
    std::vector<double> norms;
    for (std::int64_t i = 0; i < rows; ++i) {
      const float* row = gallery.row(i);
      bool is_finite = true;
      bool is_zero = true;
      for (std::int64_t d = 0; d < gallery.dimension; ++d) {
        is_finite = is_finite && std::isfinite(row[d]);
        is_zero = is_zero && row[d] == 0.0f;
      }
      is_rankable.push_back(is_finite && !(is_zero && similarity == Similarity::kCosine));
      norms.push_back(std::sqrt(plain_dot64(row, row, gallery.dimension)));
    }
    for (std::int64_t q = 0; q < queries.count; ++q) {
      const float* query = queries.row(q);
      query_norms.push_back(std::sqrt(plain_dot64(query, query, queries.dimension)));
      for (std::int64_t i = 0; i < rows; ++i) {
        const double product = plain_dot64(query, gallery.row(i), gallery.dimension);
        keys.push_back(similarity == Similarity::kDot
                           ? product
                           : product / norms[static_cast<std::size_t>(i)]);
      }
    }
  }
  double key(std::int64_t query, std::int64_t row) const {
    return keys[static_cast<std::size_t>(query * rows + row)];
  }
  std::int64_t rankable_count() const {
    return std::count(is_rankable.begin(), is_rankable.end(), true);
  }
  double score(std::int64_t query, std::int64_t row) const {
    return similarity == Similarity::kDot
               ? key(query, row)
               : key(query, row) / query_norms[static_cast<std::size_t>(query)];
  }
  /// Rankable rows of one query, best first.
  std::vector<std::int64_t> order(std::int64_t query) const {
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < rows; ++i) {
      if (is_rankable[static_cast<std::size_t>(i)]) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return key(query, a) > key(query, b); });
    return order;
  }
};

}  // namespace search_cases
