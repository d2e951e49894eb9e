// Digits of a number and its clock: 2.1 to 2.3 of the timestamp grammar.
#pragma once

#include <cstdint>

#include "parse/number.h"
#include "parse/timestamp_items.h"
#include "parse/timestamp_wide.h"

namespace fastvbench::parse {

/// The unit that begins at p, a word or one beyond ASCII.
UnitAt unit_at(const Text& text, const Byte* p);

/// Adds the digits of a run that begins at `begin`.
void add_digits(const Byte* begin, const DigitRun& run, DecimalNumber* number);

struct Decimal {
  double value = 0.0;
  const Byte* end = nullptr;
  std::int32_t plain_digits = 0;
  bool is_void = false;
};

/// 2.1 and 2.2: digits, thousands, fraction, exponent. `whole` is the run of digits at `begin`.
Decimal read_decimal(const Text& text, const Byte* begin, const DigitRun& whole,
                     bool comma_separates);

/// 2.3: `whole` is followed by a colon and a digit.
Item read_clock(const Text& text, const Byte* begin, const DigitRun& whole);

/// 2.4: am, pm, a.m., o'clock.
bool is_day_half(const Text& text, const Word& word);

/// "5to9": a word that may touch the number before it.
inline bool is_joining(WordKind kind) {
  return kind == kWordRange || kind == kWordUntil || kind == kWordAnd;
}

/// To the end of the letters, digits and underscores of a name such as "S01E02".
const Byte* skip_name(const Text& text, const Byte* p);

inline void make_void(Item* item, const Byte* end, bool ends_range = false) {
  item->kind = ItemKind::kVoid;
  item->end = end;
  item->ends_range = ends_range;
}

}  // namespace fastvbench::parse
