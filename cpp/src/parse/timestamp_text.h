// Characters and words of one answer. Nothing reads outside [begin, end); broken UTF-8 is read byte
// by byte as characters that mean nothing.
#pragma once

#include <cstdint>
#include <cstring>

#include "parse/timestamp_words.h"

namespace fastvbench::parse {

using Byte = unsigned char;

struct Character {
  std::uint32_t code;  // 0xFFFFFFFF: outside the text; a stray byte is 0xFFFD
  int size;            // bytes; 0 outside the text
};
constexpr std::uint32_t kNoCharacter = 0xFFFFFFFFu;

struct Word {
  const WordEntry* entry;  // null where no letter stands
  const Byte* end;

  explicit operator bool() const { return entry != nullptr; }
  WordKind kind() const { return entry != nullptr ? entry->kind : kWordOther; }
  bool has(WordRole role) const { return entry != nullptr && (entry->roles & role) != 0; }
  Unit unit() const { return entry != nullptr ? entry->unit : kUnitNone; }
};

/// A run of digits: where it ends, how many, and what up to 18 of them write.
struct DigitRun {
  const Byte* end;
  std::int64_t count;
  std::uint64_t value;
  bool begins_with_zero;
};

constexpr bool is_ascii_digit(int byte) { return byte >= '0' && byte <= '9'; }
constexpr bool is_ascii_letter(int byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

struct Text {
  const Byte* begin;
  const Byte* end;

  /// The byte, or -1 outside the text.
  int at(const Byte* p) const { return p < end ? *p : -1; }
  int before(const Byte* p) const { return p > begin ? p[-1] : -1; }

  bool holds(const Byte* p, Byte first, Byte second, Byte third) const {
    return end - p >= 3 && p[0] == first && p[1] == second && p[2] == third;
  }

  Character character_at(const Byte* p) const {
    if (p >= end) return {kNoCharacter, 0};
    const std::uint32_t first = *p;
    if (first < 0x80) return {first, 1};
    const auto follows = [&](int i) { return end - p > i && (p[i] & 0xC0) == 0x80; };
    const auto bits = [&](int i) { return static_cast<std::uint32_t>(p[i] & 0x3F); };
    if (first >= 0xC2 && first <= 0xDF && follows(1)) return {(first & 0x1F) << 6 | bits(1), 2};
    if (first >= 0xE0 && first <= 0xEF && follows(1) && follows(2)) {
      return {(first & 0x0F) << 12 | bits(1) << 6 | bits(2), 3};
    }
    if (first >= 0xF0 && first <= 0xF4 && follows(1) && follows(2) && follows(3)) {
      return {(first & 0x07) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3), 4};
    }
    return {0xFFFD, 1};
  }

  /// Bytes of the space that begins at p; 0 where none does. Line ends are no spaces.
  int space_at(const Byte* p) const {
    if (p >= end) return 0;
    if (*p == ' ' || *p == '\t' || *p == '\v' || *p == '\f') return 1;
    if (*p < 0x80) return 0;
    const Character c = character_at(p);
    switch (c.code) {
      case 0x00A0:
      case 0x3000:
      case 0xFEFF:
      case 0xFE0F:
        return c.size;
      default:
        return c.code >= 0x2000 && c.code <= 0x200F ? c.size : 0;
    }
  }

  const Byte* skip_spaces(const Byte* p) const {
    while (const int size = space_at(p)) p += size;
    return p;
  }

  /// Over spaces and bold or code marks: "**12.5** s".
  const Byte* skip_to_unit(const Byte* p) const {
    for (;;) {
      if (p < end && (*p == '*' || *p == '`')) {
        ++p;
      } else if (const int size = space_at(p)) {
        p += size;
      } else {
        return p;
      }
    }
  }

  /// Bytes of the full-width digit at p (3) or 0.
  int wide_digit_at(const Byte* p) const {
    return end - p >= 3 && p[0] == 0xEF && p[1] == 0xBC && p[2] >= 0x90 && p[2] <= 0x99 ? 3 : 0;
  }
  bool digit_at(const Byte* p) const {
    return p < end && (is_ascii_digit(*p) || (*p == 0xEF && wide_digit_at(p) != 0));
  }
  bool digit_before(const Byte* p) const {
    if (p > begin && is_ascii_digit(p[-1])) return true;
    return p - begin >= 3 && wide_digit_at(p - 3) != 0;
  }

  /// Bytes of the letter at p: ASCII, or U+00C0 to U+024F; 0 where none is.
  int letter_at(const Byte* p) const {
    if (p >= end) return 0;
    if (is_ascii_letter(*p)) return 1;
    if (*p < 0xC3 || *p > 0xC9 || end - p < 2 || (p[1] & 0xC0) != 0x80) return 0;
    return *p == 0xC9 && p[1] > 0x8F ? 0 : 2;
  }
  bool letter_before(const Byte* p) const {
    if (p > begin && is_ascii_letter(p[-1])) return true;
    return p - begin >= 2 && letter_at(p - 2) == 2;
  }

  bool colon_at(const Byte* p) const {
    return p < end && (*p == ':' || (*p == 0xEF && holds(p, 0xEF, 0xBC, 0x9A)));
  }
  const Byte* skip_colon(const Byte* p) const { return p + (*p == ':' ? 1 : 3); }

  DigitRun digits_at(const Byte* p) const {
    DigitRun run{p, 0, 0, p < end && *p == '0'};
    const Byte* q = p;
    const Byte* const short_end = end - p > 17 ? p + 17 : end;
    while (q < short_end && is_ascii_digit(*q)) {
      run.value = run.value * 10 + static_cast<unsigned>(*q - '0');
      ++q;
    }
    run.end = q;
    run.count = q - p;
    if (q < end && (*q == 0xEF || is_ascii_digit(*q))) read_more_digits(&run);
    return run;
  }

  /// Whether the letter at p is one of a set: bit i stands for the i-th of the alphabet.
  bool letter_in(const Byte* p, std::uint32_t letters) const {
    const int index = (at(p) | 0x20) - 'a';  // outside the text: below 0
    return index >= 0 && index < 26 && (letters >> index & 1) != 0;
  }

  /// The word that begins at p.
  Word word_at(const Byte* p) const {
    // Nearly always up to seven ASCII letters and what follows: one load.
    std::uint64_t low = load(p);
    const std::uint64_t others = other_bytes(low);
    if (others != 0) {
      const int count = __builtin_ctzll(others) >> 3;
      if (count == 0 && letter_at(p) == 0) return {nullptr, p};
      const Byte* after = p + count;
      if (after >= end || *after < 0xC3 || *after > 0xC9) {
        const std::uint64_t mask = ((others & (~others + 1)) >> 7) - 1;  // the bytes before
        return {&find_short_word((low | 0x20 * kOnes) & mask), after};
      }
    } else {
      const std::uint64_t high = load(p + 8);
      const std::uint64_t high_others = other_bytes(high);
      if (high_others != 0) {
        const Byte* after = p + 8 + (__builtin_ctzll(high_others) >> 3);
        if (after >= end || *after < 0xC3 || *after > 0xC9) {
          const std::uint64_t mask = ((high_others & (~high_others + 1)) >> 7) - 1;
          low |= 0x20 * kOnes;
          if (mask == 0) return {&find_short_word(low), after};
          return {&find_long_word(low, (high | 0x20 * kOnes) & mask), after};
        }
      }
    }
    return word_in_bytes(p);
  }

 private:
  /// Eight bytes from p, little-endian; zeros behind the text's end.
  std::uint64_t load(const Byte* p) const {
    std::uint64_t bytes = 0;
    if (end - p >= 8) {
      std::memcpy(&bytes, p, 8);
    } else if (end - begin >= 8 && p < end) {
      std::memcpy(&bytes, end - 8, 8);
      bytes >>= 8 * (8 - (end - p));
    } else {
      for (int i = 0; i < end - p; ++i) bytes |= std::uint64_t{p[i]} << (8 * i);
    }
    return bytes;
  }

  static constexpr std::uint64_t kOnes = 0x0101010101010101u;

  /// The high bit of each of eight bytes that is no ASCII letter.
  static constexpr std::uint64_t other_bytes(std::uint64_t bytes) {
    const std::uint64_t lower = (bytes & 0x7F * kOnes) | 0x20 * kOnes;
    const std::uint64_t from_a = lower + (0x80 - 'a') * kOnes;
    const std::uint64_t past_z = lower + (0x7F - 'z') * kOnes;
    return ~(from_a & ~past_z & ~bytes) & 0x80 * kOnes;
  }

  Word word_in_bytes(const Byte* p) const;
  void read_more_digits(DigitRun* run) const;
};

}  // namespace fastvbench::parse
