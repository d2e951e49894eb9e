// One answer read from left to right: tokens to items to pairs to intervals (sections 1 and 3 to 7).
#pragma once

#include <cstdint>

#include "fastvbench/answer_status.h"
#include "fastvbench/timestamps.h"
#include "parse/timestamp_gap.h"
#include "parse/timestamp_items.h"

namespace fastvbench::parse {

/// Appends intervals to a ParsedIntervals and remembers where its row begins. The columns have their
/// size only after `finish`.
class IntervalSink {
 public:
  explicit IntervalSink(ParsedIntervals* out) : out_(out), count_(out->flags.size()) {}

  void begin_row() { row_begin_ = count_; }
  std::int64_t count() const { return count_; }
  bool row_is_empty() const { return count_ == row_begin_; }
  void clear_row() { count_ = row_begin_; }
  void pop() { --count_; }
  void push(double start, double end, unsigned flags, std::int64_t begin, std::int64_t until) {
    const std::int64_t k = count_;
    if (k >= capacity_ && !grow()) return;
    out_->values[2 * k] = start;
    out_->values[2 * k + 1] = end;
    out_->flags[k] = static_cast<std::uint16_t>(flags);
    out_->spans[2 * k] = begin;
    out_->spans[2 * k + 1] = until;
    count_ = k + 1;
  }
  /// Gives the columns their size; false where memory ran out on the way.
  bool finish();

 private:
  bool grow();

  ParsedIntervals* out_;
  std::int64_t count_;
  std::int64_t capacity_ = 0;
  std::int64_t row_begin_ = 0;
  bool out_of_memory_ = false;
};

/// Reads the row and returns its status; what it kept is in the sink.
AnswerStatus read_timestamps(const char* data, std::int64_t size, double duration,
                             IntervalSink* sink);

}  // namespace fastvbench::parse
