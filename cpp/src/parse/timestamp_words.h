// The words that the timestamp grammar knows, its section 3: found by their first 16 bytes in one
// table that the compiler builds. Meaning and lists: tests/reference/timestamp_words.py.
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
  kRoleDayLetter = 1024,  // a, p: of "a.m." (2.4)
  kRoleOclock = 2048,     // o: of "o'clock"
  kRoleClock = 4096,
  kRoleMoves = 8192,  // its kind does more than set marks
};

/// One slot of the table. A free slot is the entry of every word that is not listed.
struct WordEntry {
  std::uint64_t low;   // bytes 0-7, lower case, zero behind the end; 0 in a free slot
  std::uint32_t keep;  // what the word does to the marks of the gap
  std::uint32_t set;
  WordKind kind;
  Unit unit;
  KeyKind key;
  std::uint16_t roles;
};

/// Open addressing by a multiplicative hash, at most half full.
struct WordTable {
  static constexpr int kShortBits = 10;
  static constexpr int kLongBits = 8;

  WordEntry short_words[1u << kShortBits];   // up to 8 letters
  WordEntry long_words[1u << kLongBits];     // 9 to 16
  std::uint64_t long_high[1u << kLongBits];  // their bytes 8-15
  std::uint32_t ending_letters;              // bit i: a word of kRoleEnding begins with letter i
  std::uint32_t video_letters;               // the same of kWordVideo
  std::uint32_t and_letters;                 // of kWordAnd
};
extern const WordTable kWordTable;

constexpr std::uint32_t short_slot(std::uint64_t low) {
  return static_cast<std::uint32_t>(low * 0xd6e8feb86659fd93u >> (64 - WordTable::kShortBits));
}
constexpr std::uint32_t long_slot(std::uint64_t low, std::uint64_t high) {
  return static_cast<std::uint32_t>((low ^ high * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u >>
                                    (64 - WordTable::kLongBits));
}

/// The entry of a word of up to 8 letters, given in lower case, little-endian.
inline const WordEntry& find_short_word(std::uint64_t low) {
  constexpr std::uint32_t kMask = (1u << WordTable::kShortBits) - 1;
  std::uint32_t slot = short_slot(low);
  while (kWordTable.short_words[slot].low != low && kWordTable.short_words[slot].low != 0) {
    slot = (slot + 1) & kMask;
  }
  return kWordTable.short_words[slot];
}

/// The same of 9 to 16 letters.
const WordEntry& find_long_word(std::uint64_t low, std::uint64_t high);

}  // namespace fastvbench::parse
