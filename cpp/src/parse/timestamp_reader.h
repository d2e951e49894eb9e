// One answer read from left to right: tokens to items to pairs to intervals (sections 1 and 3 to 7).
#pragma once

#include <cstdint>

#include "fastvbench/answer_status.h"
#include "fastvbench/timestamps.h"
#include "parse/timestamp_gap.h"
#include "parse/timestamp_items.h"

namespace fastvbench::parse {

/// Appends intervals to a ParsedIntervals and remembers where its row begins.
class IntervalSink {
 public:
  explicit IntervalSink(ParsedIntervals* out) : out_(out), count_(out->flags.size()) {}

  void begin_row() { row_begin_ = count_; }
  std::int64_t count() const { return count_; }
  bool row_is_empty() const { return count_ == row_begin_; }
  void clear_row() { set_count(row_begin_); }
  void pop() { set_count(count_ - 1); }
  void push(double start, double end, unsigned flags, std::int64_t begin, std::int64_t until);
  bool out_of_memory() const { return out_of_memory_; }

 private:
  bool set_count(std::int64_t count) {
    if (!out_->values.resize(2 * count) || !out_->flags.resize(count) ||
        !out_->spans.resize(2 * count)) {
      out_of_memory_ = true;
      return false;
    }
    count_ = count;
    return true;
  }

  ParsedIntervals* out_;
  std::int64_t count_;
  std::int64_t row_begin_ = 0;
  bool out_of_memory_ = false;
};

/// Reads the row and returns its status; what it kept is in the sink.
AnswerStatus read_timestamps(const char* data, std::int64_t size, double duration,
                             IntervalSink* sink);

}  // namespace fastvbench::parse
