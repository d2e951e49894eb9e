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
constexpr std::int64_t kRoundBlocks = 64;  // so that what the threads keep apart stays in cache

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
                  std::int64_t end, parse::ShapeMemo* memo, ParsedIntervals* out) {
  const std::int64_t rows = end - begin;
  if (!out->ends.reserve(out->ends.size() + rows) ||
      !out->statuses.reserve(out->statuses.size() + rows)) {
    return Status::out_of_memory();
  }
  parse::IntervalSink sink(out);
  TextQueue queue(texts, begin, end);
  for (std::int64_t row = begin; row < end; ++row) {
    const TextView text = queue.take(row);
    const double duration =
        durations != nullptr ? durations[row] : std::numeric_limits<double>::quiet_NaN();
    const AnswerStatus status =
        text.size < 0 ? AnswerStatus::kMissing : memo->read(text.data, text.size, duration, &sink);
    out->statuses.push_back(static_cast<std::uint8_t>(status));
    out->ends.push_back(sink.count());
  }
  return sink.finish() ? Status() : Status::out_of_memory();
}

/// Where the rows of one block lie: in its worker's column, and in the result.
struct Segment {
  std::int32_t worker;
  std::int64_t first_row;
  std::int64_t first_interval;
  std::int64_t row_count;
  std::int64_t interval_count;
  std::int64_t result_row;
  std::int64_t result_interval;
};

/// One column per thread, used again in every round, freed at the end of the call.
struct Workers {
  explicit Workers(std::int32_t count)
      : count(count),
        columns(new (std::nothrow) ParsedIntervals[static_cast<std::size_t>(count)]),
        memos(new (std::nothrow) parse::ShapeMemo[static_cast<std::size_t>(count)]) {}
  ~Workers() {
    delete[] columns;
    delete[] memos;
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void clear() {
    for (std::int32_t i = 0; i < count; ++i) {
      columns[i].values.clear();
      columns[i].flags.clear();
      columns[i].spans.clear();
      columns[i].ends.clear();
      columns[i].statuses.clear();
    }
  }

  const std::int32_t count;
  ParsedIntervals* columns;
  parse::ShapeMemo* memos;
};

template <typename T>
void copy_values(T* to, const Buffer<T>& from, std::int64_t first, std::int64_t count) {
  if (count > 0) {
    std::memcpy(to, from.data() + first, static_cast<std::size_t>(count) * sizeof(T));
  }
}

void copy_segment(const ParsedIntervals& from, const Segment& segment, ParsedIntervals* out) {
  const std::int64_t first = segment.first_interval;
  const std::int64_t to = segment.result_interval;
  const std::int64_t count = segment.interval_count;
  copy_values(out->values.data() + 2 * to, from.values, 2 * first, 2 * count);
  copy_values(out->flags.data() + to, from.flags, first, count);
  copy_values(out->spans.data() + 2 * to, from.spans, 2 * first, 2 * count);
  copy_values(out->statuses.data() + segment.result_row, from.statuses, segment.first_row,
              segment.row_count);
  for (std::int64_t i = 0; i < segment.row_count; ++i) {
    // Rows of the result may begin behind an offsets' leading zero that the caller put there.
    out->ends[out->ends.size() - out->statuses.size() + segment.result_row + i] =
        from.ends[segment.first_row + i] - first + to;
  }
}

/// Parses the rows [begin, end), at most kRoundBlocks blocks, on several threads.
Status parse_round(const TextColumn& texts, const double* durations, const RunContext& context,
                   std::int64_t begin, std::int64_t end, Workers* workers, ParsedIntervals* out) {
  Segment segments[kRoundBlocks];
  workers->clear();
  auto parse = [&](std::int64_t first, std::int64_t last, std::int32_t worker) {
    ParsedIntervals* column = &workers->columns[worker];
    Segment* segment = &segments[first / kBlockRows];
    segment->worker = worker;
    segment->first_row = column->ends.size();
    segment->first_interval = column->flags.size();
    workers->memos[worker].open();
    const Status status =
        parse_rows(texts, durations, begin + first, begin + last, &workers->memos[worker], column);
    segment->row_count = last - first;
    segment->interval_count = column->flags.size() - segment->first_interval;
    return status;
  };
  const std::int64_t rows = end - begin;
  const Status parsed = parallel_for(context, rows, kBlockRows, parse);
  if (!parsed.ok()) return parsed;

  const std::int64_t block_count = (rows + kBlockRows - 1) / kBlockRows;
  std::int64_t result_row = out->statuses.size();
  std::int64_t result_interval = out->flags.size();
  for (std::int64_t i = 0; i < block_count; ++i) {
    segments[i].result_row = result_row;
    segments[i].result_interval = result_interval;
    result_row += segments[i].row_count;
    result_interval += segments[i].interval_count;
  }
  if (!out->ends.resize(out->ends.size() + rows) || !out->statuses.resize(result_row) ||
      !out->values.resize(2 * result_interval) || !out->flags.resize(result_interval) ||
      !out->spans.resize(2 * result_interval)) {
    return Status::out_of_memory();
  }
  auto copy = [&](std::int64_t first, std::int64_t, std::int32_t) {
    const Segment& segment = segments[first / kBlockRows];
    copy_segment(workers->columns[segment.worker], segment, out);
    return Status();
  };
  return parallel_for(context, rows, kBlockRows, copy);
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
      const Status status = parse_rows(texts, durations, begin, end, &memo, out);
      if (!status.ok()) return status;
    }
    return Status();
  }
  Workers workers(threads);
  if (workers.columns == nullptr || workers.memos == nullptr) return Status::out_of_memory();
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
