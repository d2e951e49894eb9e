// The frequent shapes of items on a short path; all else is read_item's.
#include "parse/timestamp_items.h"

namespace fastvbench::parse {
namespace {

/// What a byte behind a number or a unit means to read_simple_item.
enum FollowKind : std::uint8_t {
  kFollowEnds,    // punctuation that belongs to no number: the item ends
  kFollowLetter,  // a word, to be looked up
  kFollowAsk,     // read_item decides
};

struct FollowKinds {
  FollowKind of[256] = {};
  constexpr FollowKinds() {
    for (int b = 0x80; b < 0x100; ++b) of[b] = kFollowAsk;
    for (int b = '0'; b <= '9'; ++b) of[b] = kFollowAsk;
    for (int b = 0; b < 0x80; ++b) {
      if (is_ascii_letter(b)) of[b] = kFollowLetter;
    }
    for (const char* p = " \t\v\f.%*`_/:"; *p != '\0'; ++p) of[static_cast<Byte>(*p)] = kFollowAsk;
  }
};
constexpr FollowKinds kFollowKinds;

/// A word behind a number that read_item has something to say about.
bool is_telling(const Word& word) {
  constexpr std::uint16_t kRoles =
      kRoleCounted | kRolePercent | kRoleDayHalf | kRoleOrdinal | kRoleDayLetter | kRoleOclock;
  return (word.entry->roles & kRoles) != 0;
}

/// Behind "12 s" stands nothing that adds to it or makes it a length; a word there is left in
/// `peek`.
bool ends_after_seconds(const Text& text, const Byte* p, const Word& unit, Peek* peek) {
  if (text.at(p) == ' ') ++p;
  if (p >= text.end) return true;
  const FollowKind follow = kFollowKinds.of[*p];
  if (follow == kFollowEnds) return *p != ',';
  if (follow == kFollowAsk) return *p == '.' || *p == ':' || *p == '/' || *p == '%' || *p == '_';
  const Word word = text.word_at(p);
  if (word.has(kRoleEnding)) return false;
  if (word.kind() == kWordVideo && unit.has(kRoleSingleUnit)) return false;
  if (word.kind() == kWordAnd) {  // "and ends at", but not "and 5 ms"
    const Byte* after = text.at(word.end) == ' ' ? word.end + 1 : word.end;
    const int byte = text.at(after);
    if (!is_ascii_letter(byte) && byte >= 0) return false;
  }
  peek->begin = p;
  peek->word = word;
  return true;
}

}  // namespace

bool read_simple_item(const Text& text, const Byte* begin, Item* item, Peek* peek) {
  SimpleNumber number;
  if (!read_simple_number(text, begin, &number)) return false;
  const Byte* p = number.end;
  const ItemKind kind = number.kind;
  std::int32_t plain_digits = number.plain_digits;
  int next = text.at(p);
  double unit = kind == ItemKind::kClock ? 1.0 : 0.0;
  const Byte* end = p;
  if (next >= 0) {
    const bool touching = next != ' ';
    if (!touching) next = text.at(++p);
    if (next == '-' && touching && text.letter_at(p + 1) != 0) return false;
    const FollowKind follow = next < 0 ? kFollowEnds : kFollowKinds.of[next];
    if (follow == kFollowAsk) {
      // A full stop behind the number, or anything of these behind a space, is no part of it.
      const int after = text.at(p + 1);
      const bool plain = after < 0x80 && !is_ascii_digit(after);
      if (!(touching ? (next == ':' && kind == ItemKind::kClock && plain) ||
                           (next == '.' && plain && after != '.' && !is_ascii_letter(after))
                     : next == '.' || next == '/' || is_ascii_digit(next))) {
        return false;
      }
    } else if (follow == kFollowLetter) {
      const Word word = text.word_at(p);
      if (is_telling(word)) return false;
      if (word.unit() == kUnitSecond) {
        if (kind == ItemKind::kNumber) {
          if (!ends_after_seconds(text, word.end, word, peek)) return false;
          unit = 1.0;
          plain_digits = 0;
        }
        end = word.end;
      } else if (word.unit() != kUnitNone || touching) {
        return false;
      } else {
        peek->begin = p;
        peek->word = word;
      }
    }
  }
  item->kind = kind;
  item->beyond_duration = false;
  item->ends_range = false;
  item->plain_digits = plain_digits;
  item->value = number.value;
  item->unit = unit;
  item->begin = begin;
  item->end = end;
  return true;
}

}  // namespace fastvbench::parse
