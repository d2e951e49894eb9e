#include "parse/short_answer_numbers.h"

#include "parse/number.h"
#include "parse/short_answer_scanner.h"

namespace fastvbench::parse {
namespace numbers {
namespace {

constexpr double kFirstYear = 1800.0;
constexpr double kLastYear = 2099.0;

bool is_currency(char32_t code) { return is_one_of(code, U"$€£¥₹"); }

}  // namespace

AnswerNumbers Scanner::read() {
  for (std::int64_t i = 0; i < size_;) {
    const bool point = code(i) == '.' && is_digit(i + 1);
    if (is_digit(i) || (point && code(i - 1) != '.')) {
      i = read_number(i);
      minus_ = first_word_ = false;
    } else if (is_word(i)) {
      i = read_word(i);
      first_word_ = false;
    } else if (code(i) == '^' && is_word(i - 1) && !is_digit(i - 1)) {
      std::int64_t end = i;
      (void)power(i, &end);  // of a unit or a variable
      i = end > i ? end : i + 1;
    } else if (const std::int64_t end = code(i) == '\\' ? latex_fraction(i) : 0; end > 0) {
      i = end;
      minus_ = false;
    } else {
      minus_ = minus_ && is_space(i);
      ++i;
    }
  }
  const Found& found = any_digits_ ? digits_ : words_;
  const bool one_year = found.years.any && !found.years.several;
  const Distinct& numbers = found.all.several ? found.no_year : found.all;
  AnswerNumbers result;
  result.year = one_year ? found.years.first.value : kNaN;
  if (!numbers.any || numbers.several) {
    result.value = kNaN;
    result.several = found.all.any;
    return result;
  }
  result.value = numbers.first.value + 0.0;
  result.scale = numbers.first.scale;
  result.percent = numbers.first.percent;
  return result;
}

// ---- digits -------------------------------------------------------------------------------------

// The separator at i that digits follow, 0 for none; a space only after spaces.
char32_t Scanner::separator(std::int64_t i, char32_t only_kind) const {
  const char32_t found = code(i);
  if ((found == ',' || found == '.') && is_digit(i + 1)) return found;
  if (mark(i) == '\'' && is_digit(i + 1)) return '\'';
  const bool space = found == ' ' || found == 0xA0 || found == 0x2009 || found == 0x202F;
  if (space && (only_kind == 0 || only_kind == ' ') && is_digit(i + 1) && is_digit(i + 2) &&
      is_digit(i + 3) && !is_word(i + 4)) {
    return ' ';
  }
  return 0;
}

std::int64_t Scanner::read_number(std::int64_t i) {
  const std::int64_t begin = i;
  Groups groups;
  char32_t only_kind = 0;  // the kind of all separators so far, kNothing for several
  if (code(i) == '.') {
    groups.begin[0] = groups.end[0] = i;
    groups.kinds[0] = only_kind = '.';
    groups.count = 1;
    ++i;
  }
  std::int64_t end = digits_end(i);
  groups.begin[groups.count] = i;
  groups.end[groups.count++] = end;
  bool fits = true;
  for (;;) {
    const char32_t kind = separator(end, only_kind);
    if (kind == 0 || (kind == ' ' && groups.size(0) > 3)) break;
    only_kind = only_kind == 0 || only_kind == kind ? kind : kNothing;
    fits = fits && groups.count < kMostGroups;
    const std::int64_t next = digits_end(end + 1);
    if (fits) {
      groups.kinds[groups.count - 1] = kind;
      groups.begin[groups.count] = end + 1;
      groups.end[groups.count++] = next;
    }
    end = next;
  }
  if (!fits) return end;
  if (code(end) == ':' && is_digit(end + 1)) return skip_run(end, U":.");
  const bool negative = is_negative(begin);
  const bool alone = groups.count == 1;
  if (code(end) == '/' && is_digit(end + 1)) {
    const std::int64_t stop = digits_end(end + 1);
    if (code(stop) == '/' && is_digit(stop + 1)) return skip_run(stop, U"/");
    if (alone) {
      const double bottom = plain_value(end + 1, stop);
      const bool divides = bottom != 0 && std::isfinite(bottom);
      return add(divides ? plain_value(begin, end) / bottom : kNaN, stop, negative, false);
    }
  }
  if (alone && code(end) == ' ') {
    const std::int64_t over = digits_end(end + 1);
    if (over > end + 1 && code(over) == '/' && is_digit(over + 1)) {
      const std::int64_t stop = digits_end(over + 1);
      const double top = plain_value(end + 1, over);
      const double bottom = plain_value(over + 1, stop);
      if (top < bottom && code(stop) != '/') {
        return add(plain_value(begin, end) + top / bottom, stop, negative, false);
      }
    }
  }
  int point = groups.count;
  const Shape shape = shape_of(groups, &point);
  if (shape == Shape::kNoNumber) return end;
  if (shape == Shape::kSeparate) {
    any_digits_ = true;
    for (int k = 0; k < groups.count; ++k) {
      Number number;
      number.value = plain_value(groups.begin[k], groups.end[k]);
      digits_.add(number);
    }
    return end;
  }
  std::int64_t stop = end;
  std::int64_t exponent = this->exponent(end, &stop);
  double value = 0.0;
  const bool ten = alone && end - begin == 2 && codes_[begin] == '1' && codes_[begin + 1] == '0';
  if (stop == end && ten && code(end) == '^') exponent = power(end, &stop);
  if (ten && stop > end && code(end) == '^') {
    DecimalNumber one;
    one.add_digit(1);
    one.add_exponent(exponent);
    value = one.value();
  } else {
    value = value_of(groups, point, exponent);
  }
  const bool year = alone && !negative && stop == end && end - begin == 4 && value >= kFirstYear &&
                    value <= kLastYear && !is_currency(code(begin - 1)) && !is_word(end);
  return add(value, stop, negative, year);
}

bool Scanner::thousands(const Groups& groups, int count, char32_t kind, char32_t first_digit) {
  const std::int64_t first = groups.size(0);
  if (first < 1 || first > 3 || first_digit == '0') return false;
  bool threes = true;
  bool twos = count > 2 && first <= 2;
  for (int k = 1; k < count; ++k) {
    threes = threes && groups.size(k) == 3;
    twos = twos && groups.size(k) == (k + 1 < count ? 2 : 3);
  }
  return threes || (kind == ',' && twos);
}

// What the groups write; `point` is the first group behind the decimal mark.
Scanner::Shape Scanner::shape_of(const Groups& groups, int* point) const {
  const int count = groups.count;
  *point = count;
  if (count == 1) return Shape::kDecimal;
  const char32_t kind = groups.kinds[0];
  const char32_t first_digit = code(groups.begin[0]);
  bool one_kind_before_last = true;
  for (int k = 1; k + 2 < count; ++k) {
    one_kind_before_last = one_kind_before_last && groups.kinds[k] == kind;
  }
  const char32_t last = groups.kinds[count - 2];
  if (one_kind_before_last && last == kind) {
    if (kind == '.' && count == 2) {
      *point = 1;
      return Shape::kDecimal;
    }
    if (thousands(groups, count, kind, first_digit)) return Shape::kDecimal;
    if (kind == '.') return Shape::kNoNumber;
    if (kind != ',' || count != 2) return Shape::kSeparate;
    *point = 1;
    return Shape::kDecimal;
  }
  if (one_kind_before_last && (last == ',' || last == '.') &&
      thousands(groups, count - 1, kind, first_digit)) {
    *point = count - 1;
    return Shape::kDecimal;
  }
  return Shape::kSeparate;
}

double Scanner::value_of(const Groups& groups, int point, std::int64_t exponent) const {
  DecimalNumber number;
  for (int k = 0; k < groups.count; ++k) {
    if (k == point) number.add_point();
    for (std::int64_t i = groups.begin[k]; i < groups.end[k]; ++i) {
      number.add_digit(static_cast<unsigned>(codes_[i] - '0'));
    }
  }
  number.add_exponent(exponent);
  return number.value();
}

double Scanner::plain_value(std::int64_t begin, std::int64_t end) const {
  DecimalNumber number;
  for (std::int64_t i = begin; i < end; ++i) {
    number.add_digit(static_cast<unsigned>(codes_[i] - '0'));
  }
  return number.value();
}

std::int64_t Scanner::add(double value, std::int64_t end, bool negative, bool year) {
  Number number;
  number.value = negative ? -value : value;
  end = read_suffix(end, &number);
  number.year = year && !number.percent && number.scale == 1.0;
  any_digits_ = true;
  digits_.add(number);
  return end;
}

// Past digits that these marks join.
std::int64_t Scanner::skip_run(std::int64_t i, const char32_t* marks) const {
  while (i < size_ && is_one_of(codes_[i], marks) && is_digit(i + 1)) i = digits_end(i + 1);
  return i;
}

bool Scanner::is_negative(std::int64_t begin) const {
  if (minus_) return true;
  std::int64_t i = begin - 1;
  if (is_currency(code(i))) --i;
  const char32_t found = mark(i);
  if (i == 0) return found == '-' || found == U'—';
  return found == '-' && (is_space(i - 1) || is_one_of(code(i - 1), U"([{=<>~:,$€£¥\"'*"));
}

// A power of ten after the digits; `end` stays where there is none.
std::int64_t Scanner::exponent(std::int64_t i, std::int64_t* end) const {
  std::int64_t stop = 0;
  if (code(i) == 'e') {
    const std::int64_t power = with_sign(i + 1, &stop);
    if (stop == 0 || is_word(stop)) return 0;
    *end = stop;
    return power;
  }
  std::int64_t place = i;
  while (place < i + 2 && code(place) == ' ') ++place;
  if (is_one_of(code(place), U"x×*·")) {
    place += 1;
  } else if (spells(place, "\\times")) {
    place += 6;
  } else {
    return 0;
  }
  for (const std::int64_t last = place + 2; place < last && code(place) == ' ';) ++place;
  if (!spells(place, "10")) return 0;
  std::int64_t power_end = place + 2;
  const std::int64_t value = power(place + 2, &power_end);
  if (power_end > place + 2) *end = power_end;
  return power_end > place + 2 ? value : 0;
}

// "^3" or "^{-3}"; `end` stays where there is none.
std::int64_t Scanner::power(std::int64_t i, std::int64_t* end) const {
  if (code(i) != '^') return 0;
  const std::int64_t brace = code(i + 1) == '{' ? 1 : 0;
  std::int64_t stop = 0;
  const std::int64_t value = with_sign(i + 1 + brace, &stop);
  if (stop == 0 || (brace == 1 && code(stop) != '}')) return 0;
  *end = stop + brace;
  return value;
}

// Up to four digits with a sign; `end` is 0 where there are none.
std::int64_t Scanner::with_sign(std::int64_t i, std::int64_t* end) const {
  *end = 0;
  const char32_t sign = mark(i);
  const std::int64_t begin = i + (sign == '-' || sign == '+' ? 1 : 0);
  const std::int64_t stop = digits_end(begin);
  if (stop == begin || stop > begin + 4) return 0;
  std::int64_t value = 0;
  for (std::int64_t k = begin; k < stop; ++k) {
    value = value * 10 + static_cast<std::int64_t>(codes_[k] - '0');
  }
  *end = stop;
  return sign == '-' ? -value : value;
}

// The end of "\frac{3}{4}", 0 for none.
std::int64_t Scanner::latex_fraction(std::int64_t i) {
  std::int64_t place = i + 1;
  if (code(place) == 'd' || code(place) == 't') ++place;
  if (!spells(place, "frac{")) return 0;
  const std::int64_t top = place + 5;
  const std::int64_t top_end = digits_end(top);
  if (top_end == top || !spells(top_end, "}{")) return 0;
  const std::int64_t bottom = top_end + 2;
  const std::int64_t bottom_end = digits_end(bottom);
  if (bottom_end == bottom || code(bottom_end) != '}') return 0;
  const double divisor = plain_value(bottom, bottom_end);
  const bool divides = divisor != 0 && std::isfinite(divisor);
  return add(divides ? plain_value(top, top_end) / divisor : kNaN, bottom_end + 1, is_negative(i),
             false);
}

}  // namespace numbers

bool AnswerNumberReader::read(TextView text, AnswerNumbers* result) {
  const std::int64_t room = text.size > 0 ? text.size : 0;
  if (!raw_.resize(room) || !codes_.resize(room)) return false;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < room; ++count) {
    const choice::Glyph glyph = choice::read_glyph(text.data, text.size, i);
    raw_[count] = glyph.raw;
    codes_[count] = glyph.code;
    i += glyph.size;
  }
  *result = numbers::Scanner(raw_.data(), codes_.data(), count).read();
  return true;
}

}  // namespace fastvbench::parse
