// Model text to time intervals. The grammar is the docstring of tests/reference/timestamps.py,
// which is the meaning of this kernel; comments in cpp/src/parse name its sections.
#pragma once

#include <cstdint>

#include "fastvbench/answer_status.h"
#include "fastvbench/buffer.h"
#include "fastvbench/run_context.h"
#include "fastvbench/status.h"
#include "fastvbench/text_column.h"

namespace fastvbench {

/// Intervals of many rows, appended row by row. Interval k is values[2k], values[2k + 1] in
/// seconds, with flags[k] (IntervalFlag) and the bytes [spans[2k], spans[2k + 1]) of its row's
/// text.
struct ParsedIntervals {
  Buffer<double> values;
  Buffer<std::uint16_t> flags;
  Buffer<std::int64_t> spans;
  Buffer<std::int64_t> ends;      // one per row: number of intervals up to and with it
  Buffer<std::uint8_t> statuses;  // one per row: AnswerStatus
};

/// Room for so many more rows with one interval each, most often all that is needed: growing in
/// small steps would copy, and touch many pages. False where memory ran out.
bool reserve_rows(ParsedIntervals* out, std::int64_t rows);

/// Appends one row for each text. `durations` (seconds, one per text) may be null; what isn't
/// positive and finite there means unknown. Linear in the bytes of the texts, nothing is allocated
/// per row; the result is the same at every thread count. Fails only when memory runs out or the
/// context says stop; `out` then holds the rows before plus some of the new ones, to be discarded.
Status parse_timestamps(const TextColumn& texts, const double* durations, const RunContext& context,
                        ParsedIntervals* out);

}  // namespace fastvbench
