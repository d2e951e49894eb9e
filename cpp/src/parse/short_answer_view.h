// The tokens of one answer as its grammar asks about them (tests/reference/short_answer_view.py).
#pragma once

#include <cstdint>

#include "parse/choice_regions.h"
#include "parse/choice_tokens.h"
#include "parse/choice_words.h"

namespace fastvbench::parse {

using choice::Kind;
using choice::Region;
using choice::Token;

constexpr std::int64_t kMostAnswerTokens = 256;  // what is longer is cut there
constexpr std::int64_t kMostGroupTokens = 64;
constexpr std::int64_t kMostWraps = 8;

/// Looks at tokens; what lies outside the region is nothing.
class ShortAnswerView {
 public:
  ShortAnswerView(const char* text, const Token* tokens, Region region)
      : text_(text), tokens_(tokens), low_(region.low), high_(region.high) {}

  /// Without what stands around an answer (section 5).
  Region trim(Region part) const;

 protected:
  bool inside(std::int64_t i) const { return i >= low_ && i < high_; }
  bool is_kind(std::int64_t i, Kind kind) const { return inside(i) && tokens_[i].kind == kind; }
  bool is_mark(std::int64_t i, const char32_t* marks) const;
  bool is_wrap(std::int64_t i, const char32_t* wraps) const;
  bool is_word(std::int64_t i) const {
    return inside(i) && (tokens_[i].kind == Kind::kWord || tokens_[i].kind == Kind::kCjk);
  }
  bool glued(std::int64_t i) const { return inside(i) && tokens_[i].glued; }
  std::int64_t size(std::int64_t i) const { return tokens_[i].end - tokens_[i].begin; }
  std::uint64_t classes(std::int64_t i) const {
    return is_kind(i, Kind::kWord) ? tokens_[i].classes : 0;
  }
  std::int64_t words(Region part) const;
  bool spells(std::int64_t i, const char32_t* characters, std::int64_t* count) const;
  bool same_token(std::int64_t i, std::int64_t other) const;

  bool ends_sentence(std::int64_t i, std::int64_t first) const;
  bool explains(std::int64_t i) const;
  std::int64_t value_end(std::int64_t begin) const;
  std::int64_t run(std::int64_t i) const;
  std::int64_t group_end(std::int64_t i, std::int64_t end) const;
  Region fenced(std::int64_t begin) const;
  bool opens_fence(std::int64_t i) const { return is_wrap(i, U"`") && run(i) >= 3; }

  const char* text_;
  const Token* tokens_;
  std::int64_t low_;
  std::int64_t high_;

 private:
  bool trims_front(std::int64_t i, std::int64_t high) const;
  bool trims_back(std::int64_t i) const;
  std::int64_t ending(Region part) const;
  bool paired(std::int64_t first, std::int64_t last) const;
  bool match(std::int64_t first, std::int64_t last, char32_t opener, char32_t closer) const;
};

}  // namespace fastvbench::parse
