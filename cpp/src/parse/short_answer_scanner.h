// One answer's characters, searched for numbers from left to right
// (tests/reference/short_answer_numbers.py).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "parse/choice_tokens.h"
#include "parse/short_answer_numbers.h"

namespace fastvbench::parse::numbers {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kMostGroups = 16;
constexpr int kMostWord = 9;  // characters of the longest word that is known here
constexpr char32_t kNothing = 0xFFFFFFFF;

inline bool is_one_of(char32_t code, const char32_t* set) {
  for (; *set != 0; ++set) {
    if (*set == code) return true;
  }
  return false;
}

// A word of ASCII letters, "" for another or a long one; its end in any case.
struct Word {
  char text[kMostWord + 1] = {};
  std::int64_t end = 0;

  bool is(const char* wanted) const { return std::strcmp(text, wanted) == 0; }
};

struct Number {
  double value = kNaN;
  double scale = 1.0;
  bool percent = false;
  bool year = false;

  bool same(const Number& other) const {
    return value == other.value && scale == other.scale && percent == other.percent;
  }
};

// The first of some numbers, and whether others differ from it.
struct Distinct {
  Number first;
  bool any = false;
  bool several = false;

  void add(const Number& number) {
    if (!any) {
      first = number;
      any = true;
    } else if (!number.same(first)) {
      several = true;
    }
  }
};

struct Found {
  Distinct all;
  Distinct no_year;
  Distinct years;

  void add(const Number& number) {
    if (!std::isfinite(number.value)) return;
    all.add(number);
    (number.year ? years : no_year).add(number);
  }
};

class Scanner {
 public:
  Scanner(const char32_t* raw, const char32_t* codes, std::int64_t size)
      : raw_(raw), codes_(codes), size_(size) {}

  AnswerNumbers read();

 private:
  struct Groups {
    std::int64_t begin[kMostGroups];
    std::int64_t end[kMostGroups];
    char32_t kinds[kMostGroups];  // kinds[k] stands between groups k and k + 1
    int count = 0;
    std::int64_t size(int k) const { return end[k] - begin[k]; }
  };
  enum class Shape { kNoNumber, kSeparate, kDecimal };

  char32_t code(std::int64_t i) const { return i >= 0 && i < size_ ? codes_[i] : kNothing; }
  bool is_digit(std::int64_t i) const { return code(i) >= '0' && code(i) <= '9'; }
  bool is_word(std::int64_t i) const {
    return i >= 0 && i < size_ && choice::is_word_code(codes_[i]);
  }
  bool is_space(std::int64_t i) const {
    return i >= 0 && i < size_ && choice::is_blank_code(codes_[i]);
  }
  char32_t mark(std::int64_t i) const {
    return i >= 0 && i < size_ ? choice::mark_of_code(codes_[i]) : 0;
  }
  bool spells(std::int64_t i, const char* text) const {
    for (; *text != '\0'; ++text, ++i) {
      if (code(i) != static_cast<char32_t>(*text)) return false;
    }
    return true;
  }
  std::int64_t digits_end(std::int64_t i) const {
    while (is_digit(i)) ++i;
    return i;
  }

  Word word_at(std::int64_t i) const;
  std::int64_t read_word(std::int64_t i);
  double number_words(std::int64_t i, std::int64_t* end) const;

  char32_t separator(std::int64_t i, char32_t only_kind) const;
  std::int64_t read_number(std::int64_t i);
  static bool thousands(const Groups& groups, int count, char32_t kind, char32_t first_digit);
  Shape shape_of(const Groups& groups, int* point) const;
  double value_of(const Groups& groups, int point, std::int64_t exponent) const;
  double plain_value(std::int64_t begin, std::int64_t end) const;
  std::int64_t add(double value, std::int64_t end, bool negative, bool year);
  std::int64_t skip_run(std::int64_t i, const char32_t* marks) const;
  bool is_negative(std::int64_t begin) const;
  std::int64_t exponent(std::int64_t i, std::int64_t* end) const;
  std::int64_t power(std::int64_t i, std::int64_t* end) const;
  std::int64_t with_sign(std::int64_t i, std::int64_t* end) const;
  std::int64_t read_suffix(std::int64_t i, Number* number) const;
  std::int64_t latex_fraction(std::int64_t i);

  const char32_t* raw_;
  const char32_t* codes_;
  std::int64_t size_;
  Found digits_;
  Found words_;
  bool any_digits_ = false;
  bool minus_ = false;  // the word before says so
  bool first_word_ = true;
};

}  // namespace fastvbench::parse::numbers
