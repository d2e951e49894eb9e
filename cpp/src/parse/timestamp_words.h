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

constexpr int kWordSlotBits = 11;

/// Open addressing. The fingerprints fit the first-level cache, so a word that is not listed (most are
/// not) costs one look at one byte.
struct WordTable {
  static constexpr std::uint32_t kSlots = 1u << kWordSlotBits;
  static constexpr std::uint32_t kMostEntries = 640;

  std::uint8_t fingerprints[kSlots];  // 0: empty
  std::uint16_t entry_of_slot[kSlots];
  WordEntry entries[kMostEntries];  // entry 0: every word that is not listed
  std::uint32_t ending_letters;     // bit i: a word of kRoleEnding begins with letter i
  std::uint32_t video_letters;      // the same of kWordVideo
  std::uint32_t and_letters;        // of kWordAnd
};
extern const WordTable kWordTable;

constexpr std::uint64_t hash_word(std::uint64_t low, std::uint64_t high) {
  return (low ^ (high * 0x9e3779b97f4a7c15u)) * 0xd6e8feb86659fd93u;
}
constexpr std::uint32_t first_slot(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> (64 - kWordSlotBits));
}
constexpr std::uint8_t fingerprint(std::uint64_t hash) {
  return static_cast<std::uint8_t>((hash >> 40) | 1);
}

/// The entry of a word of at most 16 letters given as two little-endian lower-case halves; words that
/// are not listed share one entry of kind kWordOther.
inline const WordEntry& find_word(std::uint64_t low, std::uint64_t high = 0) {
  const std::uint64_t hash = hash_word(low, high);
  std::uint32_t slot = first_slot(hash);
  std::uint8_t found = kWordTable.fingerprints[slot];
  const std::uint8_t wanted = fingerprint(hash);
  while (found != 0) {
    if (found == wanted) {
      const WordEntry& entry = kWordTable.entries[kWordTable.entry_of_slot[slot]];
      if (entry.low == low && entry.high == high) return entry;
    }
    slot = (slot + 1) % WordTable::kSlots;
    found = kWordTable.fingerprints[slot];
  }
  return kWordTable.entries[0];
}

}  // namespace fastvbench::parse
