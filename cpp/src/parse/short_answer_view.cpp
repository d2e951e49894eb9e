#include "parse/short_answer_view.h"

namespace fastvbench::parse {
namespace {

using namespace choice;

constexpr int kMostPairs = 8;

constexpr const char32_t* kCjkEndings[] = {U"です", U"である", U"입니다", U"이다", U"예요"};

bool is_one_of(char32_t code, const char32_t* set) {
  for (; *set != 0; ++set) {
    if (*set == code) return true;
  }
  return false;
}

}  // namespace

bool ShortAnswerView::is_mark(std::int64_t i, const char32_t* marks) const {
  return is_kind(i, Kind::kMark) && is_one_of(tokens_[i].code, marks);
}

bool ShortAnswerView::is_wrap(std::int64_t i, const char32_t* wraps) const {
  return is_kind(i, Kind::kWrap) && is_one_of(tokens_[i].code, wraps);
}

std::int64_t ShortAnswerView::words(Region part) const {
  std::int64_t count = 0;
  for (std::int64_t i = part.low; i < part.high; ++i) count += is_word(i);
  return count;
}

// Whether these CJK characters stand here; `count` is how many they are.
bool ShortAnswerView::spells(std::int64_t i, const char32_t* characters,
                             std::int64_t* count) const {
  *count = 0;
  for (; characters[*count] != 0; ++*count) {
    if (!is_kind(i + *count, Kind::kCjk) || tokens_[i + *count].code != characters[*count]) {
      return false;
    }
  }
  return true;
}

// Of marks and mark-up, which their code tells apart.
bool ShortAnswerView::same_token(std::int64_t i, std::int64_t other) const {
  return inside(i) && inside(other) && tokens_[i].kind == tokens_[other].kind &&
         tokens_[i].code == tokens_[other].code;
}

// A mark that ends a sentence; an initial counts only after a word behind `first`.
bool ShortAnswerView::ends_sentence(std::int64_t i, std::int64_t first) const {
  if (!is_mark(i, U".!?;…")) return false;
  if (size(i) > 1) return true;  // not ASCII: as wide as a mark and its space
  if (glued(i + 1)) return false;
  std::int64_t after = i + 1;
  while (is_kind(after, Kind::kWrap) && after <= i + kMostWraps) ++after;
  if (tokens_[i].code != '.' || !is_kind(after, Kind::kWord)) return true;
  const char32_t initial =
      word_character(read_glyph(text_, tokens_[after].end, tokens_[after].begin));
  const bool number = initial >= '0' && initial <= '9';
  const std::uint64_t before = classes(i - 1);
  if ((before & kAbbreviation) != 0 || (number && (before & kAbbreviationOfNumbered) != 0)) {
    return false;
  }
  const bool letter = is_kind(i - 1, Kind::kWord) && tokens_[i - 1].letter >= 0;
  const bool dotted = glued(i - 1) && is_mark(i - 2, U".");
  if (letter && i - 2 >= first && (is_word(i - 2) || dotted)) return false;
  return tokens_[after].upper || initial < 'a' || initial > 'z';
}

// Words that begin an explanation.
bool ShortAnswerView::explains(std::int64_t i) const {
  const std::uint64_t found = classes(i);
  return (found & kExplains) != 0 || ((found & kExplainsAfterComma) != 0 && is_mark(i - 1, U",")) ||
         ((found & kWordAs) != 0 && (classes(i + 1) & kExplainsAfterAs) != 0);
}

std::int64_t ShortAnswerView::value_end(std::int64_t begin) const {
  const std::int64_t stop = begin + kMostAnswerTokens < high_ ? begin + kMostAnswerTokens : high_;
  for (std::int64_t i = begin; i < stop; ++i) {
    const Kind kind = tokens_[i].kind;
    if (kind == Kind::kLine || kind == Kind::kClose) return i;
    if (i > begin && (kind == Kind::kCue || ends_sentence(i, begin) || explains(i))) return i;
  }
  return stop;
}

// How many equal marks stand here without a space between them.
std::int64_t ShortAnswerView::run(std::int64_t i) const {
  std::int64_t count = 1;
  while (count < kMostWraps && glued(i + count) && same_token(i + count, i)) ++count;
  return count;
}

// Where the group that opens here closes, its last token's successor; 0 for no group.
std::int64_t ShortAnswerView::group_end(std::int64_t i, std::int64_t end) const {
  if (!is_wrap(i, U"*`$_") && !is_mark(i, U"\"")) return 0;
  const std::int64_t count = run(i);
  if (end > i + count + kMostGroupTokens) end = i + count + kMostGroupTokens;
  for (std::int64_t place = i + count; place < end;) {
    if (!same_token(place, i)) {
      ++place;
      continue;
    }
    const std::int64_t closing = run(place);
    if (place > i + count && closing >= count) return place + count;
    place += closing;
  }
  return 0;
}

// The content of a code fence without its language.
Region ShortAnswerView::fenced(std::int64_t begin) const {
  if (is_kind(begin, Kind::kWord) && glued(begin) && is_kind(begin + 1, Kind::kLine)) ++begin;
  std::int64_t end = begin;
  while (end < high_ && !opens_fence(end)) ++end;
  return {begin, end};
}

Region ShortAnswerView::trim(Region part) const {
  int pairs = 0;
  while (part.low < part.high) {
    if (trims_front(part.low, part.high)) {
      ++part.low;
    } else if (trims_back(part.high - 1)) {
      --part.high;
    } else if (const std::int64_t count = ending(part); count > 0) {
      part.high -= count;
    } else if (pairs < kMostPairs && paired(part.low, part.high - 1)) {
      ++part.low;
      --part.high;
      ++pairs;
    } else {
      break;
    }
  }
  return part;
}

bool ShortAnswerView::trims_front(std::int64_t i, std::int64_t high) const {
  if (is_kind(i, Kind::kLine) || is_kind(i, Kind::kClose) || is_kind(i, Kind::kCue) ||
      is_mark(i, U",:;=→—·…")) {
    return true;
  }
  const bool touches = i + 1 < high && glued(i + 1);
  if (is_mark(i, U"-")) return i + 1 < high && !touches;
  if (is_wrap(i, U"#")) return !touches || is_wrap(i + 1, U"#");
  if (is_wrap(i, U"\\") && size(i) == 1) return !(touches && is_kind(i + 1, Kind::kWord));
  return is_wrap(i, U"*_`|^}\\<");
}

bool ShortAnswerView::trims_back(std::int64_t i) const {
  return is_kind(i, Kind::kLine) || is_kind(i, Kind::kClose) || is_kind(i, Kind::kCue) ||
         is_mark(i, U",:;.…—→") || is_wrap(i, U"*_`|^{\\<~#");
}

// The size of a copula that ends the text, as Japanese and Korean have it.
std::int64_t ShortAnswerView::ending(Region part) const {
  if (!is_kind(part.high - 1, Kind::kCjk)) return 0;
  for (const char32_t* characters : kCjkEndings) {
    std::int64_t length = 0;
    while (characters[length] != 0) ++length;
    std::int64_t count = 0;
    if (part.high - part.low > length && spells(part.high - length, characters, &count)) {
      return length;
    }
  }
  return 0;
}

// The first and the last token belong together and hold nothing that needs them.
bool ShortAnswerView::paired(std::int64_t first, std::int64_t last) const {
  if (first >= last) return false;
  if (is_wrap(first, U"$") && is_wrap(last, U"$")) return true;
  if (is_wrap(first, U"{")) return is_wrap(last, U"}") && match(first, last, '{', '}');
  if (is_mark(first, U"\"'") && same_token(first, last)) {
    for (std::int64_t i = first + 1; i < last; ++i) {
      if (same_token(i, first)) return false;
    }
    return true;
  }
  if (is_mark(first, U"(") && is_mark(last, U")")) return match(first, last, '(', ')');
  if (is_mark(first, U"[") && is_mark(last, U"]")) {
    for (std::int64_t i = first; i < last; ++i) {
      if (is_mark(i, U",")) return false;
    }
    return match(first, last, '[', ']');
  }
  return false;
}

// The bracket that opens at `first` closes at `last`.
bool ShortAnswerView::match(std::int64_t first, std::int64_t last, char32_t opener,
                            char32_t closer) const {
  std::int64_t depth = 0;
  for (std::int64_t i = first; i <= last; ++i) {
    if (is_kind(i, Kind::kMark) || is_kind(i, Kind::kWrap)) {
      depth += (tokens_[i].code == opener) - (tokens_[i].code == closer);
    }
    if (depth == 0) return i == last;
  }
  return false;
}

}  // namespace fastvbench::parse
