#include "parse/choice_refusals.h"

#include <cstring>

#include "parse/choice_words.h"

namespace fastvbench::parse::choice {
namespace {

bool is_content(const Token& token) {
  return token.kind == Kind::kWord || token.kind == Kind::kCjk;
}

}  // namespace

Found find_refusal(const char* text, const Token* tokens, Region region) {
  const auto next_content = [tokens, region](std::int64_t i) {
    while (i < region.high && !is_content(tokens[i])) ++i;
    return i;
  };
  const PhraseList phrases = refusal_phrases();
  const CjkPhraseList cjk_phrases = cjk_refusals();
  for (std::int64_t i = next_content(region.low); i < region.high; i = next_content(i + 1)) {
    if (tokens[i].kind == Kind::kCjk) {
      for (int k = 0; k < cjk_phrases.count; ++k) {
        std::int64_t at = i;
        std::int64_t last = i;
        const char32_t* wanted = cjk_phrases.phrases[k];
        while (*wanted != 0 && at < region.high && tokens[at].kind == Kind::kCjk &&
               tokens[at].code == *wanted) {
          last = at;
          at = next_content(at + 1);
          ++wanted;
        }
        if (*wanted == 0) return {-1, i, last};
      }
      continue;
    }
    if ((tokens[i].classes & kRefusalStart) == 0) continue;
    for (int k = 0; k < phrases.count; ++k) {
      std::int64_t at = i;
      std::int64_t last = i;
      const char* wanted = phrases.phrases[k];
      while (*wanted != '\0' && at < region.high && tokens[at].kind == Kind::kWord) {
        const char* space = std::strchr(wanted, ' ');
        const std::size_t size =
            space == nullptr ? std::strlen(wanted) : static_cast<std::size_t>(space - wanted);
        if (!word_is(tokens[at], text, wanted, static_cast<std::int64_t>(size))) break;
        last = at;
        at = next_content(at + 1);
        wanted += size + (space == nullptr ? 0 : 1);
      }
      if (*wanted == '\0') return {-1, i, last};
    }
  }
  return Found();
}

}  // namespace fastvbench::parse::choice
