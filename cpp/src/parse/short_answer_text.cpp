#include "parse/short_answer_text.h"

#include <cstring>

#include "parse/choice_atoms.h"
#include "parse/choice_words.h"

namespace fastvbench::parse {
namespace {

using namespace choice;

// Mark-up that a reader doesn't see.
bool is_hidden(const Token& token) {
  if (token.kind == Kind::kWrap || token.kind == Kind::kCue || token.kind == Kind::kClose) {
    if (token.code == '<') return true;
    if (token.code == '\\') return token.end - token.begin > 1;
  }
  return token.kind == Kind::kWrap && (token.code == '*' || token.code == '`');
}

bool is_article(const Token& token) {
  return token.kind == Kind::kWord && (token.classes & kWordArticle) != 0;
}

char* write_code(char32_t code, char* out) {
  if (code < 0x80) {
    *out++ = static_cast<char>(code);
    return out;
  }
  if (code < 0x800) {
    *out++ = static_cast<char>(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      *out++ = static_cast<char>(0xE0 | code >> 12);
    } else {
      *out++ = static_cast<char>(0xF0 | code >> 18);
      *out++ = static_cast<char>(0x80 | (code >> 12 & 0x3F));
    }
    *out++ = static_cast<char>(0x80 | (code >> 6 & 0x3F));
  }
  *out++ = static_cast<char>(0x80 | (code & 0x3F));
  return out;
}

char* write_atom(const Token& token, const char* text, char* out) {
  if (token.kind != Kind::kWord) return write_code(token.code, out);
  const CanonicalNumber number = read_canonical_number(token, text);
  if (number.size > 0) {
    std::memcpy(out, number.digits, static_cast<std::size_t>(number.size));
    return out + number.size;
  }
  for (std::int64_t i = token.begin; i < token.end;) {
    const Glyph glyph = read_glyph(text, token.end, i);
    out = write_code(word_character(glyph), out);
    i += glyph.size;
  }
  return out;
}

}  // namespace

bool AnswerTextWriter::write(TextView text, AnswerTextForm form, char* out, std::int64_t* size) {
  if (!tokenize(text.data, 0, text.size, &tokens_)) return false;
  *size = form == AnswerTextForm::kPlain ? write_plain(text, out) : write_careful(text, out);
  return true;
}

std::int64_t AnswerTextWriter::write_plain(TextView text, char* out) const {
  const char* const begin = out;
  bool blank = false;
  std::int64_t end = 0;
  for (std::int64_t i = 0; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    blank = blank || token.begin > end || token.kind == Kind::kLine;
    end = token.end;
    if (token.kind == Kind::kLine || is_hidden(token)) continue;
    if (blank && out != begin) *out++ = ' ';
    blank = false;
    const std::int64_t size = token.end - token.begin;
    std::memcpy(out, text.data + token.begin, static_cast<std::size_t>(size));
    out += size;
  }
  return out - begin;
}

std::int64_t AnswerTextWriter::write_careful(TextView text, char* out) const {
  bool only_articles = true;
  for (std::int64_t i = 0; i < tokens_.size() && only_articles; ++i) {
    only_articles = !is_atom(tokens_[i]) || is_article(tokens_[i]);
  }
  const char* const begin = out;
  for (std::int64_t i = 0; i < tokens_.size(); ++i) {
    if (!is_atom(tokens_[i]) || (!only_articles && is_article(tokens_[i]))) continue;
    if (out != begin) *out++ = ' ';
    out = write_atom(tokens_[i], text.data, out);
  }
  return out - begin;
}

}  // namespace fastvbench::parse
