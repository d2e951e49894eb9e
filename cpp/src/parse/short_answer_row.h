// One answer: what it declares, else what can be inferred (tests/reference/short_answers.py).
#pragma once

#include <cstdint>

#include "fastvbench/answer_status.h"
#include "fastvbench/buffer.h"
#include "fastvbench/text_column.h"
#include "parse/short_answer_view.h"

namespace fastvbench::parse {

struct ByteSpan {
  std::int64_t begin = -1;
  std::int64_t end = -1;
};

struct ShortAnswer {
  AnswerStatus status = AnswerStatus::kNoAnswer;
  ByteSpan span;
  ByteSpan whole;
};

/// Reads the tokens of one answer.
class ShortAnswerReader : public ShortAnswerView {
 public:
  using ShortAnswerView::ShortAnswerView;
  ShortAnswer read();

 private:
  ByteSpan span(Region part) const { return {tokens_[part.low].begin, tokens_[part.high - 1].end}; }

  // Declarations (section 2 and 3).
  void declare();
  void read_word(std::int64_t i);
  void boxed(std::int64_t cue);
  std::int64_t cjk_cue(std::int64_t i) const;
  void take(std::int64_t begin);
  void keep(Region part);
  bool opens(std::int64_t i) const {
    return i + 1 < high_ && glued(i + 1) && !is_kind(i + 1, Kind::kLine);
  }
  bool wrapped(std::int64_t i, std::int64_t end, Region* content) const;

  // Inference (section 4). False for no reading.
  bool infer(Region* result) const;
  bool fence(Region* part) const;
  bool polarity(Region* part) const;
  bool one_group(const char32_t* mark, std::int64_t count, Region* part) const;
  bool same_words(Region a, Region b) const;
  Region last_sentence() const;
  void drop_courtesies();
  bool complement(Region* part) const;
  bool conclusion(Region* part) const;
  bool last_line(Region* part) const;

  Region found_;
  bool denied_ = false;
  bool open_ = false;  // a cue has nothing after it
  // The sentence.
  std::int64_t noun_ = -1;
  std::int64_t copula_ = -1;
  std::int64_t words_since_noun_ = 0;
  int reach_ = 0;
  bool supposed_ = false;
};

/// Reads row after row in reused memory. False where memory ran out.
class ShortAnswerRows {
 public:
  bool read(TextView text, ShortAnswer* answer);

 private:
  Buffer<Token> tokens_;
};

}  // namespace fastvbench::parse
