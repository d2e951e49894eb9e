#include "parse/timestamp_items.h"

#include <cmath>

#include "parse/number.h"
#include "parse/timestamp_wide.h"

namespace fastvbench::parse {
namespace {

UnitAt unit_at(const Text& text, const Byte* p) {
  if (p >= text.end) return {kUnitNone, p};
  if (*p < 0x80 || text.letter_at(p) != 0) {
    const Word word = text.word_at(p);
    return {word.unit(), word.end};
  }
  return wide_unit_at(text, p);
}

/// Milliseconds are divided, so that 12345 ms is the double nearest to 12.345.
double in_seconds(double number, Unit unit) {
  return unit == kUnitMillisecond ? number / 1000.0 : number * kUnitSeconds[unit];
}

/// "5to9": a word that may touch the number before it.
bool is_joining(WordKind kind) {
  return kind == kWordRange || kind == kWordUntil || kind == kWordAnd;
}

/// Adds the digits of a run that begins at `begin`.
void add_digits(const Text& text, const Byte* begin, const DigitRun& run, DecimalNumber* number) {
  if (run.count <= 17) {
    number->add_run(run.value, static_cast<int>(run.count));
    return;
  }
  for (const Byte* p = begin; p < run.end;) {
    const bool wide = *p == 0xEF;
    number->add_digit(static_cast<unsigned>(wide ? p[2] - 0x90 : *p - '0'));
    p += wide ? 3 : 1;
  }
  (void)text;
}

struct Decimal {
  double value = 0.0;
  const Byte* end = nullptr;
  std::int32_t plain_digits = 0;
  bool is_void = false;
};

std::int32_t short_count(std::int64_t count) {
  return static_cast<std::int32_t>(count < 5 ? count : 5);
}

/// 2.1 from the point on: ".5", "5.", "e-3"; "1.5.2" and "5..6" are no numbers.
void read_fraction_and_exponent(const Text& text, DecimalNumber* number, Decimal* decimal) {
  const Byte* end = decimal->end;
  const int first = text.at(end);
  if (first == '.') {
    if (text.digit_at(end + 1)) {
      const DigitRun run = text.digits_at(end + 1);
      number->add_point();
      add_digits(text, end + 1, run, number);
      end = run.end;
    } else if (text.at(end + 1) != ' ' && unit_at(text, end + 1).unit != kUnitNone) {
      end += 1;  // "5.s"
    }
  } else if (first == 0xEF && text.holds(end, 0xEF, 0xBC, 0x8E) && text.digit_at(end + 3)) {
    const DigitRun run = text.digits_at(end + 3);
    number->add_point();
    add_digits(text, end + 3, run, number);
    end = run.end;
  }
  while (text.at(end) == '.') {  // a further point with digits behind it
    const Byte* after = end;
    while (text.at(after) == '.') ++after;
    if (!text.digit_at(after)) break;
    end = text.digits_at(after).end;
    decimal->is_void = true;
  }
  if (text.at(end) == 'e' || text.at(end) == 'E') {
    const Byte* digits = end + 1;
    const bool negative = text.at(digits) == '-';
    if (negative || text.at(digits) == '+') ++digits;
    const DigitRun run = text.digits_at(digits);
    if (run.count > 0 && text.letter_at(run.end) == 0) {
      // Leading zeros count as digits here; an exponent of so many is taken up to its 18th.
      const Byte* p = digits;
      std::int64_t exponent = 0;
      while (p < run.end) {
        const bool wide = *p == 0xEF;
        exponent = exponent * 10 + (wide ? p[2] - 0x90 : *p - '0');
        if (exponent > 1000000000000) exponent = 1000000000000;
        p += wide ? 3 : 1;
      }
      number->add_exponent(negative ? -exponent : exponent);
      end = run.end;
    }
  }
  decimal->end = end;
}

/// Whether a number may go on behind its digits: everything but "." and what ends it for sure.
bool may_go_on(int byte) {
  return byte == '.' || byte == ',' || byte == 'e' || byte == 'E' || byte == 0xEF;
}

/// "12" and "12.5" with nothing behind them that belongs to a number; false for all else.
bool read_plain_decimal(const Text& text, const DigitRun& whole, Decimal* decimal) {
  static constexpr double kPowers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  static constexpr std::uint64_t kIntegerPowers[] = {
      1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u};
  if (whole.count > 7) return false;
  if (!may_go_on(text.at(whole.end))) {
    decimal->value = static_cast<double>(whole.value);
    decimal->end = whole.end;
    decimal->plain_digits = static_cast<std::int32_t>(whole.count < 5 ? whole.count : 5);
    return true;
  }
  if (text.at(whole.end) != '.' || !is_ascii_digit(text.at(whole.end + 1))) return false;
  const DigitRun fraction = text.digits_at(whole.end + 1);
  const int after = text.at(fraction.end);
  if (fraction.count > 8 || (after != ',' && may_go_on(after))) return false;
  // Both operands are exact, so the one rounding of the division is the right one.
  decimal->value =
      static_cast<double>(whole.value * kIntegerPowers[fraction.count] + fraction.value) /
      kPowers[fraction.count];
  decimal->end = fraction.end;
  return true;
}

/// 2.1 and 2.2: digits, thousands, fraction, exponent. `whole` is the run of digits at `begin`.
Decimal read_decimal(const Text& text, const Byte* begin, const DigitRun& whole,
                     bool comma_separates) {
  Decimal decimal;
  if (whole.count > 0 && read_plain_decimal(text, whole, &decimal)) return decimal;
  DecimalNumber number;
  decimal.end = whole.end;
  if (whole.count == 0) {  // ".5"
    read_fraction_and_exponent(text, &number, &decimal);
    decimal.value = number.value();
    return decimal;
  }
  add_digits(text, begin, whole, &number);
  const int next = text.at(whole.end);
  if (next == ',' && text.digit_at(whole.end + 1)) {
    const auto stop_here = [&] {
      decimal.value = number.value();
      decimal.plain_digits = short_count(whole.count);
      return decimal;
    };
    DigitRun group = text.digits_at(whole.end + 1);
    const Byte* group_begin = whole.end + 1;
    if (comma_separates && !range_sign_follows(text, group.end)) return stop_here();
    const bool colon = text.colon_at(group.end);
    if (colon && text.digit_at(text.skip_colon(group.end))) return stop_here();
    if (group.count == 3 && whole.count <= 3 && !whole.begins_with_zero) {
      for (;;) {
        add_digits(text, group_begin, group, &number);
        decimal.end = group.end;
        if (text.at(group.end) != ',') break;
        group_begin = group.end + 1;
        group = text.digits_at(group_begin);
        if (group.count != 3) break;
      }
      read_fraction_and_exponent(text, &number, &decimal);
      decimal.value = number.value();
      return decimal;
    }
    const bool list_before =
        text.before(begin) == ',' && begin - text.begin >= 2 && text.digit_before(begin - 1);
    const int after = text.at(group.end);
    const bool wide_point = after == 0xEF && text.holds(group.end, 0xEF, 0xBC, 0x8E);
    if (list_before || ((after == '.' || after == ',' || wide_point) &&
                        text.digit_at(group.end + (wide_point ? 3 : 1)))) {
      return stop_here();
    }
    number.add_point();
    add_digits(text, group_begin, group, &number);
    decimal.end = group.end;
    read_fraction_and_exponent(text, &number, &decimal);
    decimal.value = number.value();
    return decimal;
  }
  if (next == '.' || next == 'e' || next == 'E' || next == 0xEF) {
    read_fraction_and_exponent(text, &number, &decimal);
  }
  decimal.value = number.value();
  if (decimal.end == whole.end) decimal.plain_digits = short_count(whole.count);
  return decimal;
}

/// 2.4: am, pm, a.m., o'clock.
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

/// To the end of the letters, digits and underscores of a name such as "S01E02".
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

void make_void(Item* item, const Byte* end, bool ends_range = false) {
  item->kind = ItemKind::kVoid;
  item->end = end;
  item->ends_range = ends_range;
}

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

/// 2.3: `whole` is followed by a colon and a digit.
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
    add_digits(text, last_begin, fields[later - 1], &number);
    number.add_point();
    add_digits(text, fraction_begin, fraction, &number);
    seconds = number.value();
  }
  double first = static_cast<double>(whole.value);
  if (whole.count > 15) {
    DecimalNumber number;
    add_digits(text, begin, whole, &number);
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

/// 2.7: end of "2023-05-12", "05-12-2023" or "5/10", or null where none begins.
const Byte* date_or_fraction_end(const Text& text, const DigitRun& whole) {
  const Byte* end = whole.end;
  const int next = text.at(end);
  if (next == '/' && text.digit_at(end + 1)) {
    while (text.at(end) == '/' && text.digit_at(end + 1)) end = text.digits_at(end + 1).end;
    return end;
  }
  if (next != '-' || (whole.count != 1 && whole.count != 2 && whole.count != 4)) return nullptr;
  const DigitRun middle = text.digits_at(end + 1);
  if ((middle.count != 1 && middle.count != 2) || text.at(middle.end) != '-') return nullptr;
  const DigitRun last = text.digits_at(middle.end + 1);
  const bool year_first = whole.count == 4 && (last.count == 1 || last.count == 2);
  const bool year_last = whole.count != 4 && last.count == 4;
  return year_first || year_last ? last.end : nullptr;
}

/// 2.6: 1 h 2 min 3 s, 1 minute and 12 seconds, 2m30.
void add_smaller_units(const Text& text, Item* item, Unit unit) {
  while (unit > kUnitMillisecond) {
    const Byte* p = item->end;
    if (unit >= kUnitMinute && text.digit_at(p)) {  // "1h05" without a second unit
      const DigitRun run = text.digits_at(p);
      const int after = text.at(run.end);
      const bool alone = text.letter_at(run.end) == 0 && after != '.' && after != ',' &&
                         after != ':' && after != '_' && unit_at(text, run.end).unit == kUnitNone;
      if (alone && run.count == 2 && run.value < 60) {
        item->value += static_cast<double>(run.value) * (kUnitSeconds[unit] / 60.0);
        item->end = run.end;
        return;
      }
    }
    p = text.skip_to_unit(p);
    if (text.at(p) == ',') p = text.skip_to_unit(p + 1);
    if (text.letter_in(p, kWordTable.and_letters)) {
      const Word word = text.word_at(p);
      if (word.kind() == kWordAnd) p = text.skip_to_unit(word.end);
    }
    if (!text.digit_at(p)) return;
    DecimalNumber number;
    const DigitRun run = text.digits_at(p);
    add_digits(text, p, run, &number);
    p = run.end;
    if (text.at(p) == '.' && text.digit_at(p + 1)) {
      const DigitRun fraction = text.digits_at(p + 1);
      number.add_point();
      add_digits(text, p + 1, fraction, &number);
      p = fraction.end;
    }
    const UnitAt smaller = unit_at(text, text.skip_to_unit(p));
    if (smaller.unit == kUnitNone || smaller.unit >= unit) return;
    const double seconds = in_seconds(number.value(), smaller.unit);
    if (!(seconds < kUnitSeconds[unit])) return;
    item->value += seconds;
    item->end = smaller.end;
    unit = smaller.unit;
  }
}

void void_if_confidence(const Text& text, Item* item) {
  const Word word = text.word_at(text.skip_to_unit(item->end));
  if (word.has(kRoleConfident)) make_void(item, word.end);
}

/// What stands behind a number: 2.4 to 2.10.
void finish_number(const Text& text, Item* item) {
  const Byte* p = item->end;
  const int next = text.at(p);
  const bool touching = text.letter_at(p) != 0;
  if (touching) {
    const Word suffix = text.word_at(p);
    if (suffix.has(kRoleOrdinal)) {
      const Word word = text.word_at(text.skip_to_unit(suffix.end));
      if (word.unit() == kUnitNone) {
        make_void(item, suffix.end);
      } else {
        item->unit = kUnitSeconds[word.unit()];
        item->value = in_seconds(item->value, word.unit());
        item->end = word.end;
      }
      return;
    }
  }
  const bool hyphen = next == '-' && text.letter_at(p + 1) != 0;
  p = hyphen ? p + 1 : text.skip_to_unit(p);
  const int first = text.at(p);
  if (first == '%' || (first == 0xEF && text.holds(p, 0xEF, 0xBC, 0x85))) {
    item->kind = ItemKind::kPercent;
    item->end = p + (first == '%' ? 1 : 3);
    void_if_confidence(text, item);
    return;
  }
  if (first < 0) return;
  if (text.letter_at(p) == 0) {
    if (first < 0x80) return;
    const Character c = text.character_at(p);
    if (is_counter(c.code)) {
      make_void(item, p + c.size, true);
      return;
    }
    const UnitAt unit = wide_unit_at(text, p);
    if (unit.unit == kUnitNone) return;
    item->unit = kUnitSeconds[unit.unit];
    item->end = unit.end;
    item->value = in_seconds(item->value, unit.unit);
    add_smaller_units(text, item, unit.unit);
    return;
  }
  const Word word = text.word_at(p);
  if (is_day_half(text, word)) {
    make_void(item, word.end, true);
    return;
  }
  if (word.has(kRolePercent)) {
    item->kind = ItemKind::kPercent;
    item->end = word.end;
    void_if_confidence(text, item);
    return;
  }
  if (word.unit() != kUnitNone) {
    item->unit = kUnitSeconds[word.unit()];
    item->end = word.end;
    item->value = in_seconds(item->value, word.unit());
    if (hyphen) {  // "a 30-second clip", but "the 30-second mark"
      const Word after = text.word_at(text.skip_to_unit(item->end));
      if (!after.has(kRoleMark)) item->kind = ItemKind::kVoid;
      return;
    }
    add_smaller_units(text, item, word.unit());
    const Byte* behind = text.skip_to_unit(item->end);
    std::uint32_t letters = kWordTable.ending_letters;
    if (word.has(kRoleSingleUnit)) letters |= kWordTable.video_letters;
    if (!text.letter_in(behind, letters)) return;
    const Word after = text.word_at(behind);
    if (after.has(kRoleEnding)) {
      make_void(item, after.end);
    } else if (word.has(kRoleSingleUnit) && after.kind() == kWordVideo) {
      item->kind = ItemKind::kVoid;
    }
    return;
  }
  if (touching && !is_joining(word.kind())) {
    make_void(item, skip_name(text, item->end));  // "4K", "3D"
    return;
  }
  if (word.has(kRoleCounted) && !hyphen) make_void(item, word.end, true);
}

}  // namespace

bool range_sign_follows(const Text& text, const Byte* p) {
  p = text.skip_spaces(p);
  const std::uint32_t code = text.character_at(p).code;
  if (is_dash(code) || is_tilde(code) || is_arrow(code)) return true;
  return text.word_at(p).kind() == kWordRange;
}

Item read_item(const Text& text, const Byte* begin, const ItemContext& context) {
  Item item(ItemKind::kVoid, begin, begin);
  if (context.name) {
    item.end = skip_name(text, begin);
    return item;
  }
  const DigitRun whole = text.digits_at(begin);
  if (whole.count > 0) {
    if (text.colon_at(whole.end) && text.digit_at(text.skip_colon(whole.end))) {
      return read_clock(text, begin, whole);
    }
    if (const Byte* end = date_or_fraction_end(text, whole)) {
      item.end = end;
      return item;
    }
  }
  const Decimal decimal = read_decimal(text, begin, whole, context.comma_separates);
  item.end = decimal.end;
  if (decimal.is_void) return item;
  item.kind = ItemKind::kNumber;
  item.value = context.negative ? -decimal.value : decimal.value;
  finish_number(text, &item);
  if (item.is_bare()) {
    item.plain_digits = context.negative ? 0 : decimal.plain_digits;
    if (context.leading_unit != 0.0) {
      item.unit = context.leading_unit;
      item.value *= context.leading_unit;
    }
  }
  if (item.kind != ItemKind::kVoid && !std::isfinite(item.value)) item.kind = ItemKind::kNotFinite;
  return item;
}

}  // namespace fastvbench::parse
