// Numbers with their units: the items of the timestamp grammar, its section 2.
#pragma once

#include <cstdint>

#include "parse/timestamp_text.h"

namespace fastvbench::parse {

enum class ItemKind : std::uint8_t { kNone, kNumber, kClock, kPercent, kNotFinite, kVoid };

/// One number with what belongs to it. An item of kind kNone is no item and has no other value: a
/// row starts with several of those, so only the kind is set.
struct Item {
  ItemKind kind = ItemKind::kNone;
  bool starts_line;
  bool beyond_duration;
  bool ends_range;            // kVoid only: a bare left partner of a range is void too
  std::int32_t plain_digits;  // of a bare unsigned integer without separators (5: 5 or more)
  double value;               // seconds; of kPercent the percentage
  double unit;                // largest unit in seconds; 0 for a bare number
  const Byte* begin;
  const Byte* end;

  Item() {}  // NOLINT: leaves the rest as it is
  Item(ItemKind kind, const Byte* begin, const Byte* end)
      : kind(kind),
        starts_line(false),
        beyond_duration(false),
        ends_range(false),
        plain_digits(0),
        value(0.0),
        unit(0.0),
        begin(begin),
        end(end) {}

  explicit operator bool() const { return kind != ItemKind::kNone; }
  bool is_bare() const { return kind == ItemKind::kNumber && unit == 0.0; }
  bool is_same(const Item& other) const {
    return kind != ItemKind::kNone && other.kind != ItemKind::kNone && begin == other.begin;
  }
};

struct ItemContext {
  bool negative = false;         // a sign touches it
  bool name = false;             // the digits belong to a name ("GPT-4", "v2", "#3")
  bool comma_separates = false;  // 2.2: inside brackets, and no range sign before it
  double leading_unit = 0.0;     // 2.6: seconds of the unit word right before it
};

/// The item whose first digit, or point with a digit behind it, is at `begin`.
Item read_item(const Text& text, const Byte* begin, const ItemContext& context);

/// Whether a dash, tilde, arrow or "to" stands behind p.
bool range_sign_follows(const Text& text, const Byte* p);

/// A word that was looked up behind an item and not taken: the caller's next token.
struct Peek {
  const Byte* begin = nullptr;
  Word word;
};

/// Whether the comma at p is followed by no digit, so that it ends the number before it.
inline bool ends_at_comma(const Text& text, const Byte* p) {
  const int after = text.at(p + 1);
  return after < 0x80 && !is_ascii_digit(after);
}

/// Whether the hyphen at p is that of "5-9", not of a date or a word.
inline bool ends_at_hyphen(const Text& text, const Byte* p) {
  ++p;
  for (int count = 0; count < 3 && is_ascii_digit(text.at(p)); ++count) ++p;
  const int after = text.at(p);
  return after < 0x80 && after != '-';
}

/// "12", "12.5", "01:05" or "01:05.25" as read_simple_item takes them. The bytes but for the values
/// of their digits, and whether the seconds of a clock are below 60, decide whether it is one.
struct SimpleNumber {
  double value;
  ItemKind kind;
  std::int32_t plain_digits;
  const Byte* end;
};

inline bool read_simple_number(const Text& text, const Byte* begin, SimpleNumber* number) {
  static constexpr double kPowers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
  const Byte* p = begin;
  const Byte* limit = text.end - begin > 15 ? begin + 15 : text.end;
  std::uint64_t digits = 0;
  while (p < limit && is_ascii_digit(*p)) digits = digits * 10 + static_cast<unsigned>(*p++ - '0');
  const std::int64_t whole_count = p - begin;
  if (p == limit && p != text.end) return false;  // 15 digits and more
  number->kind = ItemKind::kNumber;
  number->plain_digits = 0;
  int next = text.at(p);
  if (next == '.' && is_ascii_digit(text.at(p + 1))) {
    const Byte* const fraction = p + 1;
    p = fraction;
    while (p < limit && is_ascii_digit(*p)) {
      digits = digits * 10 + static_cast<unsigned>(*p++ - '0');
    }
    if (p == fraction || p - fraction > 8 || (p == limit && p != text.end)) return false;
    // Both operands are exact, so the one rounding of the division is the right one.
    number->value = static_cast<double>(digits) / kPowers[p - fraction];
    next = text.at(p);
    if (next == 'e' || next == 'E') return false;
  } else if (next == ':') {
    if (text.end - p < 3 || !is_ascii_digit(p[1]) || !is_ascii_digit(p[2]) || p[1] > '5') {
      return false;
    }
    std::uint64_t seconds = static_cast<std::uint64_t>((p[1] - '0') * 10 + (p[2] - '0'));
    p += 3;
    next = text.at(p);
    std::int64_t places = 0;
    if (next == '.' && is_ascii_digit(text.at(p + 1))) {  // "01:05.25"
      const Byte* const fraction = p + 1;
      const Byte* const most = text.end - fraction > 9 ? fraction + 9 : text.end;
      for (p = fraction; p < most && is_ascii_digit(*p); ++p) {
        seconds = seconds * 10 + static_cast<unsigned>(*p - '0');
      }
      places = p - fraction;
      next = text.at(p);
      if (places > 8 || next == '.') return false;
    }
    if (next == ',' && !ends_at_comma(text, p)) return false;
    number->value =
        static_cast<double>(digits) * 60.0 + static_cast<double>(seconds) / kPowers[places];
    number->kind = ItemKind::kClock;
  } else {
    if (next == 'e' || next == 'E' || (next == ',' && !ends_at_comma(text, p)) ||
        (next == '-' && !ends_at_hyphen(text, p))) {
      return false;
    }
    number->value = static_cast<double>(digits);
    number->plain_digits = static_cast<std::int32_t>(whole_count < 5 ? whole_count : 5);
  }
  number->end = p;
  return true;
}

/// The frequent shapes of read_item, decided alone: "12", "12.5", "12.5 s", "01:05" with nothing
/// else of section 2 in sight. False, with nothing changed, for all else; then read_item decides.
bool read_simple_item(const Text& text, const Byte* begin, Item* item, Peek* peek);

}  // namespace fastvbench::parse
