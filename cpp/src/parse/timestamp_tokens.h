// The tokens of one answer, as the files timestamp_*_tokens.cpp read them.
#pragma once

#include <cstdint>

#include "parse/timestamp_pairs.h"

namespace fastvbench::parse {

/// What a byte begins.
enum ByteKind : std::uint8_t {
  kByteOther,
  kByteDigit,
  kByteLetter,
  kByteSpace,
  kByteLineEnd,
  kBytePoint,
  kByteLess,
  kByteOpening,
  kByteClosing,
  kByteColon,
  kByteDash,
  kByteTilde,
  kByteBar,
  kByteSeparator,
  kByteSlash,
  kByteAmpersand,
  kByteEquals,
  kByteBackslash,
  kByteStar,
  kByteMarkup,
  kByteStop,
  kByteWide,
};

struct ByteKinds {
  ByteKind of[256] = {};
  constexpr void set(const char* bytes, ByteKind kind) {
    for (; *bytes != '\0'; ++bytes) of[static_cast<Byte>(*bytes)] = kind;
  }
  constexpr ByteKinds() {
    for (int b = 0; b < 256; ++b) {
      if (b >= 0x80) of[b] = kByteWide;
      if (is_ascii_digit(b)) of[b] = kByteDigit;
      if (is_ascii_letter(b)) of[b] = kByteLetter;
    }
    set(" \t\v\f", kByteSpace);
    set("\r\n", kByteLineEnd);
    set(".", kBytePoint);
    set("<", kByteLess);
    set("([{", kByteOpening);
    set(")]}", kByteClosing);
    set(":", kByteColon);
    set("-", kByteDash);
    set("~", kByteTilde);
    set("|", kByteBar);
    set(",;", kByteSeparator);
    set("/", kByteSlash);
    set("&", kByteAmpersand);
    set("=", kByteEquals);
    set("\\", kByteBackslash);
    set("*", kByteStar);
    set("_`\"'$^+@>#", kByteMarkup);  // the number behind a # looks back at it
    set("!?", kByteStop);
  }
};
inline constexpr ByteKinds kByteKinds;

/// An entry for what is no word of the table: kinds of other scripts, and "&".
inline WordEntry wide_entry(WordKind kind) {
  const GapEffect& effect = kWordEffects[kind];
  return {0, effect.keep, effect.set, kind, kUnitNone, kKeyNone, kRoleMoves};
}

/// The tokens of one answer. One lives for one row.
class Reader : public Pairs {
 public:
  Reader(Text text, std::int64_t offset, double duration, IntervalSink* sink, ReadingTrace* trace)
      : Pairs(text, offset, duration, sink, trace) {}

  /// Where `stop_at_mark` is set, a byte that may begin a thinking mark ends the reading: the
  /// caller looks for marks in the whole text, and starts again.
  bool run(bool stop_at_mark);

 private:
  bool is_silent() const { return closed_ || skip_depth_ != 0; }

  // 1.3
  const Byte* read_tag(const Byte* p);
  // 6
  bool key_before(const Byte* colon, KeyKind* kind) const;
  void read_key(KeyKind key);
  // 3
  const Byte* read_words(const Byte* p);
  void read_word(const WordEntry& entry, bool wide, const Byte* begin, const Byte* end) {
    constexpr std::uint16_t kRoles = kRoleMoves | kRoleLeadingUnit | kRoleIs;
    if ((entry.roles & kRoles) == 0) {
      gap_ = (gap_ & entry.keep) | entry.set;
    } else {
      read_moving_word(entry, wide, begin, end);
    }
  }
  void read_moving_word(const WordEntry& entry, bool wide, const Byte* begin, const Byte* end);
  bool move(const WordEntry& entry, bool wide, const Byte* begin, const Byte* end);
  // tokens
  const Byte* read_number(const Byte* p);
  void read_colon(const Byte* p);
  void read_point(const Byte* p);
  const Byte* read_dash(const Byte* p, const Character& dash);
  const Byte* read_wide(const Byte* p);
  const Byte* read_mark(ByteKind kind, const Byte* p);
  void read_line_end();
  void open_bracket(bool brace);
  void close_bracket(int byte, const Byte* p);
  void forget_list_number(const Byte* after);

  int leading_unit_ = 0;
  std::int64_t braces_ = 0;
  std::int64_t skip_depth_ = 0;  // braces of a value that is skipped, or 0
  const Byte* item_end_ = nullptr;
  const Byte* range_word_end_ = nullptr;
  const Byte* minus_begin_ = nullptr;
  const Byte* whole_word_begin_ = nullptr;
  Peek peek_;
};

}  // namespace fastvbench::parse
