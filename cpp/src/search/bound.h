// Why a row that a filter of codes drops can't be among the best: the bound, and its constants.
//
// Notation. y is a row and x a query, both float32. Row and query are first scaled:
//   dot:     u = 2^s y      2^s such that a typical row's largest magnitude is in [1, 2)
//   cosine:  u = y / |y|    with the factor 1 / |y| as float64 has it
//   X = 2^p x, the query's own largest magnitude in [1, 2)
// A key, multiplied by a positive constant of the query, is X.u up to the rounding of dot64. mu is
// one float32 vector for the whole gallery (the mean of sampled rows, or 0). Then
//   u = mu + v        v = c code + eps        code whole, |code_d| <= L, c > 0
//   X = t mu + w      w = S qcode + eta       qcode whole,               S > 0,  t = t' S
//   X.u - X.mu = X.v = t (mu.v) + w.v
//   w.v = S c (qcode.code) + eta.(c code) + w.eps
// and by Cauchy-Schwarz the last two are at most |eta| c|code| + |w||eps|. Dividing by S:
//   f(u) := (X.u - X.mu) / S  lies within  P c + t' r  +-  (A e + B m)
//   P = qcode.code, exact in int32        r = mu.v        e >= |eps|        m >= c|code|
//   A >= |w| / S                          B >= |eta| / S
// Keys are compared through f, which rises with the key; X.mu and S are constants of the query. Any
// t will do, so t' is rounded to float32 first and w is what t' S leaves. c and S come from a
// magnitude that no component exceeds (`enlarged`), so every code stays within its limit.
//
// What float arithmetic adds, and where it is paid for:
//   1. The filter evaluates P c + t' r + A e + B m in float32: conversion of P (rounded above
//      2^24), products and sums, and r stored as float32. At most 8 roundings of 2^-24 relative to
//        |P| c <= (|qcode|) m,   |t' r| <= |t'||mu|(m + e),   A e,   B m.
//      kRounding = 2^-20 of each is added to A and B.
//   2. dot64 rounds: |key - exact| <= (D + 4) 2^-53 |x||y|, and the cosine key three times more,
//      relative. |u| <= |mu| + m + e. wide_rounding(D)|X|/S is added to A and B for m + e, and
//      wide_rounding(D)|X||mu|/S to the query's `slack` for mu. dot64 gives X.mu too, as wrong at
//      most as a key: wide_rounding is four times a key's share, so that half of `slack` is enough
//      for either.
//   3. v is computed from y, mu and a factor: for byte codes in float32, with the factor, the
//      product and the difference rounded, so that each component is off by at most
//      2^-24 (3 |u_d| + |mu_d|); for wide codes, in float64, by 2^-53 of the same. What is left of
//      v after its code is rounded once more, or twice, by 2^-24 (2^-53) of |c code_d| and itself.
//      With |u| <= |mu| + m + e, e includes both as kByteComponentRounding (kWide...) of
//      2 |mu| + m + e. r is a float64 sum of the computed v, so it is off by |mu| times the first,
//      at most 2^-22 |mu| (2 |mu| + m + e): the part with m + e is within what is left of kRounding
//      in 1, the other is in `slack` as 2^-20 |t'||mu|^2. w is computed in float64, off by
//      2^-52 (|t mu_d| + |w_d|), far less than what kRounding adds for |t'||mu| and |w|/S.
//   4. The queries' terms are sums of squares in float64, at most 2^-30 off relatively for
//      D <= 65536, as are e and m of wide codes; those of byte codes are float32 sums in 16 lanes,
//      off by less than float_rounding(D). They are enlarged by that much and rounded upwards to
//      float32. |w| comes from |X|^2 - 2 t X.mu + t^2 |mu|^2, whose cancellation rest_norm makes
//      up for.
//   5. Underflow: c >= 2^-60, S >= 2^-30, e >= 2^-60, so no product that matters is subnormal;
//      `slack` has 2^-90 (1 + |t'|) for those that don't.
//   6. Overflow: a row with a component of v beyond 2^40 gets e = infinity, so it is always kept.
//      For others |v| <= 2^48, |t'||mu| <= |X|/S <= 2^39, and every term is below 2^90.
//   7. `slack` is absolute, in units of f. KeyScale has key * unit - shift in float64, off by at
//      most 2^-50 of both parts. Taking 2 `slack` from a float32 bound may round to the
//      bound itself, but only where `slack` is less than the distance to the next float32.
//   8. A whole block is passed over where P c + t' r is below the threshold less the block's widest
//      bound, taken 2^-20 too low: that rounds at most four times, by 2^-24 of both parts.
// A row is dropped only where `upper < threshold` is true: a NaN keeps it. A threshold is at most
// the K-th best lower bound less twice the slack, or the exact K-th key less the slack.
//
// All of this is for rounding to nearest, which public calls see to (support/float_state.h). The
// filters themselves would bear subnormals flushed to zero; dot64 would give other keys.
//
// L is kRowCodeLimit for rows and at most that for queries (a level's query_code_limit). Small
// galleries use wide codes: the same with L = wide_code_limit(D), so that P still fits int32.
//
// One-shot searches of a few queries use no codes: float32 sums of 2^p x with the rows as
// they lie, off by float_rounding(D)|X||y| and, where products are subnormal, by D 2^-120 at most;
// |y| is rounded to float32, which a further 2^-21 of |X||y| and of the floor covers. A sum that is
// not finite keeps its row (float_stream.cpp).
//
// tests/cpp/test_search_bounds.cpp holds every bound to the exact value, and strains each term that
// no larger one hides.
#pragma once

