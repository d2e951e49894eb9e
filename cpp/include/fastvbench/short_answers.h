// The answer proper in a model's free text, its number, and its text in forms to compare.
#pragma once

#include <cstdint>

#include "fastvbench/run_context.h"
#include "fastvbench/status.h"
#include "fastvbench/text_column.h"

namespace fastvbench {

/// Caller-allocated results of n rows. Spans are first byte and end, -1 and -1 for none.
struct ShortAnswerColumn {
  std::uint8_t* status = nullptr;  // [n] AnswerStatus
  std::int64_t* spans = nullptr;   // [2 n] the answer proper
  std::int64_t* wholes = nullptr;  // [2 n] the other fair reading, where none was declared
};

/// Reads every row of `texts`. What a text means is written in tests/reference/short_answers.py.
/// Linear in the bytes of a text; memory is one token list per thread, reused from row to row.
Status read_short_answers(const TextColumn& texts, const RunContext& context,
                          ShortAnswerColumn out);

/// Caller-allocated numbers of n rows; NaN for none or several.
struct AnswerNumberColumn {
  double* values = nullptr;          // [n] the only number, else the only one that is no year
  double* scales = nullptr;          // [n] what the words behind it multiply by: 1e6 for "million"
  std::uint8_t* percents = nullptr;  // [n] 1: it is followed by a per cent sign
  double* years = nullptr;           // [n] the only year
  std::uint8_t* several = nullptr;   // [n] 1: there are numbers, but no only one
};

/// The numbers of every row, or of the part of it that `spans` [2 n] gives (null: all of it; a row
/// of -1 has none). Meaning: tests/reference/short_answer_numbers.py. A span outside its text is
/// refused with its row.
Status read_answer_numbers(const TextColumn& texts, const std::int64_t* spans,
                           const RunContext& context, AnswerNumberColumn out);

/// Forms of an answer's text; meaning: tests/reference/short_answer_text.py.
enum class AnswerTextForm : std::uint8_t {
  kPlain,    // without mark-up and spare blanks
  kCareful,  // words as they are compared
};

/// The most bytes that any form of a text of `size` bytes takes.
constexpr std::int64_t answer_text_room(std::int64_t size) { return size > 0 ? 2 * size + 2 : 0; }

/// Writes row i to `bytes + begins[i]`, which has answer_text_room of its text (or span), and its
/// length to `sizes[i]`; -1 for rows without a text or span. `spans` as above.
Status write_answer_texts(const TextColumn& texts, const std::int64_t* spans, AnswerTextForm form,
                          const RunContext& context, const std::int64_t* begins, char* bytes,
                          std::int64_t* sizes);

}  // namespace fastvbench
