// Fuzz target of parse_timestamps: any bytes, read with and without a duration, alone and as a
// column. The first byte chooses the duration; the rest is the text.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fastvbench/timestamps.h"

namespace {

using namespace fastvbench;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "invariant broken: %s\n", what);
  std::abort();
}

double duration_of(std::uint8_t byte) {
  switch (byte % 4) {
    case 0:
      return std::nan("");
    case 1:
      return 0.5 + byte;
    case 2:
      return 3600.0 + byte / 8.0;
    default:
      return byte < 128 ? 1e-3 : 1e9;
  }
}

void check(const ParsedIntervals& out, std::int64_t text_size, double duration) {
  const std::int64_t count = out.flags.size();
  require(out.statuses.size() == out.ends.size(), "one status per row");
  require(out.values.size() == 2 * count && out.spans.size() == 2 * count, "column sizes agree");
  require(out.ends[out.ends.size() - 1] == count, "the last row owns the last interval");
  std::int64_t first = 0;
  for (std::int64_t row = 0; row < out.ends.size(); ++row) {
    require(out.ends[row] >= first, "ends ascend");
    const bool ok = out.statuses[row] == static_cast<std::uint8_t>(AnswerStatus::kOk);
    require(ok == (out.ends[row] > first), "ok means intervals");
    require(out.statuses[row] <= static_cast<std::uint8_t>(AnswerStatus::kNotFinite), "status");
    first = out.ends[row];
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const double start = out.values[2 * k];
    const double end = out.values[2 * k + 1];
    require(std::isfinite(start) && std::isfinite(end), "finite");
    require(start >= 0.0 && start <= end, "ordered, from 0");
    require(!std::signbit(start) && !std::signbit(end), "no negative zero");
    if (!std::isnan(duration)) require(end <= duration, "inside the video");
    require(((out.flags[k] & kFlagZeroLength) != 0) == (start == end), "zero length is flagged");
    const std::int64_t begin = out.spans[2 * k];
    const std::int64_t until = out.spans[2 * k + 1];
    require(begin >= 0 && begin < until && until <= text_size, "span inside the text");
  }
}

/// A column of texts that differ in their digits alone equals the same texts read one by one.
void check_siblings(const char* text, std::int64_t text_size, double duration) {
  constexpr int kRows = 160;
  constexpr int kSiblings = 10;
  if (text_size > 256) return;
  const std::size_t bytes = text_size > 0 ? static_cast<std::size_t>(text_size) : 1;
  char* siblings[kSiblings];
  for (int k = 0; k < kSiblings; ++k) {
    siblings[k] = static_cast<char*>(std::malloc(bytes));
    for (std::int64_t i = 0; i < text_size; ++i) {
      const bool digit = text[i] >= '0' && text[i] <= '9';
      siblings[k][i] =
          digit ? static_cast<char>('0' + (text[i] - '0' + k * (i + 3)) % 10) : text[i];
    }
  }
  TextView views[kRows];
  double durations[kRows];
  for (int row = 0; row < kRows; ++row) {
    views[row] = {siblings[row % kSiblings], text_size};
    durations[row] = duration_of(static_cast<std::uint8_t>(row / kSiblings * 17));
    if (row % 3 == 0) durations[row] = duration;
  }
  RunContext context;
  context.threads = 1;
  ParsedIntervals column;
  require(parse_timestamps(TextColumn::of(views, kRows), durations, context, &column).ok(),
          "parses");
  std::int64_t first = 0;
  for (int row = 0; row < kRows; ++row) {
    ParsedIntervals one;
    require(parse_timestamps(TextColumn::of(views + row, 1), durations + row, context, &one).ok(),
            "parses");
    const std::int64_t count = one.flags.size();
    require(column.ends[row] - first == count, "siblings: the same count");
    require(column.statuses[row] == one.statuses[0], "siblings: the same status");
    const std::size_t many = static_cast<std::size_t>(count);
    if (count > 0) {
      require(std::memcmp(column.values.data() + 2 * first, one.values.data(),
                          2 * many * sizeof(double)) == 0,
              "siblings: the same values");
      require(std::memcmp(column.spans.data() + 2 * first, one.spans.data(),
                          2 * many * sizeof(std::int64_t)) == 0,
              "siblings: the same spans");
      require(std::memcmp(column.flags.data() + first, one.flags.data(),
                          many * sizeof(std::uint16_t)) == 0,
              "siblings: the same flags");
    }
    first += count;
  }
  for (char* sibling : siblings) std::free(sibling);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const double duration = duration_of(data[0]);
  const std::int64_t text_size = static_cast<std::int64_t>(size) - 1;
  // A copy of exactly the text's size, so that a read beyond it is seen.
  char* text = static_cast<char*>(std::malloc(size));
  std::memcpy(text, data + 1, size - 1);
  char* exact = static_cast<char*>(std::realloc(text, size - 1 > 0 ? size - 1 : 1));
  const TextView views[3] = {{exact, text_size}, {nullptr, -1}, {exact, text_size}};
  const double durations[3] = {duration, duration, duration};
  RunContext context;
  context.threads = 1;

  ParsedIntervals one;
  require(parse_timestamps(TextColumn::of(views, 1), durations, context, &one).ok(), "parses");
  check(one, text_size, duration);
  ParsedIntervals three;
  require(parse_timestamps(TextColumn::of(views, 3), durations, context, &three).ok(), "parses");
  check(three, text_size, duration);
  const std::int64_t each = one.flags.size();
  require(three.flags.size() == 2 * each, "the same text gives the same intervals");
  require(three.statuses[0] == one.statuses[0] && three.statuses[2] == one.statuses[0], "status");
  if (each > 0) {
    const std::size_t bytes = static_cast<std::size_t>(2 * each) * sizeof(double);
    require(std::memcmp(one.values.data(), three.values.data() + 2 * each, bytes) == 0, "values");
  }
  check_siblings(exact, text_size, duration);
  std::free(exact);
  return 0;
}
