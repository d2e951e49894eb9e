#include "fastvbench/timestamps.h"

#include <limits>
#include <new>

#include "fastvbench/parallel.h"
#include "parse/timestamp_reader.h"

namespace fastvbench {
namespace {

constexpr std::int64_t kBlockRows = 2048;

/// Room for so many rows with one interval each, most often all that is needed. Pages that are
/// never written cost nothing; growing in small steps would touch and copy many.
bool reserve_rows(ParsedIntervals* out, std::int64_t rows) {
  const std::int64_t intervals = out->flags.size() + rows + rows / 8;
  return out->ends.reserve(out->ends.size() + rows) &&
         out->statuses.reserve(out->statuses.size() + rows) && out->values.reserve(2 * intervals) &&
         out->flags.reserve(intervals) && out->spans.reserve(2 * intervals);
}

/// Texts of many rows lie anywhere in memory: their first lines are asked for some rows ahead.
class TextQueue {
 public:
  TextQueue(const TextColumn& texts, std::int64_t begin, std::int64_t end)
      : texts_(texts), end_(end), next_(begin) {
    for (int i = 0; i < kAhead; ++i) fetch();
  }

  TextView take(std::int64_t row) {
    const TextView text = ahead_[row % kAhead];
    fetch();
    return text;
  }

 private:
  static constexpr int kAhead = 8;

  void fetch() {
    if (next_ >= end_) return;
    const TextView text = texts_[next_];
#if defined(__GNUC__)
    __builtin_prefetch(text.data);
    if (text.size > 64) __builtin_prefetch(text.data + 64);
#endif
    ahead_[next_ % kAhead] = text;
    ++next_;
  }

  const TextColumn& texts_;
  const std::int64_t end_;
  std::int64_t next_;
  TextView ahead_[kAhead];
};

/// Appends the rows [begin, end) to `out`; ends count from the first interval of `out`.
Status parse_rows(const TextColumn& texts, const double* durations, std::int64_t begin,
                  std::int64_t end, ParsedIntervals* out) {
  if (!reserve_rows(out, end - begin)) return Status::out_of_memory();
  parse::IntervalSink sink(out);
  TextQueue queue(texts, begin, end);
  for (std::int64_t row = begin; row < end; ++row) {
    const TextView text = queue.take(row);
    const double duration =
        durations != nullptr ? durations[row] : std::numeric_limits<double>::quiet_NaN();
    const AnswerStatus status = text.size < 0
                                    ? AnswerStatus::kMissing
                                    : parse::read_timestamps(text.data, text.size, duration, &sink);
    out->statuses.push_back(static_cast<std::uint8_t>(status));
    out->ends.push_back(sink.count());
  }
  return sink.finish() ? Status() : Status::out_of_memory();
}

/// Where the rows of one block lie in its worker's column.
struct Segment {
  std::int32_t worker;
  std::int64_t first_row;
  std::int64_t first_interval;
  std::int64_t row_count;
  std::int64_t interval_count;
};

/// Appends one segment of a worker's column.
Status append_segment(const ParsedIntervals& from, const Segment& segment, ParsedIntervals* out) {
  const std::int64_t base = out->flags.size();
  const std::int64_t first = segment.first_interval;
  if (!reserve_rows(out, segment.row_count) ||
      !out->values.append(from.values.data() + 2 * first, 2 * segment.interval_count) ||
      !out->flags.append(from.flags.data() + first, segment.interval_count) ||
      !out->spans.append(from.spans.data() + 2 * first, 2 * segment.interval_count) ||
      !out->statuses.append(from.statuses.data() + segment.first_row, segment.row_count)) {
    return Status::out_of_memory();
  }
  for (std::int64_t i = 0; i < segment.row_count; ++i) {
    out->ends.push_back(from.ends[segment.first_row + i] - first + base);
  }
  return Status();
}

/// Columns of the threads and the segments in them, freed at the end of the call.
struct Workers {
  Workers(std::int32_t count, std::int64_t block_count)
      : columns(new (std::nothrow) ParsedIntervals[static_cast<std::size_t>(count)]) {
    if (!segments.resize(block_count)) segments.clear();
  }
  ~Workers() { delete[] columns; }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  ParsedIntervals* columns;
  Buffer<Segment> segments;
};

}  // namespace

Status parse_timestamps(const TextColumn& texts, const double* durations, const RunContext& context,
                        ParsedIntervals* out) {
  const std::int64_t block_count = (texts.size + kBlockRows - 1) / kBlockRows;
  const std::int32_t threads = thread_count(context, block_count);
  if (threads <= 1) {
    if (!reserve_rows(out, texts.size)) return Status::out_of_memory();
    for (std::int64_t begin = 0; begin < texts.size; begin += kBlockRows) {
      if (context.should_stop()) return Status::cancelled();
      const std::int64_t left = texts.size - begin;
      const std::int64_t end = begin + (left < kBlockRows ? left : kBlockRows);
      const Status status = parse_rows(texts, durations, begin, end, out);
      if (!status.ok()) return status;
    }
    return Status();
  }
  Workers workers(threads, block_count);
  if (workers.columns == nullptr || workers.segments.size() != block_count) {
    return Status::out_of_memory();
  }
  auto block = [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
    ParsedIntervals* column = &workers.columns[worker];
    Segment* segment = &workers.segments[begin / kBlockRows];
    segment->worker = worker;
    segment->first_row = column->ends.size();
    segment->first_interval = column->flags.size();
    const Status status = parse_rows(texts, durations, begin, end, column);
    segment->row_count = end - begin;
    segment->interval_count = column->flags.size() - segment->first_interval;
    return status;
  };
  const Status status = parallel_for(context, texts.size, kBlockRows, block);
  if (!status.ok()) return status;
  for (std::int64_t i = 0; i < block_count; ++i) {
    const Segment& segment = workers.segments[i];
    const Status appended = append_segment(workers.columns[segment.worker], segment, out);
    if (!appended.ok()) return appended;
  }
  return Status();
}

}  // namespace fastvbench
