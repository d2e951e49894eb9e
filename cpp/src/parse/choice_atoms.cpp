#include "parse/choice_atoms.h"

#include <cstring>

#include "parse/choice_words.h"

namespace fastvbench::parse::choice {
namespace {

bool is_one_of(char32_t code, const char32_t* set) {
  for (; *set != 0; ++set) {
    if (*set == code) return true;
  }
  return false;
}
bool is_digit(char32_t code) { return code >= '0' && code <= '9'; }

}  // namespace

bool is_atom(const Token& token) {
  return token.kind == Kind::kWord || token.kind == Kind::kCjk ||
         (token.kind == Kind::kMark && is_one_of(token.code, U"%+&=@"));
}

bool CanonicalNumber::same(const CanonicalNumber& other) const {
  return size > 0 && size == other.size &&
         std::memcmp(digits, other.digits, static_cast<std::size_t>(size)) == 0;
}

// The canonical digits of a number or a number word: "1,000" and "1000.0" are the same.
CanonicalNumber read_canonical_number(const Token& token, const char* text) {
  CanonicalNumber number;
  if (token.kind != Kind::kWord) return number;
  if ((token.classes & kNumberWord) != 0) {
    const int value = number_word_value(token.hash);
    if (value >= 10) number.digits[number.size++] = static_cast<char>('0' + value / 10);
    number.digits[number.size++] = static_cast<char>('0' + value % 10);
    return number;
  }
  char characters[CanonicalNumber::kMostCharacters];
  int size = 0;
  bool fits = true;
  bool any_digit = false;
  for (std::int64_t i = token.begin; i < token.end;) {
    const Glyph glyph = read_glyph(text, token.end, i);
    const char32_t code = word_character(glyph);
    i += glyph.size;
    any_digit = any_digit || is_digit(code);
    if (!is_digit(code) && !is_one_of(code, U"-.,:/_'")) return number;
    if (size == CanonicalNumber::kMostCharacters) {
      fits = false;
    } else {
      characters[size++] = static_cast<char>(code);
    }
  }
  number.looks_numeric = any_digit;
  if (!fits) return number;

  int begin = 0;
  const bool negative = size > 0 && characters[0] == '-';
  if (negative) begin = 1;
  int point = begin;
  while (point < size && characters[point] != '.') ++point;
  int group = 0;  // digits since the last comma
  bool has_comma = false;
  for (int i = begin; i < point; ++i) {
    if (characters[i] == ',') {
      if (has_comma ? group != 3 : group < 1 || group > 3) return number;
      has_comma = true;
      group = 0;
    } else if (is_digit(static_cast<unsigned char>(characters[i]))) {
      ++group;
    } else {
      return number;
    }
  }
  if (has_comma ? group != 3 : group == 0) return number;
  int end = size;
  for (int i = point + 1; i < size; ++i) {
    if (!is_digit(static_cast<unsigned char>(characters[i]))) return number;
  }
  if (point < size && point + 1 == size) return number;
  while (end > point && (characters[end - 1] == '0' || characters[end - 1] == '.')) --end;
  while (begin < point && (characters[begin] == '0' || characters[begin] == ',')) ++begin;
  const bool zero = begin == point && end <= point;
  if (negative && !zero) number.digits[number.size++] = '-';
  if (begin == point) number.digits[number.size++] = '0';
  for (int i = begin; i < end; ++i) {
    if (characters[i] != ',') number.digits[number.size++] = characters[i];
  }
  return number;
}

}  // namespace fastvbench::parse::choice
