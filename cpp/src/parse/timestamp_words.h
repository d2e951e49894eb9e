// The words that the timestamp grammar knows, its section 3: found by their first 16 bytes in one table
// that the compiler builds. Meaning and lists: tests/reference/timestamp_words.py.
#pragma once

#include <cstdint>

namespace fastvbench::parse {

/// What a word means between two numbers; the order is that of kWordEffects.
enum WordKind : std::uint8_t {
  kWordOther,
  kWordFiller,
  kWordRange,
  kWordUntil,
  kWordAnd,
  kWordBetween,
  kWordFrom,
  kWordStart,
  kWordStartPoint,
  kWordEnd,
  kWordEndPoint,
  kWordLength,
  kWordFor,
  kWordNumbered,
  kWordNumberedMany,
  kWordConfidence,
  kWordDate,
  kWordFirst,
  kWordLast,
  kWordFinal,
  kWordWhole,
  kWordVideo,
  kWordAnswer,
  kWordNotFinite,
  kWordOnward,
  kWordUnit,
  kWordBetweenBehind,
  kWordKindCount,
};

/// What a word says about the JSON key that holds it; the greatest in a key decides.
enum KeyKind : std::uint8_t {
  kKeyNone,
  kKeyTime,
  kKeyStart,
  kKeyEnd,
  kKeyLength,
  kKeyNotTime,
};

/// Units of time; kUnitNone: none.
enum Unit : std::uint8_t { kUnitNone, kUnitMillisecond, kUnitSecond, kUnitMinute, kUnitHour };

constexpr double kUnitSeconds[] = {0.0, 0.001, 1.0, 60.0, 3600.0};

/// Roles beside the kind, as bits.
enum WordRole : std::uint16_t {
  kRoleCounted = 1,       // behind a number: a count (2.10)
  kRoleConfident = 2,     // behind a percentage: a confidence (2.8)
  kRoleEnding = 4,        // behind a time: a length or distance (2.5)
  kRolePercent = 8,       // behind a number: percent
  kRoleLeadingUnit = 16,  // before a number: its unit (2.6)
  kRoleMark = 32,         // "the 30-second mark" is a point in time
  kRoleDayHalf = 64,      // am, pm, oclock (2.4)
  kRoleOrdinal = 128,     // st, nd, rd, th
  kRoleIs = 256,          // "answer is" is a cue (1.2)
  kRoleSingleUnit = 512,  // second, minute, hour: "a 30 second clip" is a length
};

struct WordEntry {
  std::uint64_t low;   // bytes 0-7, lower case, zero behind the end
  std::uint64_t high;  // bytes 8-15
  WordKind kind;
  Unit unit;
  KeyKind key;
  std::uint16_t roles;
};

/// The entry of a word of at most 16 letters given as two little-endian lower-case halves; words that
/// are not listed share one entry of kind kWordOther.
const WordEntry& find_word(std::uint64_t low, std::uint64_t high);

}  // namespace fastvbench::parse
