// Clocks, and what makes a number of the day or part of a name.
#include <cmath>

#include "parse/timestamp_decimal.h"

namespace fastvbench::parse {

bool is_day_half(const Text& text, const Word& word) {
  constexpr std::uint16_t kRoles = kRoleDayHalf | kRoleDayLetter | kRoleOclock;
  if (!word || (word.entry->roles & kRoles) == 0) return false;
  if (word.has(kRoleDayHalf)) return true;
  const Byte* p = word.end;
  if (word.has(kRoleDayLetter)) {
    if (text.at(p) != '.') return false;
    const Word second = text.word_at(p + 1);
    return second && second.entry->low == 'm';
  }
  if (text.at(p) == '\'') {
    p += 1;
  } else if (text.holds(p, 0xE2, 0x80, 0x99)) {
    p += 3;
  } else {
    return false;
  }
  return text.word_at(p).has(kRoleClock);
}

const Byte* skip_name(const Text& text, const Byte* p) {
  for (;;) {
    if (const int letter = text.letter_at(p)) {
      p += letter;
    } else if (text.at(p) == '_' || is_ascii_digit(text.at(p))) {
      p += 1;
    } else if (p < text.end && text.wide_digit_at(p) != 0) {
      p += 3;
    } else {
      return p;
    }
  }
}

namespace {

/// A clock may be followed by a word that says what it is: "5:30 minutes", "3:05 PM".
void finish_clock(const Text& text, Item* item) {
  const bool touching = text.letter_at(item->end) != 0 || text.at(item->end) == '_';
  const Word word = text.word_at(text.skip_to_unit(item->end));
  if (word && is_day_half(text, word)) {
    make_void(item, word.end, true);
  } else if (word.unit() != kUnitNone) {
    item->end = word.end;
  } else if (touching && !is_joining(word.kind())) {
    make_void(item, skip_name(text, item->end));
  }
}

}  // namespace

Item read_clock(const Text& text, const Byte* begin, const DigitRun& whole) {
  DigitRun fields[2] = {};
  int later = 0;
  bool is_void = false;
  const Byte* end = whole.end;
  const Byte* last_begin = end;
  while (text.colon_at(end) && text.digit_at(text.skip_colon(end))) {
    last_begin = text.skip_colon(end);
    const DigitRun field = text.digits_at(last_begin);
    if (field.count != 2 || field.value > 59) is_void = true;
    if (later < 2) fields[later] = field;
    ++later;
    end = field.end;
  }
  if (later > 2) is_void = true;

  const int mark = text.at(end);
  const bool wide_point = mark == 0xEF && text.holds(end, 0xEF, 0xBC, 0x8E);
  DigitRun fraction{end, 0, 0, false};
  const Byte* fraction_begin = end + (wide_point ? 3 : 1);
  if ((mark == '.' || mark == ',' || wide_point) && text.digit_at(fraction_begin)) {
    const DigitRun run = text.digits_at(fraction_begin);
    const bool next_clock = text.colon_at(run.end) && text.digit_at(text.skip_colon(run.end));
    if (!(mark == ',' && next_clock)) {
      fraction = run;
      end = run.end;
    }
  }
  while (text.at(end) == '.' && text.digit_at(end + 1)) {
    end = text.digits_at(end + 1).end;
    is_void = true;
  }
  Item item(ItemKind::kClock, begin, end);
  if (is_void) {
    item.kind = ItemKind::kVoid;
    return item;
  }
  double seconds = static_cast<double>(fields[later - 1].value);
  if (fraction.count > 0) {
    DecimalNumber number;
    add_digits(last_begin, fields[later - 1], &number);
    number.add_point();
    add_digits(fraction_begin, fraction, &number);
    seconds = number.value();
  }
  double first = static_cast<double>(whole.value);
  if (whole.count > 15) {
    DecimalNumber number;
    add_digits(begin, whole, &number);
    first = number.value();
  }
  item.value = later == 1
                   ? first * 60.0 + seconds
                   : first * 3600.0 + (static_cast<double>(fields[0].value) * 60.0 + seconds);
  item.unit = 1.0;
  if (!std::isfinite(item.value)) {
    item.kind = ItemKind::kNotFinite;
  } else {
    finish_clock(text, &item);
  }
  return item;
}

}  // namespace fastvbench::parse
