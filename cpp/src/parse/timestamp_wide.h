// Characters and words beyond ASCII that the timestamp grammar knows (2.5, 2.10, 3.1, 4.1).
#pragma once

#include <cstdint>

#include "parse/timestamp_text.h"

namespace fastvbench::parse {

struct UnitAt {
  Unit unit;
  const Byte* end;
};

/// Seconds, minutes and hours, longest form first; kUnitNone with `p` itself where there is none.
UnitAt wide_unit_at(const Text& text, const Byte* p);

struct WideWord {
  WordKind kind;
  int size;  // bytes
};

/// Words of scripts that write no spaces. `first` is the character at p.
WideWord wide_word_at(const Text& text, const Byte* p, const Character& first);

/// Behind a number: what makes it a count or a date.
bool is_counter(std::uint32_t code);

/// A dash of any kind, a tilde, an arrow: the signs of a range; ASCII ones too.
bool is_dash(std::uint32_t code);
bool is_tilde(std::uint32_t code);
bool is_arrow(std::uint32_t code);

/// Quotation marks and the like, which weigh nothing.
bool is_markup(std::uint32_t code);
bool is_bullet(std::uint32_t code);

}  // namespace fastvbench::parse
