// What of an answer is compared word by word (tests/reference/choice_options.py).
#pragma once

#include "parse/choice_tokens.h"

namespace fastvbench::parse::choice {

/// Words, CJK characters and the marks that mean something.
bool is_atom(const Token& token);

/// The digits of a number, written in the one way that equal numbers share.
struct CanonicalNumber {
  static constexpr int kMostCharacters = 40;

  bool looks_numeric = false;  // digits and marks, such as a clock time
  int size = 0;                // 0: not a number that an option can be
  char digits[kMostCharacters + 2];

  bool same(const CanonicalNumber& other) const;
};

/// A token of digits, or a number word up to twenty: "1,000" and "1000.0" are the same.
CanonicalNumber read_canonical_number(const Token& token, const char* text);

}  // namespace fastvbench::parse::choice
