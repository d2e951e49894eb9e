// From items to intervals: sections 1.2, 4, 5 and 7 of the timestamp grammar.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "fastvbench/answer_status.h"
#include "fastvbench/timestamps.h"
#include "parse/timestamp_gap.h"
#include "parse/timestamp_items.h"
#include "parse/timestamp_trace.h"

namespace fastvbench::parse {

/// Takes the intervals of some rows, numbered from 0, and remembers where its row begins.
class IntervalSink {
 public:
  /// Appends to `column`, which has its size only after `finish`.
  explicit IntervalSink(ParsedIntervals* column)
      : column_(column), column_begin_(column->flags.size()) {}
  /// Writes the intervals [begin, begin + capacity) of `result`, which are there already. More than
  /// fit are appended to `spill` instead, all of them.
  IntervalSink(ParsedIntervals* result, std::int64_t begin, std::int64_t capacity,
               ParsedIntervals* spill)
      : values_(result->values.data() + 2 * begin),
        flags_(result->flags.data() + begin),
        spans_(result->spans.data() + 2 * begin),
        capacity_(capacity),
        column_(spill),
        column_begin_(spill->flags.size()),
        in_place_(true) {}

  void begin_row() { row_begin_ = count_; }
  std::int64_t count() const { return count_; }
  std::int64_t row_count() const { return count_ - row_begin_; }
  bool row_is_empty() const { return count_ == row_begin_; }
  void clear_row() { count_ = row_begin_; }
  void pop() { --count_; }
  void push(double start, double end, unsigned flags, std::int64_t begin, std::int64_t until) {
    const std::int64_t k = count_;
    if (k >= capacity_ && !grow()) return;
    values_[2 * k] = start;
    values_[2 * k + 1] = end;
    flags_[k] = static_cast<std::uint16_t>(flags);
    spans_[2 * k] = begin;
    spans_[2 * k + 1] = until;
    count_ = k + 1;
  }
  /// Gives the column its size; false where memory ran out on the way.
  bool finish();
  /// Whether all fitted into the result.
  bool in_place() const { return in_place_; }

 private:
  bool grow();

  double* values_ = nullptr;  // of the first interval, and so on
  std::uint16_t* flags_ = nullptr;
  std::int64_t* spans_ = nullptr;
  std::int64_t count_ = 0;
  std::int64_t capacity_ = 0;
  std::int64_t row_begin_ = 0;
  ParsedIntervals* column_;
  std::int64_t column_begin_;
  bool in_place_ = false;
  bool out_of_memory_ = false;
};

/// Two times on their way to an interval: section 7.
struct Bounds {
  double start;
  double end;
  unsigned flags;
};

/// Orders and clamps finite bounds; false where they lie outside of the video. `duration` counts
/// only where `has_duration` is set.
inline bool settle(double duration, bool has_duration, Bounds* bounds) {
  double start = bounds->start;
  double end = bounds->end;
  unsigned flags = bounds->flags;
  if (end < start) {
    const double swap = start;
    start = end;
    end = swap;
    flags |= kFlagSwapped;
  }
  if ((has_duration && start >= duration && end > duration) || (start < 0.0 && end <= 0.0)) {
    return false;
  }
  if (start < 0.0) {
    start = 0.0;
    flags |= kFlagClampedStart;
  }
  if (has_duration && end > duration) {
    end = duration;
    flags |= kFlagClampedEnd;
  }
  if (start == end) flags |= kFlagZeroLength;
  *bounds = {start + 0.0, end + 0.0, flags};
  return true;
}

constexpr bool is_duration(double value) {
  return value > 0.0 && value <= std::numeric_limits<double>::max();
}

/// What has been read of one answer, and where the next item goes. One lives for one row.
class Pairs {
 public:
  /// Where an interval goes; status of the row once all is read.
  AnswerStatus status();

 protected:
  Pairs(Text text, std::int64_t offset, double duration, IntervalSink* sink, ReadingTrace* trace)
      : text_(text),
        offset_(offset),
        duration_(duration),
        has_duration_(is_duration(duration)),
        sink_(*sink),
        trace_(*trace) {}

  void apply(const GapEffect& effect) { gap_ = (gap_ & effect.keep) | effect.set; }
  bool has(Gap mark) const { return (gap_ & mark) != 0; }
  void forget(Item* item) { item->kind = ItemKind::kNone; }

  // 4
  void accept(const Item& item);
  void reject(const Item& item, bool named, bool names);
  void pair_or_drop(Item first, const Item& second);
  static bool can_pair(const Item& first, const Item& second);
  void stop();
  void forget_last();
  // 5
  void resolve_end() {
    if (to_end_of_) keep_to_end();
  }
  // 1
  void set_cue();

  const Text text_;
  const std::int64_t offset_;  // of the answer in the row's text
  const double duration_;
  const bool has_duration_;
  IntervalSink& sink_;
  ReadingTrace& trace_;

  Gap gap_ = kTextBegins;
  std::int64_t depth_ = 0;             // open brackets
  const Byte* whole_begin_ = nullptr;  // "the whole video"
  const Byte* whole_end_ = nullptr;
  const Byte* to_end_until_ = nullptr;
  std::int64_t numbers_ = 0;
  bool cue_ = false;
  bool in_answer_tag_ = false;
  bool answer_tag_held_time_ = false;
  bool closed_ = false;  // behind </answer>
  bool has_weak_ = false;
  bool weak_kept_ = false;
  bool weak_from_integer_ = false;
  bool no_duration_ = false;
  bool not_finite_ = false;
  bool out_of_range_ = false;
  Item last_;           // the item that a range sign would join
  Item pending_start_;  // 4.2
  Item pending_end_;
  Item to_end_of_;  // 5.1, waiting for what follows
  Item weak_;       // second item of the last list pair
  Item and_left_;   // the item before an "and", for 之间

 private:
  std::int64_t position(const Byte* p) const { return offset_ + (p - text_.begin); }
  /// Takes the last interval back; whether there is one was decided by its values.
  void pop() {
    trace_.depends_on_values = true;
    sink_.pop();
  }
  void forget_pending() {
    forget(&pending_start_);
    forget(&pending_end_);
  }
  void keep(double start, double end, unsigned flags, const Byte* begin, const Byte* until);
  void keep_pair(const Item& first, const Item& second);
  void keep_to_end();
  void keep_edge(const Item& item, bool last);
  void add_length(const Item& start, const Item& length);
  static bool can_pair_weakly(const Item& first, const Item& second);
  void apply_cue() {
    if (cue_ || in_answer_tag_) begin_declared();
  }
  void begin_declared();
};

}  // namespace fastvbench::parse
