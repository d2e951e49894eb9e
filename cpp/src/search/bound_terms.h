// What bound.h's proof asks of one row and of one query, from what coding them found. Every device
// that makes codes takes its numbers from here; how the codes came about makes no difference.
#pragma once

#include <cmath>
#include <cstdint>

#include "fastvbench/host_device.h"
#include "search/bound.h"

namespace fastvbench {

/// How one query's keys look to the filter: f = key * unit - shift, give or take `slack` (bound.h).
struct KeyScale {
  double unit;
  double shift;
  double slack;

  /// The highest threshold that drops no row whose key is `key` or more.
  FASTVBENCH_HOST_DEVICE float threshold(double key) const {
    const double position = key * unit - shift;
    return finite_or(rounded_down(position - margin(key)), -HUGE_VALF);
  }
  /// Rows whose lower bound is above this have a key above `key`.
  FASTVBENCH_HOST_DEVICE float ceiling(double key) const {
    const double position = key * unit - shift;
    return finite_or(rounded_up(position + margin(key)), HUGE_VALF);
  }
  /// What a query's threshold may rise to where enough rows have `floor` as their lower bound.
  FASTVBENCH_HOST_DEVICE float below_floor(float floor) const {
    return rounded_down(static_cast<double>(floor) - 2.0 * slack);
  }

 private:
  // The position itself is rounded too.
  FASTVBENCH_HOST_DEVICE double margin(double key) const {
    return slack + 0x1p-50 * (std::fabs(key * unit) + std::fabs(shift));
  }
  FASTVBENCH_HOST_DEVICE static float finite_or(float value, float otherwise) {
    return std::isfinite(value) ? value : otherwise;
  }
};

/// c, e, m and r of a row.
struct RowTerms {
  float step;
  float residual;
  float length;
  float bias;
};

/// A row of which nothing is known: always kept.
FASTVBENCH_HOST_DEVICE inline RowTerms unknown_row_terms() { return {1.0f, HUGE_VALF, 0.0f, 0.0f}; }

/// How the codes of a row came about: what each component may be off by, relatively, and each sum
/// of squares (bound.h, 3 and 4).
struct RowRounding {
  double component;
  double sum;
};
/// Components and sums in float64.
FASTVBENCH_HOST_DEVICE inline RowRounding wide_row_rounding() {
  return {kWideComponentRounding, kSumRounding};
}
/// Both in float32.
FASTVBENCH_HOST_DEVICE inline RowRounding byte_row_rounding(std::int64_t dimension) {
  return {kByteComponentRounding, 1.0 + float_rounding(dimension)};
}

/// `step` is c, `code_square` |code|^2, `residual_square` |v - c code|^2 and `mean_product` mu.v, a
/// float64 sum; `mean_norm` is at least |mu|.
FASTVBENCH_HOST_DEVICE inline RowTerms row_terms(float step, double code_square,
                                                 double residual_square, double mean_product,
                                                 double mean_norm, const RowRounding& rounding) {
  const double length = step * std::sqrt(code_square);
  double residual = std::sqrt(residual_square);
  residual += rounding.component * (2.0 * mean_norm + length + residual);
  return {step, rounded_up(residual * rounding.sum + kSmallestResidual),
          rounded_up(length * rounding.sum), static_cast<float>(mean_product)};
}

/// A query before and after coding, in the notation of bound.h.
struct CodedQuery {
  double scale;              // 2^p
  double norm;               // at least |X|
  double mean_product;       // X.mu; 0 where the gallery is not centred
  float mean_share;          // t'
  float step;                // S
  std::int64_t code_square;  // |qcode|^2
  double residual_square;    // |w - S qcode|^2
};

/// t', A, B and how keys look.
struct QueryTerms {
  float mean_share;
  float residual_factor;
  float length_factor;
  KeyScale scale;
};

/// At least |X - t mu|, from the parts of its square.
FASTVBENCH_HOST_DEVICE inline double rest_norm(double norm, double share, double mean_product,
                                               double mean_norm, std::int64_t dimension) {
  const double mean_part = share * mean_norm;
  const double square = norm * norm - 2.0 * share * mean_product + mean_part * mean_part;
  const double rounding = wide_rounding(dimension) * (norm * norm + mean_part * mean_part);
  return std::sqrt((square > 0.0 ? square : 0.0) + 4.0 * rounding) * kSumRounding;
}

/// `row_scale` is the frame's scale for dot and 1 for cosine.
FASTVBENCH_HOST_DEVICE inline QueryTerms query_terms(const CodedQuery& query, bool is_centred,
                                                     double mean_norm, double row_scale,
                                                     std::int64_t dimension) {
  const double step = query.step;
  const double share = static_cast<double>(query.mean_share) * step;  // t
  const double code_norm = std::sqrt(static_cast<double>(query.code_square)) * kSumRounding;
  const double length =  // |w| / S
      (is_centred ? rest_norm(query.norm, share, query.mean_product, mean_norm, dimension)
                  : query.norm) /
      step;
  const double rest = std::sqrt(query.residual_square) * kSumRounding / step;  // |eta| / S
  const double mean_part = std::fabs(static_cast<double>(query.mean_share)) * mean_norm;
  const double wide = wide_rounding(dimension) * query.norm / step;
  QueryTerms terms;
  terms.mean_share = query.mean_share;
  terms.residual_factor = rounded_up(length * (1.0 + kRounding) + kRounding * mean_part + wide);
  terms.length_factor =
      rounded_up(rest * (1.0 + kRounding) + kRounding * (code_norm + mean_part) + wide);
  terms.scale.unit = query.scale * row_scale / step;
  terms.scale.shift = query.mean_product / step;
  terms.scale.slack = wide * mean_norm + 0x1p-20 * mean_part * mean_norm +
                      0x1p-90 * (1.0 + std::fabs(static_cast<double>(query.mean_share)));
  return terms;
}

}  // namespace fastvbench
