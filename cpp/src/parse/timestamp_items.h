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

/// The frequent shapes of read_item, decided alone: "12", "12.5", "12.5 s", "01:05" with nothing
/// else of section 2 in sight. False, with nothing changed, for all else; then read_item decides.
bool read_simple_item(const Text& text, const Byte* begin, Item* item, Peek* peek);

}  // namespace fastvbench::parse
