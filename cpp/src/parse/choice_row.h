// One answer with its options: regions, letters, option texts, decision
// (tests/reference/choices.py).
#pragma once

#include <cstdint>

#include "fastvbench/answer_status.h"
#include "fastvbench/text_column.h"
#include "parse/choice_letters.h"
#include "parse/choice_options.h"
#include "parse/choice_tokens.h"

namespace fastvbench::parse::choice {

struct Parsed {
  AnswerStatus status = AnswerStatus::kNoAnswer;
  std::int8_t index = -1;
  std::int64_t begin = -1;
  std::int64_t end = -1;
};

/// The options of one row: `count` letters, and where `texts` is set, the texts from `first` on.
struct RowOptions {
  std::int64_t count = 0;
  const TextColumn* texts = nullptr;
  std::int64_t first = 0;
  bool same_as_before = false;  // the texts are those of the row before
};

/// Reads row after row in reused memory.
class RowReader {
 public:
  /// `texts_matter`: false where no option text could change the result. Returns false where memory
  /// ran out.
  bool parse(TextView text, const RowOptions& options, Parsed* parsed, bool* texts_matter);

 private:
  bool parse_tokens(Parsed* parsed, bool* texts_matter);
  bool decide(const LetterReader& reader, Parsed* parsed);
  bool may_be_whole_text() const;
  bool prepare_texts();
  Found word_of_letters() const;
  void set_result(const Found& found, Parsed* parsed) const;
  void set_status(AnswerStatus status, Parsed* parsed) const { *parsed = {status, -1, -1, -1}; }

  const char* text_ = nullptr;
  Region region_;
  std::int64_t count_ = 0;
  RowOptions options_;
  bool has_texts_ = false;
  bool options_ready_ = false;  // texts_ holds the options
  bool texts_ready_ = false;    // and the answer
  Buffer<Token> tokens_;
  OptionTexts texts_;
};

}  // namespace fastvbench::parse::choice
