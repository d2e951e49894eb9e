// What a text without a declaration says (section 4 of tests/reference/short_answers.py).
#include <cstring>

#include "parse/short_answer_row.h"

namespace fastvbench::parse {
namespace {

using namespace choice;

constexpr std::int64_t kMostComplementWords = 16;
constexpr int kMostCourtesies = 3;
constexpr int kMostCourtesyWords = 4;
constexpr std::int64_t kMostLastLineWords = 6;
constexpr std::int64_t kFewestWordsBefore = 8;

// Sentences that begin so say nothing.
struct Courtesy {
  const char* words[kMostCourtesyWords];
};
constexpr Courtesy kCourtesies[] = {
    {{"i", "hope"}},
    {{"let", "me", "know"}},
    {{"please", "let", "me"}},
    {{"is", "there", "anything"}},
    {{"do", "you", "have", "any"}},
    {{"feel", "free"}},
};

}  // namespace

bool ShortAnswerReader::infer(Region* result) const {
  for (int reading = 0; reading < 7; ++reading) {
    Region part;
    bool found = false;
    switch (reading) {
      case 0:
        found = fence(&part);
        break;
      case 1:
        found = polarity(&part);
        break;
      case 2:
        found = one_group(U"*", 2, &part);
        break;
      case 3:
        found = complement(&part);
        break;
      case 4:
        found = one_group(U"\"", 1, &part);
        break;
      case 5:
        found = conclusion(&part);
        break;
      default:
        found = last_line(&part);
        break;
    }
    if (!found) continue;
    part = trim(part);
    if (part.low < part.high) {
      *result = part;
      return true;
    }
  }
  return false;
}

// A text that begins with a code fence is its content.
bool ShortAnswerReader::fence(Region* part) const {
  std::int64_t i = low_;
  while (is_kind(i, Kind::kLine)) ++i;
  if (!opens_fence(i)) return false;
  *part = fenced(i + run(i));
  return true;
}

// "Yes" or "no" that opens the text before a mark.
bool ShortAnswerReader::polarity(Region* part) const {
  std::int64_t i = low_;
  while (i < high_ && !is_word(i)) ++i;
  if ((classes(i) & kPolarity) == 0) return false;
  std::int64_t after = i + 1;
  while (is_kind(after, Kind::kWrap)) ++after;
  if (!is_mark(after, U",.!:;-—")) return false;
  if (tokens_[after].code == '.' && !ends_sentence(after, low_)) return false;
  if (tokens_[after].code == '-' && glued(after)) return false;
  *part = {i, i + 1};
  return true;
}

// The only group between such marks; of several with the same words the last.
bool ShortAnswerReader::one_group(const char32_t* mark, std::int64_t count, Region* part) const {
  Region found;
  for (std::int64_t i = low_; i < high_;) {
    if (!(is_wrap(i, mark) || is_mark(i, mark)) || run(i) < count) {
      ++i;
      continue;
    }
    const std::int64_t opening = run(i);
    const std::int64_t reach = i + kMostWraps + kMostGroupTokens;
    const std::int64_t stop = reach < high_ ? reach : high_;
    std::int64_t line = i;
    while (line < stop && !is_kind(line, Kind::kLine)) ++line;
    const std::int64_t close = group_end(i, line);
    if (close == 0) {
      i += opening;
      continue;
    }
    const Region group{i + opening, close - opening};
    i = close;
    if (is_mark(group.high - 1, U":") || is_mark(close, U":") || words(group) == 0) continue;
    if (found.low < found.high && !same_words(found, group)) return false;
    found = group;
  }
  *part = found;
  return found.low < found.high;
}

bool ShortAnswerReader::same_words(Region a, Region b) const {
  std::int64_t i = a.low;
  std::int64_t k = b.low;
  for (;; ++i, ++k) {
    while (i < a.high && !is_word(i)) ++i;
    while (k < b.high && !is_word(k)) ++k;
    if (i >= a.high || k >= b.high) return i >= a.high && k >= b.high;
    const Token& one = tokens_[i];
    const Token& other = tokens_[k];
    if (one.kind != other.kind) return false;
    if (one.kind == Kind::kCjk ? one.code != other.code : !same_word(one, text_, other, text_)) {
      return false;
    }
  }
}

// From its first token to its last word.
Region ShortAnswerReader::last_sentence() const {
  std::int64_t end = high_;
  while (end > low_ && !is_word(end - 1)) --end;
  std::int64_t begin = end;
  while (begin > low_ && !is_kind(begin - 1, Kind::kLine) && !ends_sentence(begin - 1, low_)) {
    --begin;
  }
  return {begin, end};
}

// Sentences at the end that are addressed to the reader; one sentence is always kept.
void ShortAnswerReader::drop_courtesies() {
  for (int dropped = 0; dropped < kMostCourtesies; ++dropped) {
    const Region sentence = last_sentence();
    std::int64_t first[kMostCourtesyWords] = {};
    int count = 0;
    for (std::int64_t i = sentence.low; i < sentence.high && count < kMostCourtesyWords; ++i) {
      if (is_word(i)) first[count++] = i;
    }
    bool courteous = false;
    for (const Courtesy& courtesy : kCourtesies) {
      int same = 0;
      while (same < count && courtesy.words[same] != nullptr && is_kind(first[same], Kind::kWord) &&
             word_is(tokens_[first[same]], text_, courtesy.words[same],
                     static_cast<std::int64_t>(std::strlen(courtesy.words[same])))) {
        ++same;
      }
      courteous = courteous || same == kMostCourtesyWords || courtesy.words[same] == nullptr;
    }
    if (!courteous || words({low_, sentence.low}) == 0) return;
    high_ = sentence.low;
  }
}

// The last sentence, where a word of conclusion opens it.
bool ShortAnswerReader::conclusion(Region* part) const {
  std::int64_t begin = last_sentence().low;
  while (begin < high_ && !is_word(begin)) ++begin;
  if ((classes(begin) & kConclusion) == 0) return false;
  *part = {begin + 1, value_end(begin + 1)};
  return true;
}

// In the last sentence, what follows its last equals sign, copula or colon.
bool ShortAnswerReader::complement(Region* part) const {
  const auto [begin, end] = last_sentence();
  std::int64_t stop = high_;
  std::int64_t verb = -1;
  bool existential = false;  // "there is" was said
  for (std::int64_t i = begin; i < end; ++i) {
    const bool equals = is_mark(i, U"=") || (classes(i) & kEquals) != 0;
    const bool key = is_mark(i - 1, U"\"'");  // of an object
    const bool colon = is_mark(i, U":") && !glued(i + 1) && !key;
    if (equals || (!existential && (colon || (classes(i) & kCopula) != 0))) {
      verb = i;
      existential = is_kind(i - 1, Kind::kWord) && word_is(tokens_[i - 1], text_, "there", 5);
    } else if (verb >= 0 && explains(i)) {
      stop = i;
      break;
    }
  }
  if (verb < 0 || words({begin, verb}) == 0) return false;
  std::int64_t first = begin;
  while (!is_word(first)) ++first;
  if ((classes(first) & kHypothesis) != 0) return false;
  const std::int64_t value = value_end(verb + 1);
  *part = {verb + 1, value < stop ? value : stop};
  first = part->low;
  while (first < part->high && !is_word(first)) ++first;
  const std::int64_t count = words(*part);
  return count > 0 && count <= kMostComplementWords && (classes(first) & kNot) == 0;
}

// A short last line behind many words or a colon.
bool ShortAnswerReader::last_line(Region* part) const {
  std::int64_t end = high_;
  while (end > low_ && !is_word(end - 1)) --end;
  std::int64_t begin = end;
  while (begin > low_ && !is_kind(begin - 1, Kind::kLine)) --begin;
  *part = {begin, end};
  std::int64_t place = begin - 1;
  while (is_kind(place, Kind::kLine) || is_kind(place, Kind::kWrap)) --place;
  const bool follows = is_mark(place, U":") || words({low_, begin}) >= kFewestWordsBefore;
  return follows && words(*part) <= kMostLastLineWords;
}

}  // namespace fastvbench::parse
