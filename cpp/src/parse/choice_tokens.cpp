#include "parse/choice_tokens.h"

#include <cstring>

#include "parse/choice_words.h"

namespace fastvbench::parse::choice {
namespace {

enum class Class : std::uint8_t { kMark, kWord, kDigit, kSpace, kLine, kCjk, kWrap };

constexpr char32_t kOtherMark = U'·';
constexpr int kMostTagCharacters = 40;
constexpr int kMostCommandCharacters = 16;

constexpr bool contains(const char* set, char32_t code) {
  for (; *set != '\0'; ++set) {
    if (static_cast<char32_t>(*set) == code) return true;
  }
  return false;
}

struct AsciiTable {
  Class classes[128] = {};
  char32_t marks[128] = {};  // 0: no mark of its own

  constexpr AsciiTable() {
    for (char32_t code = 0; code < 128; ++code) {
      if (code >= '0' && code <= '9') {
        classes[code] = Class::kDigit;
      } else if ((code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z')) {
        classes[code] = Class::kWord;
      } else if (code == ' ' || code == 9 || code == 11 || code == 12) {
        classes[code] = Class::kSpace;
      } else if (code == 10 || code == 13) {
        classes[code] = Class::kLine;
      } else if (code != 0 && contains("*_`$#~\\{}|^", code)) {
        classes[code] = Class::kWrap;
      } else {
        classes[code] = Class::kMark;
      }
      if (code != 0 && contains(".,:;!?()[]<>\"'-/&+=%@", code)) marks[code] = code;
    }
  }
};
constexpr AsciiTable kAscii;

struct Range {
  char32_t first;
  char32_t last;
};
constexpr Range kSpaces[] = {{0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200F}, {0x202F, 0x202F},
                             {0x205F, 0x2060}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
constexpr Range kSymbols[] = {
    {0x2190, 0x2BFF}, {0xFE00, 0xFE0F}, {0xFFF9, 0xFFFD}, {0x1F000, 0x1FAFF}};
constexpr Range kCjkRanges[] = {{0x1100, 0x11FF}, {0x2E80, 0x2FFF},  {0x3005, 0x3007},
                                {0x3040, 0x30FF}, {0x3100, 0x31FF},  {0x3400, 0x4DBF},
                                {0x4E00, 0x9FFF}, {0xAC00, 0xD7A3},  {0xF900, 0xFAFF},
                                {0xFF62, 0xFF9F}, {0x20000, 0x3FFFF}};

struct MarkRange {
  char32_t first;
  char32_t last;
  char32_t mark;
};
constexpr MarkRange kMarks[] = {{0xA1, 0xA1, kOtherMark},     {0xAB, 0xAB, '"'},
                                {0xB7, 0xB7, kOtherMark},     {0xBB, 0xBB, '"'},
                                {0xBF, 0xBF, kOtherMark},     {0x2010, 0x2011, '-'},
                                {0x2012, 0x2015, U'—'},       {0x2018, 0x201B, '\''},
                                {0x201C, 0x201F, '"'},        {0x2022, 0x2023, kOtherMark},
                                {0x2026, 0x2026, U'…'},       {0x2043, 0x2043, kOtherMark},
                                {0x2190, 0x2190, kOtherMark}, {0x2192, 0x2192, U'→'},
                                {0x21D2, 0x21D2, U'→'},       {0x2212, 0x2212, '-'},
                                {0x2500, 0x2500, U'—'},       {0x2611, 0x2611, U'✓'},
                                {0x2705, 0x2705, U'✓'},       {0x2713, 0x2714, U'✓'},
                                {0x2716, 0x2718, U'✗'},       {0x274C, 0x274C, U'✗'},
                                {0x27A1, 0x27A1, U'→'},       {0x3001, 0x3001, ','},
                                {0x3002, 0x3002, '.'},        {0x3008, 0x3008, '<'},
                                {0x3009, 0x3009, '>'},        {0x300A, 0x300A, '<'},
                                {0x300B, 0x300B, '>'},        {0x300C, 0x300F, '"'},
                                {0x3010, 0x3010, '['},        {0x3011, 0x3011, ']'},
                                {0x3014, 0x3014, '['},        {0x3015, 0x3015, ']'},
                                {0x30FB, 0x30FB, kOtherMark}, {0xFF61, 0xFF61, '.'}};

template <int kCount>
bool in_ranges(const Range (&ranges)[kCount], char32_t code) {
  for (const Range& range : ranges) {
    if (code >= range.first && code <= range.last) return true;
  }
  return false;
}

// The mark that a folded character stands for, 0 for none.
char32_t mark_of(char32_t code) {
  if (code < 0x80) return kAscii.marks[code];
  for (const MarkRange& range : kMarks) {
    if (code >= range.first && code <= range.last) return range.mark;
  }
  return 0;
}

Class class_of_high(char32_t code) {
  if (code < 0xA0) return code == 0x85 ? Class::kLine : Class::kMark;
  if (code < 0x1100) {  // Latin, Greek, Cyrillic and what lies between
    if (code == 0xA0) return Class::kSpace;
    return code <= 0xBF && mark_of(code) != 0 ? Class::kMark : Class::kWord;
  }
  if (code == 0x2028 || code == 0x2029) return Class::kLine;
  if (in_ranges(kSpaces, code)) return Class::kSpace;
  if (mark_of(code) != 0) return Class::kMark;
  if (in_ranges(kCjkRanges, code)) return Class::kCjk;
  return in_ranges(kSymbols, code) ? Class::kMark : Class::kWord;
}

// The class of a folded character.
Class class_of(char32_t code) { return code < 0x80 ? kAscii.classes[code] : class_of_high(code); }

bool is_word(const Glyph& glyph) {
  if (glyph.size == 0) return false;
  const Class found = class_of(glyph.code);
  return found == Class::kWord || found == Class::kDigit;
}
bool is_digit(const Glyph& glyph) {
  return glyph.size != 0 && glyph.code >= '0' && glyph.code <= '9';
}
bool is_small(const Glyph& glyph) {
  return glyph.size != 0 && glyph.code >= 'a' && glyph.code <= 'z';
}
bool is_capital(char32_t raw) {
  return (raw >= 'A' && raw <= 'Z') || (raw >= 0xFF21 && raw <= 0xFF3A);
}

char32_t fold(char32_t code) {
  if (code >= 0xFF01 && code <= 0xFF5E) code -= 0xFEE0;
  if ((code >= 'A' && code <= 'Z') || (code >= 0xC0 && code <= 0xDE && code != 0xD7)) {
    return code + 32;
  }
  if ((code >= 0x391 && code <= 0x3A9 && code != 0x3A2) || (code >= 0x410 && code <= 0x42F)) {
    return code + 32;
  }
  return code >= 0x400 && code <= 0x40F ? code + 80 : code;
}

// An apostrophe or underscore joins two word characters; the character that stands for it, else 0.
char32_t joiner_of(char32_t code) {
  if (code == '_') return '_';
  return mark_of(code) == '\'' ? '\'' : 0;
}

void look_up(const char* text, Token* token) {
  const KnownWord* known = known_word(token->hash);
  if (known == nullptr || !word_is(*token, text, known->text, known->size)) return;
  token->classes = known->classes;
}

}  // namespace

bool is_word_code(char32_t code) {
  const Class found = class_of(code);
  return found == Class::kWord || found == Class::kDigit;
}

bool is_blank_code(char32_t code) {
  const Class found = class_of(code);
  return found == Class::kSpace || found == Class::kLine;
}

char32_t mark_of_code(char32_t code) { return mark_of(code); }

Glyph read_high_glyph(const char* text, std::int64_t size, std::int64_t position) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text) + position;
  const unsigned char lead = bytes[0];
  Glyph glyph;
  glyph.size = 1;
  glyph.raw = glyph.code = 0xFFFD;
  const int length = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 1;
  if (length == 1 || size - position < length) return glyph;
  char32_t code = lead & (0x7Fu >> length);
  for (int i = 1; i < length; ++i) {
    if ((bytes[i] & 0xC0) != 0x80) return glyph;
    code = code << 6 | (bytes[i] & 0x3Fu);
  }
  if (code > 0x10FFFF) return glyph;
  glyph.raw = code;
  glyph.code = fold(code);
  glyph.size = length;
  return glyph;
}

void Tokenizer::finish(Kind kind, char32_t code, std::int64_t end, const Glyph& first,
                       Token* token) {
  token->begin = position_;
  token->end = end;
  token->hash = 0;
  token->classes = 0;
  token->code = code;
  token->kind = kind;
  token->letter = -1;
  token->glued = glued_;
  token->upper = is_capital(first.raw);
  token->capitals = token->upper;
  position_ = end;
  glued_ = kind != Kind::kLine;
  after_blank_ = false;
}

bool Tokenizer::next(Token* token) {
  if (position_ < size_ && text_[position_] == ' ') {  // by far the most common blank
    glued_ = false;
    after_blank_ = true;
    ++position_;
  }
  for (;;) {
    const Glyph glyph = at(position_);
    if (glyph.size == 0) return false;
    const Class found = class_of(glyph.code);
    switch (found) {
      case Class::kSpace:
        glued_ = false;
        after_blank_ = true;
        position_ += glyph.size;
        continue;
      case Class::kLine:
        finish(Kind::kLine, '\n', position_ + glyph.size, glyph, token);
        after_blank_ = true;
        return true;
      case Class::kWord:
      case Class::kDigit:
        read_word(glyph, token);
        return true;
      case Class::kCjk:
        finish(Kind::kCjk, glyph.code, position_ + glyph.size, glyph, token);
        return true;
      case Class::kWrap:
        if (glyph.code == '\\' && read_command(glyph, token)) return true;
        finish(Kind::kWrap, glyph.code, position_ + glyph.size, glyph, token);
        return true;
      case Class::kMark:
        if (begins_minus(glyph)) {
          read_word(glyph, token);
          return true;
        }
        if (glyph.code == '<' && read_tag(glyph, token)) return true;
        const char32_t mark = mark_of(glyph.code);
        finish(Kind::kMark, mark == 0 ? kOtherMark : mark, position_ + glyph.size, glyph, token);
        if (glyph.raw >= 0x80 && (mark == U'…' || (mark < 0x80 && contains(".,:;!?", mark)))) {
          glued_ = false;  // these are as wide as a mark and its space
        }
        return true;
    }
  }
}

// A minus touches its number and nothing before it.
bool Tokenizer::begins_minus(const Glyph& glyph) const {
  return after_blank_ && mark_of(glyph.code) == '-' && is_digit(at(position_ + glyph.size));
}

void Tokenizer::read_word(const Glyph& first, Token* token) {
  const bool minus = !is_word(first);
  bool digits_only = minus || is_digit(first);
  bool capitals = is_capital(first.raw);
  std::uint64_t hash = hash_step(kHashSeed, minus ? U'-' : first.code);
  std::int64_t end = position_ + first.size;
  std::int64_t characters = 1;
  for (;; ++characters) {
    // Most words are ASCII letters.
    while (end < size_) {
      const unsigned char byte = static_cast<unsigned char>(text_[end]);
      if (byte >= 0x80 || kAscii.classes[byte] != Class::kWord) break;
      digits_only = false;
      capitals = capitals && byte < 'a';
      hash = hash_step(hash, byte | 0x20u);
      ++end;
      ++characters;
    }
    const Glyph glyph = at(end);
    if (glyph.size == 0) break;
    char32_t code = glyph.code;
    if (is_word(glyph)) {
      digits_only = digits_only && is_digit(glyph);
    } else if (const char32_t joiner = joiner_of(code);
               joiner != 0 && is_word(at(end + glyph.size))) {
      code = joiner;
    } else if (!(digits_only && (code == '.' || code == ',' || code == ':' || code == '/') &&
                 is_digit(at(end + glyph.size)))) {
      break;
    }
    hash = hash_step(hash, code);
    capitals = capitals && is_capital(glyph.raw);
    end += glyph.size;
  }
  finish(Kind::kWord, 0, end, first, token);
  token->hash = hash;
  token->capitals = capitals;
  if (characters == 1 && is_small(first))
    token->letter = static_cast<std::int8_t>(first.code - 'a');
  look_up(text_, token);
}

// "<answer>", "</b>", "<|im_end|>": up to 40 characters between the angles.
bool Tokenizer::read_tag(const Glyph& first, Token* token) {
  std::int64_t position = position_ + first.size;
  int characters = 1;  // since the opening angle, with it
  Glyph glyph = at(position);
  const bool closing = glyph.size != 0 && glyph.code == '/';
  if (closing || (glyph.size != 0 && glyph.code == '|')) {
    position += glyph.size;
    ++characters;
    glyph = at(position);
  }
  if (!is_small(glyph)) return false;
  const Glyph initial = glyph;
  char32_t name[kMostTagCharacters + 1];
  int size = 0;
  int first_word = -1;  // the name's size up to a space
  while (characters <= kMostTagCharacters &&
         (is_word(glyph) ||
          (glyph.size != 0 && (glyph.code == 0x2581 || contains("_-|/ =\".:", glyph.code))))) {
    if (glyph.code == ' ' && first_word < 0) first_word = size;
    name[size++] = glyph.code;
    position += glyph.size;
    ++characters;
    glyph = at(position);
  }
  if (glyph.size == 0 || glyph.code != '>') return false;
  const std::int64_t end = position + glyph.size;
  if (size == 1 && !closing && (initial.raw != initial.code || !contains("bipusq", initial.code))) {
    return false;
  }
  const bool line_break = size >= 2 && name[0] == 'b' && name[1] == 'r' &&
                          (size == 2 || (size == 3 && name[2] == '/') ||
                           (size == 4 && name[2] == ' ' && name[3] == '/'));
  if (is_answer_tag(name, first_word < 0 ? size : first_word)) {
    finish(closing ? Kind::kClose : Kind::kCue, '<', end, first, token);
  } else if (line_break) {
    finish(Kind::kLine, '\n', end, first, token);
  } else {
    finish(Kind::kWrap, '<', end, first, token);
  }
  return true;
}

// "\boxed" is a cue, known styles are mark-up; else the backslash stands alone.
bool Tokenizer::read_command(const Glyph& first, Token* token) {
  char32_t name[kMostCommandCharacters];
  int size = 0;
  std::int64_t end = position_ + first.size;
  for (Glyph glyph = at(end); size < kMostCommandCharacters && is_small(glyph); glyph = at(end)) {
    name[size++] = glyph.code;
    end += glyph.size;
  }
  const bool box = (size == 5 && std::memcmp(name, U"boxed", sizeof(char32_t) * 5) == 0) ||
                   (size == 4 && std::memcmp(name, U"fbox", sizeof(char32_t) * 4) == 0);
  if (!box && !is_style_command(name, size)) return false;
  finish(box ? Kind::kCue : Kind::kWrap, '\\', end, first, token);
  return true;
}

bool tokenize(const char* text, std::int64_t begin, std::int64_t size, Buffer<Token>* tokens) {
  constexpr std::int64_t kFewestTokens = 64;
  Tokenizer tokenizer(text, begin, size);
  std::int64_t count = 0;
  std::int64_t room = 0;
  for (;; ++count) {  // tokens are written where they stay
    if (count == room) {
      room = count < kFewestTokens ? kFewestTokens : count + count / 2;
      if (!tokens->resize(room)) return false;
    }
    if (!tokenizer.next(tokens->data() + count)) break;
  }
  return tokens->resize(count);
}

char32_t word_character(const Glyph& glyph) {
  const char32_t mark = mark_of(glyph.code);
  return mark == '\'' || mark == '-' ? mark : glyph.code;
}

bool same_word(const Token& a, const char* a_text, const Token& b, const char* b_text) {
  if (a.hash != b.hash) return false;
  std::int64_t i = a.begin;
  std::int64_t j = b.begin;
  while (i < a.end && j < b.end) {
    const Glyph one = read_glyph(a_text, a.end, i);
    const Glyph other = read_glyph(b_text, b.end, j);
    if (word_character(one) != word_character(other)) return false;
    i += one.size;
    j += other.size;
  }
  return i == a.end && j == b.end;
}

bool word_is(const Token& word, const char* text, const char* wanted, std::int64_t wanted_size) {
  std::int64_t i = word.begin;
  std::int64_t j = 0;
  while (i < word.end && j < wanted_size) {  // ASCII letters first
    const unsigned char byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x80 || kAscii.classes[byte] != Class::kWord) break;
    if ((byte | 0x20) != static_cast<unsigned char>(wanted[j])) return false;
    ++i;
    ++j;
  }
  while (i < word.end && j < wanted_size) {
    const Glyph one = read_glyph(text, word.end, i);
    const Glyph other = read_glyph(wanted, wanted_size, j);
    if (word_character(one) != other.raw) return false;
    i += one.size;
    j += other.size;
  }
  return i == word.end && j == wanted_size;
}

}  // namespace fastvbench::parse::choice
