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
  std::free(exact);
  return 0;
}
