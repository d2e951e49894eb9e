#include "parse/short_answer_row.h"

#include "parse/choice_refusals.h"
#include "parse/thinking.h"

namespace fastvbench::parse {
namespace {

using namespace choice;

constexpr int kCueReach = 12;  // words between an answer noun and its colon

// Longest first where one begins another. Nouns need a colon or a line's end, statements do not.
constexpr const char32_t* kCjkStatements[] = {
    U"答案应该是", U"答案應該是", U"答案应为", U"答案應為", U"答案就是",
    U"答案是",     U"答案为",     U"答案為",   U"答えは",   U"正解は",
    U"解答は",     U"回答は",     U"정답은",   U"답변은",   U"답은",
};
constexpr const char32_t* kCjkNouns[] = {U"答案", U"答え", U"正解", U"解答",
                                         U"回答", U"정답", U"답변", U"답"};

}  // namespace

bool ShortAnswerRows::read(TextView text, ShortAnswer* answer) {
  *answer = ShortAnswer();
  if (text.size < 0) {
    answer->status = AnswerStatus::kMissing;
    return true;
  }
  std::int64_t begin = 0;
  if (may_reason(text.data, text.size)) {
    const Reasoning reasoning = skip_reasoning(text.data, text.size);
    if (reasoning.truncated) {
      answer->status = AnswerStatus::kTruncated;
      return true;
    }
    begin = reasoning.answer_begin;
  }
  if (!tokenize(text.data, begin, text.size, &tokens_)) return false;
  bool blank = true;
  for (std::int64_t i = 0; i < tokens_.size() && blank; ++i) blank = is_blank(tokens_[i]);
  if (blank) {
    answer->status = AnswerStatus::kEmpty;
    return true;
  }
  Region region;
  // An object without an answer-like key leaves the region as it is: it is read as text.
  (void)answer_region(text.data, tokens_.data(), tokens_.size(), &region);
  *answer = ShortAnswerReader(text.data, tokens_.data(), region).read();
  return true;
}

ShortAnswer ShortAnswerReader::read() {
  declare();
  ShortAnswer answer;
  if (found_.low < found_.high) {
    answer.status = AnswerStatus::kOk;
    answer.span = answer.whole = span(found_);
    return answer;
  }
  drop_courtesies();
  const Region whole = trim({low_, high_});
  if (const Found refusal = find_refusal(text_, tokens_, {low_, high_}); refusal.first >= 0) {
    answer.status = AnswerStatus::kRefused;
    answer.span = span({refusal.first, refusal.last + 1});
    if (whole.low < whole.high) answer.whole = span(whole);
    return answer;
  }
  if (open_ || denied_ || whole.low >= whole.high) {
    answer.status = open_ ? AnswerStatus::kTruncated : AnswerStatus::kNoAnswer;
    return answer;
  }
  Region proper;
  answer.status = AnswerStatus::kOk;
  answer.whole = span(whole);
  answer.span = infer(&proper) ? span(proper) : answer.whole;
  return answer;
}

void ShortAnswerReader::declare() {
  for (std::int64_t i = low_; i < high_;) {
    std::int64_t step = i + 1;
    const Token& token = tokens_[i];
    if (token.kind == Kind::kWord) {
      read_word(i);
    } else if (token.kind == Kind::kCue && token.code == '\\') {
      boxed(i);
    } else if (token.kind == Kind::kLine || ends_sentence(i, low_)) {
      if (token.kind == Kind::kLine && noun_ >= 0 && words_since_noun_ == 0) {
        take(i + 1);
      } else if (copula_ >= 0) {
        take(copula_ + 1);
      }
      noun_ = copula_ = -1;
      supposed_ = false;
    } else if (noun_ >= 0 && is_mark(i, U":=→")) {
      take(i + 1);
      noun_ = copula_ = -1;
    } else if (token.kind == Kind::kCjk) {
      if (const std::int64_t size = cjk_cue(i); size > 0) {
        take(i + size);
        noun_ = copula_ = -1;
        step = i + size;
      } else {
        ++words_since_noun_;
      }
    }
    i = step;
  }
  if (copula_ >= 0) take(copula_ + 1);
}

void ShortAnswerReader::read_word(std::int64_t i) {
  const std::uint64_t found = tokens_[i].classes;
  if ((found & kNoun) != 0) {
    if (!supposed_) {
      noun_ = i;
      copula_ = -1;
      reach_ = kCueReach;
      words_since_noun_ = 0;
      return;
    }
  } else if (noun_ < 0) {
    if ((found & kHypothesis) != 0) supposed_ = true;
  } else if ((found & kNot) != 0) {
    if (copula_ < 0) {
      denied_ = true;
      noun_ = -1;
    }
  } else if ((found & kCopula) != 0) {
    if (words_since_noun_ == 0) {
      take(i + 1);
      noun_ = -1;
    } else {
      copula_ = i;
    }
  } else if (--reach_ <= 0 && copula_ < 0) {
    noun_ = -1;
  }
  ++words_since_noun_;
}

// The content of the braces after the cue, up to their match or the end.
void ShortAnswerReader::boxed(std::int64_t cue) {
  const std::int64_t begin = cue + 1;
  if (!is_wrap(begin, U"{")) return;
  const std::int64_t stop = begin + kMostAnswerTokens < high_ ? begin + kMostAnswerTokens : high_;
  std::int64_t depth = 0;
  std::int64_t end = begin;
  for (; end < stop; ++end) {
    depth += is_wrap(end, U"{") - is_wrap(end, U"}");
    if (depth == 0) break;
  }
  keep({begin + 1, end});
}

// The number of tokens of a cue that begins here, 0 for none.
std::int64_t ShortAnswerReader::cjk_cue(std::int64_t i) const {
  std::int64_t count = 0;
  for (const char32_t* cue : kCjkStatements) {
    if (spells(i, cue, &count)) return count;
  }
  for (const char32_t* cue : kCjkNouns) {
    if (spells(i, cue, &count) && (is_mark(i + count, U":=→") || is_kind(i + count, Kind::kLine))) {
      return count + 1;
    }
  }
  return 0;
}

// The answer that begins behind a cue (section 3).
void ShortAnswerReader::take(std::int64_t begin) {
  std::int64_t i = begin;
  while (i < high_ &&
         (is_kind(i, Kind::kLine) || is_kind(i, Kind::kClose) || is_mark(i, U":=→…—,") ||
          (is_kind(i, Kind::kWrap) && !opens(i)) || (classes(i) & kShortAdverb) != 0)) {
    ++i;
  }
  open_ = i >= high_;
  if (open_) return;
  if ((classes(i) & kNot) != 0) {
    denied_ = true;
    return;
  }
  const std::int64_t end = value_end(i);
  Region content;
  keep(wrapped(i, end, &content) ? content : Region{i, end});
}

void ShortAnswerReader::keep(Region part) {
  const Region trimmed = trim(part);
  if (trimmed.low < trimmed.high) found_ = trimmed;
}

// The content of the one wrapper that a value begins with (3.2).
bool ShortAnswerReader::wrapped(std::int64_t i, std::int64_t end, Region* content) const {
  if (opens_fence(i)) {
    *content = fenced(i + run(i));
    return true;
  }
  const std::int64_t close = group_end(i, end);
  if (close == 0) return false;
  for (std::int64_t k = close; k < end; ++k) {
    if (same_token(k, i)) return false;
  }
  *content = {i + run(i), close - run(i)};
  return true;
}

}  // namespace fastvbench::parse
