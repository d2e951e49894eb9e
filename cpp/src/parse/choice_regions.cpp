#include "parse/choice_regions.h"

#include "parse/choice_words.h"

namespace fastvbench::parse::choice {
namespace {

constexpr std::int64_t kMostKeyTokens = 6;
constexpr int kMostKeyCharacters = 24;  // longer names are no known key

bool is_mark(const Token& token, char32_t mark) {
  return (token.kind == Kind::kMark || token.kind == Kind::kWrap) && token.code == mark;
}
bool is_quote(const Token& token) { return is_mark(token, '"') || is_mark(token, '\''); }
bool is_word(const Token& token) { return token.kind == Kind::kWord || token.kind == Kind::kCjk; }

struct Key {
  int rank = 0;            // of an answer-like key, else 0
  std::int64_t value = 0;  // the first token after the colon
};

class JsonReader {
 public:
  JsonReader(const char* text, const Token* tokens, std::int64_t low, std::int64_t high)
      : text_(text), tokens_(tokens), low_(low), high_(high) {}

  bool key_at(std::int64_t position, Key* key) const;
  bool value(std::int64_t brace, Region* region) const;

 private:
  struct Name {
    char32_t characters[kMostKeyCharacters];
    int size = 0;  // beyond kMostKeyCharacters where the name is longer
  };
  void add_name(const Token& token, Name* name) const;
  std::int64_t string_end(std::int64_t begin) const;
  std::int64_t value_end(std::int64_t begin) const;
  // The number of words of a part, and whether the only one has the class.
  bool holds_only(std::int64_t begin, std::int64_t end, std::uint64_t word_class,
                  std::int64_t* words) const;
  std::int64_t skip_lines(std::int64_t position) const {
    while (position < high_ && tokens_[position].kind == Kind::kLine) ++position;
    return position;
  }

