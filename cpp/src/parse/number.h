// Decimal text to the nearest double, digit by digit, exact for numbers of any length.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <system_error>

namespace fastvbench::parse {

/// Takes the digits of one decimal number from left to right. Any number of digits is fine: a
/// double is decided by its first 768 significant ones and by whether anything but zeros follows.
class DecimalNumber {
 public:
  void add_digit(unsigned digit) {
    if (after_point_) --exponent_;
    if (count_ == 0 && digit == 0) return;  // leading zeros have no weight
    if (count_ < kMostInteger) {
      mantissa_ = mantissa_ * 10 + digit;
      ++count_;
    } else {
      add_late_digit(digit);
    }
  }
  /// A run of `count` digits at once, `value` being what they write; any run of up to 18 digits.
  void add_run(std::uint64_t value, int count) {
    if (after_point_) exponent_ -= count;
    if (mantissa_ == 0) {  // leading zeros have no weight
      if (value != 0 && late_count_ == 0) {
        mantissa_ = value;
        count_ = count;
        return;
      }
      if (value == 0) return;
    }
    if (count_ + count < kMostInteger) {
      mantissa_ = mantissa_ * integer_power(count) + value;
      count_ += count;
      return;
    }
    if (after_point_) exponent_ += count;  // digit by digit counts them again
    for (int left = count - 1; left >= 0; --left) {
      add_digit(static_cast<unsigned>(value / integer_power(left) % 10));
    }
  }
  void add_point() { after_point_ = true; }

  /// Power of ten written behind the digits; sums beyond +-1e6 stay there, where all is 0 or
  /// infinite.
  void add_exponent(std::int64_t exponent) { exponent_ += exponent; }

  double value() const {
    static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    // Both operands are exact, so one rounding is the right one.
    if (count_ < kMostInteger && mantissa_ <= (std::uint64_t{1} << 53)) {
      if (exponent_ <= 0 && exponent_ >= -22) {
        return static_cast<double>(mantissa_) / kPowers[-exponent_];
      }
      if (exponent_ > 0 && exponent_ <= 22) {
        return static_cast<double>(mantissa_) * kPowers[exponent_];
      }
    }
    return slow_value();
  }

 private:
  static constexpr int kMostInteger = 18;  // digits that a uint64 holds for sure
  static constexpr int kMostLate = 768;

  static std::uint64_t integer_power(int exponent) {
    static constexpr std::uint64_t kPowers[] = {1u,
                                                10u,
                                                100u,
                                                1000u,
                                                10000u,
                                                100000u,
                                                1000000u,
                                                10000000u,
                                                100000000u,
                                                1000000000u,
                                                10000000000u,
                                                100000000000u,
                                                1000000000000u,
                                                10000000000000u,
                                                100000000000000u,
                                                1000000000000000u,
                                                10000000000000000u,
                                                100000000000000000u,
                                                1000000000000000000u};
    return kPowers[exponent];
  }

  void add_late_digit(unsigned digit) {
    if (late_count_ < kMostLate) {
      late_[late_count_++] = static_cast<char>('0' + digit);
    } else {
      ++exponent_;  // dropped: its place is kept, its value by one sticky digit
      dropped_ |= digit != 0;
    }
    count_ = kMostInteger;
  }

  double slow_value() const {
    if (mantissa_ == 0 && late_count_ == 0) return 0.0;
    char text[32 + kMostLate + 32];
    char* end = std::to_chars(text, text + 32, mantissa_).ptr;
    if (late_count_ > 0) std::memcpy(end, late_, static_cast<std::size_t>(late_count_));
    end += late_count_;
    std::int64_t exponent = exponent_;
    if (dropped_) {
      *end++ = '1';
      --exponent;
    }
    // Out of every double's range, and away from the parser's own limits on exponents.
    const std::int64_t digits = end - text;
    if (exponent + digits > 400) return kInfinity;
    if (exponent + digits < -400) return 0.0;
    *end++ = 'e';
    end = std::to_chars(end, end + 24, exponent).ptr;
    double value = 0.0;
    const std::from_chars_result result = std::from_chars(text, end, value);
    if (result.ec == std::errc::result_out_of_range) {
      // from_chars leaves the value alone here; the size of the number says which end it is.
      return exponent + digits > 0 ? kInfinity : 0.0;
    }
    return value;
  }

  static constexpr double kInfinity = __builtin_huge_val();

  std::uint64_t mantissa_ = 0;
  std::int64_t exponent_ = 0;
  int count_ = 0;
  int late_count_ = 0;
  bool after_point_ = false;
  bool dropped_ = false;
  char late_[kMostLate];  // left uninitialised: only what late_count_ counts is read
};

}  // namespace fastvbench::parse
