#include "fastvbench/timestamps.h"

#include <cstring>
#include <limits>
#include <new>

#include "fastvbench/parallel.h"
#include "parse/timestamp_memo.h"
#include "parse/timestamp_reader.h"

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace fastvbench {
namespace {

/// Asks for large pages where values will be written: taking a page at a time from the system costs
/// as much as a fifth of the parsing. Only a wish; nothing depends on it.
template <typename T>
void wish_for_large_pages(Buffer<T>* buffer, std::int64_t values) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t kWorthwhile = std::uintptr_t{4} << 20;
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(buffer->data()) + page - 1;
  const auto end = reinterpret_cast<std::uintptr_t>(buffer->data() + values);
  const std::uintptr_t first = begin / page * page;
  if (end < first || end - first < kWorthwhile) return;
  (void)madvise(reinterpret_cast<void*>(first), (end - first) / page * page, MADV_HUGEPAGE);
#else
  (void)buffer;
  (void)values;
#endif
}

constexpr std::int64_t kBlockRows = 2048;
constexpr std::int64_t kRoundBlocks = 64;  // so that what may have to move stays in cache

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

/// Reads the rows [begin, end) into `sink`, and their ends and statuses to where these point; ends
/// count from `first_interval`, the number of the sink's first.
Status parse_rows(const TextColumn& texts, const double* durations, std::int64_t begin,
                  std::int64_t end, std::int64_t first_interval, parse::ShapeMemo* memo,
                  parse::IntervalSink* sink, std::int64_t* ends, std::uint8_t* statuses) {
  TextQueue queue(texts, begin, end);
  for (std::int64_t row = begin; row < end; ++row) {
    const TextView text = queue.take(row);
    const double duration =
        durations != nullptr ? durations[row] : std::numeric_limits<double>::quiet_NaN();
    const AnswerStatus status =
        text.size < 0 ? AnswerStatus::kMissing : memo->read(text.data, text.size, duration, sink);
    *statuses++ = static_cast<std::uint8_t>(status);
    *ends++ = first_interval + sink->count();
  }
  return sink->finish() ? Status() : Status::out_of_memory();
}

/// What each thread keeps for the whole call.
struct Workers {
  explicit Workers(std::int32_t count)
      : count(count),
        spills(new (std::nothrow) ParsedIntervals[static_cast<std::size_t>(count)]),
        memos(new (std::nothrow) parse::ShapeMemo[static_cast<std::size_t>(count)]) {}
  ~Workers() {
    delete[] spills;
    delete[] memos;
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void clear_spills() {
    for (std::int32_t i = 0; i < count; ++i) {
      spills[i].values.clear();
      spills[i].flags.clear();
      spills[i].spans.clear();
    }
  }

  const std::int32_t count;
  ParsedIntervals* spills;
  parse::ShapeMemo* memos;
};

/// The intervals of one block: read into a place of the result that has one for each row, or where
/// they were more, into a spill; then moved to where the blocks before them end.
struct Segment {
  const ParsedIntervals* spill;  // null where they are in their place
  std::int64_t begin;            // in the spill or in the result
  std::int64_t count;
  std::int64_t result_begin;
};

void move_segment(const Segment& segment, ParsedIntervals* out) {
  if (segment.count == 0) return;
  const ParsedIntervals& from = segment.spill != nullptr ? *segment.spill : *out;
  const std::int64_t begin = segment.begin;
  const std::int64_t to = segment.result_begin;
  const std::size_t count = static_cast<std::size_t>(segment.count);
  std::memmove(out->values.data() + 2 * to, from.values.data() + 2 * begin,
               2 * count * sizeof(double));
  std::memmove(out->flags.data() + to, from.flags.data() + begin, count * sizeof(std::uint16_t));
  std::memmove(out->spans.data() + 2 * to, from.spans.data() + 2 * begin,
               2 * count * sizeof(std::int64_t));
}

/// Closes the gaps between blocks. Places and targets both ascend: what goes down may go in rising
/// order, what goes up in falling order, and spills once all places are free.
void move_segments(const Segment* segments, std::int64_t count, ParsedIntervals* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    const Segment& segment = segments[i];
    if (segment.spill == nullptr && segment.result_begin < segment.begin) {
      move_segment(segment, out);
    }
  }
  for (std::int64_t i = count - 1; i >= 0; --i) {
    const Segment& segment = segments[i];
    if (segment.spill == nullptr && segment.result_begin > segment.begin) {
      move_segment(segment, out);
    }
  }
  for (std::int64_t i = 0; i < count; ++i) {
    if (segments[i].spill != nullptr) move_segment(segments[i], out);
  }
}

bool resize_intervals(std::int64_t count, ParsedIntervals* out) {
  return out->values.resize(2 * count) && out->flags.resize(count) && out->spans.resize(2 * count);
}

/// Parses the rows [begin, end), at most kRoundBlocks blocks, on several threads.
Status parse_round(const TextColumn& texts, const double* durations, const RunContext& context,
                   std::int64_t begin, std::int64_t end, Workers* workers, ParsedIntervals* out) {
  Segment segments[kRoundBlocks];
  workers->clear_spills();
  const std::int64_t rows = end - begin;
  const std::int64_t first_interval = out->flags.size();
  // Rows of the result may begin behind an offsets' leading zero that the caller put there.
  const std::int64_t first_end = out->ends.size();
  const std::int64_t first_status = out->statuses.size();
  if (!out->ends.resize(first_end + rows) || !out->statuses.resize(first_status + rows) ||
      !resize_intervals(first_interval + rows, out)) {
    return Status::out_of_memory();
  }
  auto parse = [&](std::int64_t first, std::int64_t last, std::int32_t worker) {
    ParsedIntervals* const spill = &workers->spills[worker];
    parse::ShapeMemo* const memo = &workers->memos[worker];
    memo->open();
    const std::int64_t place = first_interval + first;
    const std::int64_t spill_begin = spill->flags.size();
    parse::IntervalSink sink(out, place, last - first, spill);
    const Status status = parse_rows(texts, durations, begin + first, begin + last, place, memo,
                                     &sink, out->ends.data() + first_end + first,
                                     out->statuses.data() + first_status + first);
    Segment* segment = &segments[first / kBlockRows];
    segment->spill = sink.in_place() ? nullptr : spill;
    segment->begin = sink.in_place() ? place : spill_begin;
    segment->count = sink.count();
    return status;
  };
  const Status parsed = parallel_for(context, rows, kBlockRows, parse);
  if (!parsed.ok()) return parsed;

  const std::int64_t block_count = (rows + kBlockRows - 1) / kBlockRows;
  std::int64_t result_count = first_interval;
  for (std::int64_t i = 0; i < block_count; ++i) {
    segments[i].result_begin = result_count;
    result_count += segments[i].count;
    const std::int64_t first = i * kBlockRows;
    const std::int64_t shift = segments[i].result_begin - (first_interval + first);
    if (shift == 0) continue;
    const std::int64_t last = first + kBlockRows < rows ? first + kBlockRows : rows;
    std::int64_t* const ends = out->ends.data() + first_end;
    for (std::int64_t row = first; row < last; ++row) ends[row] += shift;
  }
  if (result_count > first_interval + rows && !resize_intervals(result_count, out)) {
    return Status::out_of_memory();
  }
  move_segments(segments, block_count, out);
  return resize_intervals(result_count, out) ? Status() : Status::out_of_memory();
}

/// The same on the calling thread, one block.
Status parse_block(const TextColumn& texts, const double* durations, std::int64_t begin,
                   std::int64_t end, parse::ShapeMemo* memo, ParsedIntervals* out) {
  const std::int64_t first_end = out->ends.size();
  const std::int64_t first_status = out->statuses.size();
  if (!out->ends.resize(first_end + end - begin) ||
      !out->statuses.resize(first_status + end - begin)) {
    return Status::out_of_memory();
  }
  const std::int64_t first_interval = out->flags.size();
  parse::IntervalSink sink(out);
  return parse_rows(texts, durations, begin, end, first_interval, memo, &sink,
                    out->ends.data() + first_end, out->statuses.data() + first_status);
}

}  // namespace

