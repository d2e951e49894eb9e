// One answer read from left to right: the whole timestamp grammar.
#pragma once

#include <cstdint>

#include "fastvbench/answer_status.h"
#include "parse/timestamp_pairs.h"

namespace fastvbench::parse {

/// Reads the row and returns its status; what it kept is in the sink, and what that depended on in
/// the trace, which must be new.
AnswerStatus read_timestamps(const char* data, std::int64_t size, double duration,
                             IntervalSink* sink, ReadingTrace* trace);

}  // namespace fastvbench::parse
