// An answer as text to compare (tests/reference/short_answer_text.py).
#pragma once

#include <cstdint>

#include "fastvbench/buffer.h"
#include "fastvbench/short_answers.h"
#include "fastvbench/text_column.h"
#include "parse/choice_tokens.h"

namespace fastvbench::parse {

/// Writes answer after answer in reused memory. False where memory ran out.
class AnswerTextWriter {
 public:
  /// `out` has answer_text_room(text.size) bytes; `size` is what was written.
  bool write(TextView text, AnswerTextForm form, char* out, std::int64_t* size);

 private:
  std::int64_t write_plain(TextView text, char* out) const;
  std::int64_t write_careful(TextView text, char* out) const;

  Buffer<choice::Token> tokens_;
};

}  // namespace fastvbench::parse