bool reserve_rows(ParsedIntervals* out, std::int64_t rows) {
  const std::int64_t all_rows = out->statuses.size() + rows;
  const std::int64_t intervals = out->flags.size() + rows + rows / 8;
  if (!out->ends.reserve(all_rows + 1) || !out->statuses.reserve(all_rows) ||
      !out->values.reserve(2 * intervals) || !out->flags.reserve(intervals) ||
      !out->spans.reserve(2 * intervals)) {
    return false;
  }
  wish_for_large_pages(&out->values, 2 * intervals);
  wish_for_large_pages(&out->spans, 2 * intervals);
  wish_for_large_pages(&out->ends, all_rows);
  return true;
}

Status parse_timestamps(const TextColumn& texts, const double* durations, const RunContext& context,
                        ParsedIntervals* out) {
  const std::int64_t block_count = (texts.size + kBlockRows - 1) / kBlockRows;
  const std::int32_t threads = thread_count(context, block_count);
  if (threads <= 1) {
    parse::ShapeMemo memo;
    if (texts.size >= parse::ShapeMemo::kLeastRows) memo.open();
    for (std::int64_t begin = 0; begin < texts.size; begin += kBlockRows) {
      if (context.should_stop()) return Status::cancelled();
      const std::int64_t left = texts.size - begin;
      const std::int64_t end = begin + (left < kBlockRows ? left : kBlockRows);
      const Status status = parse_block(texts, durations, begin, end, &memo, out);
      if (!status.ok()) return status;
    }
    return Status();
  }
  Workers workers(threads);
  if (workers.spills == nullptr || workers.memos == nullptr) return Status::out_of_memory();
  constexpr std::int64_t kRoundRows = kRoundBlocks * kBlockRows;
  for (std::int64_t begin = 0; begin < texts.size; begin += kRoundRows) {
    const std::int64_t left = texts.size - begin;
    const std::int64_t end = begin + (left < kRoundRows ? left : kRoundRows);
    const Status status = parse_round(texts, durations, context, begin, end, &workers, out);
    if (!status.ok()) return status;
  }
  return Status();
}

}  // namespace fastvbench
