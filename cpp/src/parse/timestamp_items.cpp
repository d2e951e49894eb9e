#include "parse/timestamp_items.h"

#include <cmath>

#include "parse/timestamp_decimal.h"

namespace fastvbench::parse {
namespace {

/// Milliseconds are divided, so that 12345 ms is the double nearest to 12.345.
double in_seconds(double number, Unit unit) {
  return unit == kUnitMillisecond ? number / 1000.0 : number * kUnitSeconds[unit];
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
    add_digits(p, run, &number);
    p = run.end;
    if (text.at(p) == '.' && text.digit_at(p + 1)) {
      const DigitRun fraction = text.digits_at(p + 1);
      number.add_point();
      add_digits(p + 1, fraction, &number);
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
