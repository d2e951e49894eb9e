// The option that a model's raw text gives, or the reason why none.
#pragma once

#include <cstdint>

#include "fastvbench/run_context.h"
#include "fastvbench/status.h"
#include "fastvbench/text_column.h"

namespace fastvbench {

constexpr std::int64_t kMostOptions = 26;  // letters A to Z

/// The options of each row. Exactly one of three kinds:
///   - `uniform_count` letters for all rows (1 to 26), no texts;
///   - `counts[row]` letters per row, no texts;
///   - `texts`: row i has texts[text_offsets[i]] to texts[text_offsets[i + 1]], or, where
///     `text_offsets` is null, all rows share all of `texts`. A missing text matches nothing.
///     With `text_ends`, row i has texts[text_offsets[i]] to texts[text_ends[i]], so that rows may
///     have the same texts; where neighbours do, they are prepared once.
struct ChoiceOptions {
  std::int64_t uniform_count = 0;
  const std::int32_t* counts = nullptr;
  const TextColumn* texts = nullptr;
  const std::int64_t* text_offsets = nullptr;
  const std::int64_t* text_ends = nullptr;
};

/// Caller-allocated results of n rows.
struct ChoiceColumn {
  std::int8_t* index = nullptr;    // [n] 0 for A; -1 where status isn't kOk
  std::uint8_t* status = nullptr;  // [n] AnswerStatus
  std::int64_t* spans = nullptr;   // [2 n] first byte and end of what was read, or -1, -1
};

/// Reads every row of `texts`. What a text means is written in tests/reference/choices.py.
/// Linear in the bytes of a row's text and of its option texts. Memory is one token list per
/// thread, reused from row to row. A count outside 1 to 26 is refused with its row.
Status parse_choice(const TextColumn& texts, const ChoiceOptions& options,
                    const RunContext& context, ChoiceColumn out);

/// The first of two passes for callers whose option texts are costly to fetch: only `counts` or
/// `uniform_count` are used, and rows that option texts could change get `needs_texts[row]` = 1.
/// The others are final.
Status parse_choice_letters(const TextColumn& texts, const ChoiceOptions& options,
                            const RunContext& context, ChoiceColumn out, std::uint8_t* needs_texts);

}  // namespace fastvbench
