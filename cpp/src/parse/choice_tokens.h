// Text as the choice grammar sees it; meaning: tests/reference/choice_tokens.py.
#pragma once

#include <cstdint>

#include "fastvbench/buffer.h"

namespace fastvbench::parse::choice {

enum class Kind : std::uint8_t { kWord, kCjk, kMark, kWrap, kLine, kCue, kClose };

/// One token: a word (`hash`, `classes`, `letter`), or one character or mark-up (`code`).
struct Token {
  std::int64_t begin = 0;  // bytes of the text
  std::int64_t end = 0;
  std::uint64_t hash = 0;     // words: of the folded text
  std::uint64_t classes = 0;  // words: WordClass bits
  char32_t code = 0;          // others: the character or what stands for it; tags '<', LaTeX '\\'
  Kind kind = Kind::kMark;
  std::int8_t letter = -1;  // words of one letter: 0 to 25
  bool glued = false;       // no space between this token and the one before
  bool upper = false;       // begins with A to Z, full-width too
  bool capitals = false;    // all characters are A to Z
};

/// A code point, folded, with its size in bytes.
struct Glyph {
  char32_t raw = 0;
  char32_t code = 0;
  std::int32_t size = 0;  // 0: past the end
};

Glyph read_high_glyph(const char* text, std::int64_t size, std::int64_t position);

/// The glyph at `position`; a byte that is no UTF-8 reads as U+FFFD.
inline Glyph read_glyph(const char* text, std::int64_t size, std::int64_t position) {
  if (position >= size) return Glyph();
  const auto byte = static_cast<unsigned char>(text[position]);
  if (byte >= 0x80) return read_high_glyph(text, size, position);
  const char32_t code = byte;
  return {code, byte >= 'A' && byte <= 'Z' ? code + 32 : code, 1};
}

/// What a folded character is to the tokenizer: part of words, blank (a space or a line's end).
bool is_word_code(char32_t code);
bool is_blank_code(char32_t code);
/// The mark that a folded character stands for, 0 for none.
char32_t mark_of_code(char32_t code);

/// Hands out the tokens of one text in order.
class Tokenizer {
 public:
  Tokenizer(const char* text, std::int64_t begin, std::int64_t size)
      : text_(text), size_(size), position_(begin) {}

  /// False at the end.
  bool next(Token* token);

 private:
  Glyph at(std::int64_t position) const { return read_glyph(text_, size_, position); }
  bool begins_minus(const Glyph& glyph) const;
  void read_word(const Glyph& first, Token* token);
  bool read_tag(const Glyph& first, Token* token);
  bool read_command(const Glyph& first, Token* token);
  void finish(Kind kind, char32_t code, std::int64_t end, const Glyph& first, Token* token);

  const char* text_;
  std::int64_t size_;
  std::int64_t position_;
  bool glued_ = false;
  bool after_blank_ = true;  // at the text's start, or after a space or a line's end
};

/// Replaces `tokens` by the tokens of text[begin, size). False where memory ran out.
bool tokenize(const char* text, std::int64_t begin, std::int64_t size, Buffer<Token>* tokens);

/// The folded character of a word at a glyph; all apostrophes are one, and all minus signs.
char32_t word_character(const Glyph& glyph);

/// Whether two words, each in its own text, have the same folded text.
bool same_word(const Token& a, const char* a_text, const Token& b, const char* b_text);

/// Whether a word's folded text is this UTF-8 text, which is folded itself.
bool word_is(const Token& word, const char* text, const char* wanted, std::int64_t wanted_size);

}  // namespace fastvbench::parse::choice