#include <cmath>
#include <cstdint>

#include "fastvbench/host_device.h"

namespace fastvbench {

constexpr int kBlockRows = 32;     // rows that a tile takes together
constexpr int kPanelQueries = 12;  // queries that a tile takes together
constexpr int kRowCodeLimit = 127;
constexpr std::int64_t kMostCodedDimensions = 65536;  // 255 * 127 * 65536 < 2^31

constexpr double kRounding = 0x1p-20;
constexpr double kSumRounding = 1.0 + 0x1p-30;
constexpr double kByteComponentRounding = 0x1p-21;
constexpr double kWideComponentRounding = 0x1p-49;
constexpr double kSmallestRowStep = 0x1p-60;
constexpr double kSmallestQueryStep = 0x1p-30;
constexpr double kSmallestResidual = 0x1p-60;
constexpr double kLargestComponent = 0x1p40;

FASTVBENCH_HOST_DEVICE inline double wide_rounding(std::int64_t dimension) {
  return static_cast<double>(dimension + 64) * 0x1p-51;
}

/// A magnitude that no component of factor * y - mean_factor * mu exceeds, from what float32
/// arithmetic found: each component is at most 2^-22 (|v_d| + 2 |mean_factor mu_d|) off, and
/// float32 factors as much again. `mean_part` is at least |mean_factor||mu|.
FASTVBENCH_HOST_DEVICE inline double enlarged(double largest, double mean_part) {
  return largest + 0x1p-20 * (largest + mean_part) + 0x1p-120;
}

/// Of a float32 sum of products in 16 lanes, each product and addition rounded once, relative to
/// |x||y|.
FASTVBENCH_HOST_DEVICE inline double float_rounding(std::int64_t dimension) {
  return 2.0 * (static_cast<double>(dimension) / 16.0 + 24.0) * 0x1p-24;
}

/// The largest magnitude of a wide code: 16 bits, and a sum of `dimension` products in 31.
inline int wide_code_limit(std::int64_t dimension) {
  const double most = std::floor(std::sqrt(2147483647.0 / static_cast<double>(dimension)));
  return most < 32767.0 ? static_cast<int>(most) : 32767;
}

/// The next float32 at or above (below) a float64.
FASTVBENCH_HOST_DEVICE inline float rounded_up(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) >= value || std::isnan(value)) return nearest;
  return std::nextafter(nearest, HUGE_VALF);
}
FASTVBENCH_HOST_DEVICE inline float rounded_down(double value) { return -rounded_up(-value); }

}  // namespace fastvbench
