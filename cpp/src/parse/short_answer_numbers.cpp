#include "parse/short_answer_numbers.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "parse/choice_tokens.h"
#include "parse/number.h"

namespace fastvbench::parse {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kMostGroups = 16;
constexpr int kMostWord = 9;  // characters of the longest word that is known here
constexpr double kFirstYear = 1800.0;
constexpr double kLastYear = 2099.0;
constexpr char32_t kNothing = 0xFFFFFFFF;

struct Named {
  const char* word;
  double value;
};
constexpr Named kSmall[] = {
    {"zero", 0},     {"one", 1},      {"two", 2},        {"three", 3},     {"four", 4},
    {"five", 5},     {"six", 6},      {"seven", 7},      {"eight", 8},     {"nine", 9},
    {"ten", 10},     {"eleven", 11},  {"twelve", 12},    {"thirteen", 13}, {"fourteen", 14},
    {"fifteen", 15}, {"sixteen", 16}, {"seventeen", 17}, {"eighteen", 18}, {"nineteen", 19},
};
constexpr Named kTens[] = {{"twenty", 20}, {"thirty", 30},  {"forty", 40},  {"fifty", 50},
                           {"sixty", 60},  {"seventy", 70}, {"eighty", 80}, {"ninety", 90}};
constexpr Named kPowers[] = {
    {"thousand", 1e3}, {"million", 1e6}, {"billion", 1e9}, {"trillion", 1e12}};
constexpr Named kScales[] = {{"thousand", 1e3},  {"million", 1e6},    {"billion", 1e9},
                             {"trillion", 1e12}, {"thousands", 1e3},  {"millions", 1e6},
                             {"billions", 1e9},  {"trillions", 1e12}, {"mn", 1e6},
                             {"mln", 1e6},       {"bn", 1e9},         {"tn", 1e12}};

bool is_one_of(char32_t code, const char32_t* set) {
  for (; *set != 0; ++set) {
    if (*set == code) return true;
  }
  return false;
}
bool is_currency(char32_t code) { return is_one_of(code, U"$€£¥₹"); }
bool is_digit_code(char32_t code) { return code >= '0' && code <= '9'; }

// A word of ASCII letters, "" for another or a long one; its end in any case.
struct Word {
  char text[kMostWord + 1] = {};
  std::int64_t end = 0;

  bool is(const char* wanted) const { return std::strcmp(text, wanted) == 0; }
};

template <int kCount>
const Named* named(const Named (&list)[kCount], const Word& word) {
  if (word.text[0] == '\0') return nullptr;
  for (const Named& entry : list) {
    if (word.is(entry.word)) return &entry;
  }
  return nullptr;
}

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
  bool is_digit(std::int64_t i) const { return is_digit_code(code(i)); }
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

// ---- words --------------------------------------------------------------------------------------

Word Scanner::word_at(std::int64_t i) const {
  Word word;
  int size = 0;
  bool plain = true;
  for (; is_word(i); ++i) {
    plain = plain && codes_[i] >= 'a' && codes_[i] <= 'z' && size < kMostWord;
    if (plain) word.text[size++] = static_cast<char>(codes_[i]);
  }
  if (!plain) word.text[0] = '\0';
  word.end = i;
  return word;
}

std::int64_t Scanner::read_word(std::int64_t i) {
  const Word word = word_at(i);
  if (named(kSmall, word) == nullptr && named(kTens, word) == nullptr) {
    minus_ = word.is("minus") || word.is("negative");
    return word.end;
  }
  std::int64_t end = i;
  Number number;
  number.value = number_words(i, &end);
  if (minus_) number.value = -number.value;
  if (!word.is("one") || first_word_ || number.value != 1.0) {
    end = read_suffix(end, &number);
    words_.add(number);
  }
  minus_ = false;
  return end;
}

double Scanner::number_words(std::int64_t i, std::int64_t* end) const {
  double total = 0.0;
  double current = 0.0;
  bool hundreds = false;
  for (;;) {
    Word word = word_at(i);
    if (word.is("and") && hundreds && code(word.end) == ' ') {
      word = word_at(word.end + 1);
      if (named(kSmall, word) == nullptr && named(kTens, word) == nullptr) break;
    }
    if (const Named* small = named(kSmall, word)) {
      const double units = std::fmod(current, 100.0);
      const bool behind_tens =
          units >= 20 && std::fmod(units, 10.0) == 0 && small->value > 0 && small->value < 10;
      if (units != 0 && !behind_tens) break;
      current += small->value;
    } else if (const Named* tens = named(kTens, word)) {
      if (std::fmod(current, 100.0) != 0) break;
      current += tens->value;
    } else if (word.is("hundred")) {
      if (!(current > 0 && current < 100)) break;
      current *= 100;
      hundreds = true;
    } else if (const Named* power = named(kPowers, word)) {
      if (current == 0) break;
      total += current * power->value;
      current = 0.0;
      hundreds = true;
    } else {
      break;
    }
    *end = word.end;
    if (code(*end) != ' ' && code(*end) != '-') break;
    i = *end + 1;
  }
  return total + current;
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

// Per cent and scale behind a number; returns the end.
std::int64_t Scanner::read_suffix(std::int64_t i, Number* number) const {
  const std::int64_t place = i + (code(i) == ' ' ? 1 : 0);
  if (code(place) == '%' || spells(place, "\\%")) {
    number->percent = true;
    return place + (code(place) == '%' ? 1 : 2);
  }
  if (place == i && i < size_ && !is_word(i + 1)) {
    const char32_t letter = raw_[i];
    const double scale = letter == 'k' || letter == 'K' ? 1e3
                         : letter == 'M'                ? 1e6
                         : letter == 'B'                ? 1e9
                                                        : 1.0;
    if (scale != 1.0) {
      number->scale = scale;
      return i + 1;
    }
  }
  const Word word = word_at(place);
  if (word.is("percent") || word.is("pct")) {
    number->percent = true;
    return word.end;
  }
  if (word.is("per") && code(word.end) == ' ') {
    const Word second = word_at(word.end + 1);
    if (second.is("cent")) {
      number->percent = true;
      return second.end;
    }
  }
  if (const Named* scale = named(kScales, word)) {
    number->scale = scale->value;
    return word.end;
  }
  return i;
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

}  // namespace

bool AnswerNumberReader::read(TextView text, AnswerNumbers* numbers) {
  const std::int64_t room = text.size > 0 ? text.size : 0;
  if (!raw_.resize(room) || !codes_.resize(room)) return false;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < room; ++count) {
    const choice::Glyph glyph = choice::read_glyph(text.data, text.size, i);
    raw_[count] = glyph.raw;
    codes_[count] = glyph.code;
    i += glyph.size;
  }
  *numbers = Scanner(raw_.data(), codes_.data(), count).read();
  return true;
}

}  // namespace fastvbench::parse