  const char* text_;
  const Token* tokens_;
  std::int64_t low_;
  std::int64_t high_;
};

void JsonReader::add_name(const Token& token, Name* name) const {
  for (std::int64_t i = token.begin; i < token.end && name->size <= kMostKeyCharacters;) {
    const Glyph glyph = read_glyph(text_, token.end, i);
    i += glyph.size;
    if (glyph.code == '_') continue;
    if (name->size < kMostKeyCharacters) name->characters[name->size] = glyph.code;
    ++name->size;
  }
}

// A key and its colon at this place, past line ends: quoted, or one bare word.
bool JsonReader::key_at(std::int64_t position, Key* key) const {
  position = skip_lines(position);
  if (position >= high_) return false;
  Name name;
  if (is_quote(tokens_[position])) {
    const char32_t quote = tokens_[position].code;
    std::int64_t stop = position + 1 + kMostKeyTokens;
    if (stop > high_) stop = high_;
    std::int64_t end = position + 1;
    for (; end < stop && !is_mark(tokens_[end], quote); ++end) {
      if (is_word(tokens_[end])) add_name(tokens_[end], &name);
    }
    if (end == stop) return false;
    position = end + 1;
  } else if (tokens_[position].kind == Kind::kWord) {
    add_name(tokens_[position], &name);
    ++position;
  } else {
    return false;
  }
  if (position >= high_ || !is_mark(tokens_[position], ':')) return false;
  key->rank = name.size > kMostKeyCharacters ? 0 : answer_key_rank(name.characters, name.size);
  key->value = position + 1;
  return true;
}

// The token after the string that opens here. A quote is inside after a glued backslash, or where
// JSON doesn't go on after it: before anything but a comma, colon, closing bracket or line's end.
std::int64_t JsonReader::string_end(std::int64_t begin) const {
  const char32_t quote = tokens_[begin].code;
  for (std::int64_t i = begin + 1; i < high_; ++i) {
    const Token& before = tokens_[i - 1];
    const bool escaped = tokens_[i].glued && before.kind == Kind::kWrap && before.code == '\\';
    if (!is_mark(tokens_[i], quote) || escaped) continue;
    if (i + 1 == high_ || tokens_[i + 1].kind == Kind::kLine) return i + 1;
    for (const char32_t mark : {U',', U':', U']', U'}'}) {
      if (is_mark(tokens_[i + 1], mark)) return i + 1;
    }
  }
  return high_;
}

// The token after the value that begins here.
std::int64_t JsonReader::value_end(std::int64_t begin) const {
  if (begin < high_ && is_quote(tokens_[begin])) return string_end(begin);
  std::int64_t depth = 0;
  std::int64_t position = begin;
  while (position < high_) {
    const Token& token = tokens_[position];
    if (is_quote(token)) {
      position = string_end(position);
      continue;
    }
    if (is_mark(token, '[') || is_mark(token, '{')) {
      ++depth;
    } else if (is_mark(token, ']') || is_mark(token, '}')) {
      if (depth == 0) return position;
      --depth;
    } else if (depth == 0 && (is_mark(token, ',') || token.kind == Kind::kLine)) {
      return position;
    }
    ++position;
  }
  return high_;
}

bool JsonReader::holds_only(std::int64_t begin, std::int64_t end, std::uint64_t word_class,
                            std::int64_t* words) const {
  *words = 0;
  bool known = true;
  for (std::int64_t i = begin; i < end; ++i) {
    if (!is_word(tokens_[i])) continue;
    ++*words;
    known = known && (tokens_[i].classes & word_class) != 0;
  }
  return *words == 1 && known;
}

// The value of the best answer-like key, else what stands before or after the object.
bool JsonReader::value(std::int64_t brace, Region* region) const {
  bool found = false;
  int best_rank = 1;
  std::int64_t depth = 0;
  std::int64_t position = brace;
  std::int64_t words = 0;
  bool expects_key = false;
  while (position < high_) {
    const Token& token = tokens_[position];
    if (token.kind == Kind::kLine) {
      ++position;
      continue;
    }
    Key key;
    if (expects_key && key_at(position, &key)) {
      const std::int64_t begin = skip_lines(key.value);
      const bool nested = begin < high_ && is_mark(tokens_[begin], '{');
      const std::int64_t end = nested ? begin : value_end(begin);
      if (!nested && key.rank >= best_rank &&
          !(holds_only(begin, end, kWordNull, &words) || words == 0)) {
        *region = {begin, end};
        best_rank = key.rank;
        found = true;
      }
      position = end;
      expects_key = false;
      continue;
    }
    expects_key = is_mark(token, '{') || is_mark(token, ',');
    if (is_mark(token, '{') || is_mark(token, '[')) {
      ++depth;
    } else if (is_mark(token, '}') || is_mark(token, ']')) {
      --depth;
    } else if (is_quote(token)) {
      position = string_end(position);
      continue;
    }
    ++position;
    if (depth == 0) break;
  }
  if (found) return true;
  for (const Region rest : {Region{low_, brace}, Region{position, high_}}) {
    if (!holds_only(rest.low, rest.high, kWordJson, &words) && words > 0) {
      *region = rest;
      return true;
    }
  }
  return false;
}

// The content of the last opening answer tag that has content.
Region tagged(const Token* tokens, std::int64_t count) {
  std::int64_t high = count;
  bool content = false;
  for (std::int64_t i = count - 1; i >= 0; --i) {
    const Token& token = tokens[i];
    if (token.kind == Kind::kClose) {
      high = i;
      content = false;
    } else if (token.kind == Kind::kCue && token.code == '<') {
      if (content) return {i + 1, high};
      high = i;
    } else if (!is_blank(token)) {
      content = true;
    }
  }
  return {0, count};
}

}  // namespace

bool is_blank(const Token& token) {
  return token.kind == Kind::kLine || token.kind == Kind::kClose ||
         ((token.kind == Kind::kWrap || token.kind == Kind::kCue) && token.code == '<');
}

bool answer_region(const char* text, const Token* tokens, std::int64_t count, Region* region) {
  *region = tagged(tokens, count);
  const JsonReader json(text, tokens, region->low, region->high);
  for (std::int64_t brace = region->low; brace < region->high; ++brace) {
    Key key;
    if (is_mark(tokens[brace], '{') && json.key_at(brace + 1, &key)) {
      return json.value(brace, region);
    }
  }
  return true;
}

}  // namespace fastvbench::parse::choice
