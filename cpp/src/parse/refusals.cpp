#include "parse/refusals.h"

#include <cstddef>

namespace fastvbench::parse {
namespace {

// In lower case, with a plain apostrophe.
constexpr const char* kPhrases[] = {
    "i cannot",
    "i can't",
    "i can not",
    "i could not",
    "i couldn't",
    "i am unable",
    "i'm unable",
    "i am not able",
    "i'm not able",
    "i'm sorry",
    "i am sorry",
    "i apologize",
    "i apologise",
    "i won't",
    "i don't have access",
    "i do not have access",
    "sorry, ",
    "unable to determine",
    "unable to identify",
    "unable to find",
    "unable to locate",
    "unable to provide",
    "unable to answer",
    "unable to watch",
    "unable to view",
    "unable to process",
    "cannot be determined",
    "can't be determined",
    "cannot determine",
    "can't determine",
    "cannot identify",
    "cannot provide",
    "cannot answer",
    "not possible to determine",
    "as an ai",
    "无法",
    "無法",
    "抱歉",
    "对不起",
    "申し訳",
    "できません",
    "わかりません",
    "죄송",
    "je ne peux pas",
    "désolé",
    "tut mir leid",
    "ich kann nicht",
    "lo siento",
    "no puedo",
};

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

/// first[b]: some phrase begins with byte b.
struct FirstBytes {
  bool first[256] = {};
  constexpr FirstBytes() {
    for (const char* phrase : kPhrases) first[static_cast<unsigned char>(phrase[0])] = true;
  }
};
constexpr FirstBytes kFirst;

bool begins_with(const char* text, const char* end, const char* phrase) {
  for (; *phrase != '\0'; ++phrase) {
    if (text == end) return false;
    if (*phrase == '\'' && end - text >= 3 && text[0] == '\xe2' && text[1] == '\x80' &&
        text[2] == '\x99') {
      text += 3;
    } else if (lower(*text) == *phrase) {
      ++text;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_refusal(const char* text, std::int64_t size) {
  const char* end = text + size;
  char before = '\0';
  for (const char* p = text; p != end; ++p) {
    const char c = lower(*p);
    const bool inside_word = before >= 'a' && before <= 'z';
    before = c;
    if (!kFirst.first[static_cast<unsigned char>(c)]) continue;
    if (inside_word && c >= 'a' && c <= 'z') continue;
    for (const char* phrase : kPhrases) {
      if (phrase[0] == c && begins_with(p, end, phrase)) return true;
    }
  }
  return false;
}

}  // namespace fastvbench::parse
