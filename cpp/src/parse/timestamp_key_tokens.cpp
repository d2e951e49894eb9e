// JSON keys and the tags around an answer: sections 1.3 and 6 of the timestamp grammar.
#include "parse/timestamp_tokens.h"

namespace fastvbench::parse {
namespace {

constexpr int kTagLimit = 64;
constexpr int kKeyLimit = 48;

bool is_quote(int byte) { return byte == '"' || byte == '\'' || byte == '`'; }

bool equals(const Byte* p, std::int64_t size, const char* name) {
  for (std::int64_t i = 0; i < size; ++i, ++name) {
    const Byte c = p[i] >= 'A' && p[i] <= 'Z' ? static_cast<Byte>(p[i] + ('a' - 'A')) : p[i];
    if (*name == '\0' || c != static_cast<Byte>(*name)) return false;
  }
  return *name == '\0';
}

}  // namespace

const Byte* Reader::read_tag(const Byte* p) {
  const Byte* name = p + 1;
  const bool closing = text_.at(name) == '/';
  if (closing) ++name;
  if (text_.at(name) != '|' && !is_ascii_letter(text_.at(name))) return p + 1;
  const Byte* end = name;
  int characters = static_cast<int>(name - p);
  for (;; ++characters) {
    const Character c = text_.character_at(end);
    if (c.size == 0 || c.code == '<' || c.code == '\n' || characters > kTagLimit) return p + 1;
    if (c.code == '>') break;
    end += c.size;
  }
  const std::int64_t size = end - name;
  if (equals(name, size, "answer")) {
    if (closing) {
      if (in_answer_tag_ && answer_tag_held_time_) {
        resolve_end();
        closed_ = true;
      }
      in_answer_tag_ = false;
    } else {
      set_cue();
      in_answer_tag_ = true;
      answer_tag_held_time_ = false;
      gap_ = kNear | kLine;
    }
  } else if (!is_silent() && !closing) {
    if (equals(name, size, "start") || equals(name, size, "start_time") ||
        equals(name, size, "begin")) {
      resolve_end();
      apply(kWordEffects[kWordStart]);
    } else if (equals(name, size, "end") || equals(name, size, "end_time")) {
      apply(kWordEffects[kWordEnd]);
    }
  }
  return end + 1;
}

bool Reader::key_before(const Byte* colon, KeyKind* kind) const {
  const Byte* const text_begin = text_.begin;
  const Byte* end = colon;
  while (end > text_begin && (end[-1] == ' ' || end[-1] == '\t')) --end;
  const bool quoted = is_quote(text_.before(end));
  if (quoted) {
    --end;
    if (text_.before(end) == '\\') --end;
  }
  const Byte* begin = end;
  while (begin > text_begin && end - begin <= kKeyLimit) {
    const int c = begin[-1];
    const bool in_name = is_ascii_letter(c) || is_ascii_digit(c) || c == '_' || c == '-';
    if (!in_name && !(quoted && c == ' ')) break;
    --begin;
  }
  if (begin == end || end - begin > kKeyLimit) return false;
  if (quoted) {
    if (!is_quote(text_.before(begin))) return false;
  } else {
    bool line_begins = false;
    const Byte* p = begin;
    while (p > text_begin && (p[-1] == ' ' || p[-1] == '\t' || p[-1] == '\r' || p[-1] == '\n')) {
      line_begins |= p[-1] == '\n';
      --p;
    }
    const int before = text_.before(p);
    if (before >= 0 && before != '{' && before != ',' && !line_begins) return false;
  }
  KeyKind best = kKeyNone;
  for (const Byte* p = begin; p < end;) {
    const Word word = text_.word_at(p);
    if (word && word.entry->key > best) best = word.entry->key;
    p = word.end > p ? word.end : p + 1;
  }
  *kind = best;
  return true;
}

void Reader::read_key(KeyKind key) {
  resolve_end();
  forget(&last_);
  has_weak_ = false;
  skip_depth_ = 0;
  gap_ = kNear;
  switch (key) {
    case kKeyStart:
      gap_ |= kStart;
      break;
    case kKeyEnd:
      gap_ |= kEnd;
      break;
    case kKeyLength:
      gap_ |= kLength;
      break;
    case kKeyTime:
      break;
    case kKeyNone:
    case kKeyNotTime:
      skip_depth_ = braces_;
      break;
  }
}

void Reader::read_colon(const Byte* p) {
  KeyKind key = kKeyNone;
  if (braces_ > 0 && key_before(p, &key)) {
    read_key(key);
    return;
  }
  if (is_silent()) return;
  if (has(kAnswer) && braces_ == 0) set_cue();
  apply(kColonEffect);
}

}  // namespace fastvbench::parse
