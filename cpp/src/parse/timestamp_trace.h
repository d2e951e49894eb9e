// What the reading of one answer depended on beside its shape: the text with every ASCII digit
// taken for the same. No token looks at the digits themselves but through the questions noted here.
#pragma once

#include <cstdint>

#include "parse/timestamp_items.h"

namespace fastvbench::parse {

struct ReadingTrace {
  static constexpr int kMostPairs = 4;
  static constexpr int kMostClocks = 8;

  /// An interval that was kept: read_simple_number at both places gives its times again.
  struct Pair {
    const Byte* first;
    const Byte* second;
    const Byte* begin;  // of the span
    const Byte* until;
    unsigned flags;  // before ordering and clamping
  };

  /// Some other question was asked of a value or a duration: another text of the same shape may be
  /// read in another way.
  bool depends_on_values = false;
  int pair_count = 0;
  int clock_count = 0;
  Pair pairs[kMostPairs];           // all intervals that were ever kept, in order
  const Byte* clocks[kMostClocks];  // each must be one of read_simple_number again

  ReadingTrace() {}  // NOLINT: leaves the lists as they are

  void add_pair(const Pair& pair) {
    if (pair_count == kMostPairs) {
      depends_on_values = true;
    } else {
      pairs[pair_count++] = pair;
    }
  }
  void add_clock(const Byte* begin) {
    if (clock_count == kMostClocks) {
      depends_on_values = true;
    } else {
      clocks[clock_count++] = begin;
    }
  }
};

}  // namespace fastvbench::parse
