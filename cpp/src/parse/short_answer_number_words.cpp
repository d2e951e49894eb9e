// Number words, and the words behind a number.
#include "parse/short_answer_scanner.h"

namespace fastvbench::parse::numbers {
namespace {

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

template <int kCount>
const Named* named(const Named (&list)[kCount], const Word& word) {
  if (word.text[0] == '\0') return nullptr;
  for (const Named& entry : list) {
    if (word.is(entry.word)) return &entry;
  }
  return nullptr;
}
}  // namespace

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

}  // namespace fastvbench::parse::numbers
