// parse_timestamps without Python: columns over threads, spans, extremes, exact numbers.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"
#include "fastvbench/timestamps.h"
#include "parse/number.h"
#include "parse/refusals.h"
#include "parse/thinking.h"
#include "parse/timestamp_words.h"

namespace {

using namespace fastvbench;

struct Row {
  std::vector<double> values;
  AnswerStatus status;
  std::vector<int> flags;
  std::vector<std::int64_t> spans;
};

// The bytes are copied to memory of exactly their size, so that a sanitizer sees a read beyond
// them.
Row parse_one(const std::string& text, double duration = std::nan("")) {
  std::vector<char> bytes(text.begin(), text.end());
  bytes.shrink_to_fit();
  const TextView view{bytes.data(), static_cast<std::int64_t>(bytes.size())};
  RunContext context;
  context.threads = 1;
  ParsedIntervals out;
  CHECK(parse_timestamps(TextColumn::of(&view, 1), &duration, context, &out).ok());
  CHECK(out.statuses.size() == 1 && out.ends.size() == 1);
  Row row;
  row.status = static_cast<AnswerStatus>(out.statuses[0]);
  row.values.assign(out.values.data(), out.values.data() + out.values.size());
  row.flags.assign(out.flags.data(), out.flags.data() + out.flags.size());
  row.spans.assign(out.spans.data(), out.spans.data() + out.spans.size());
  return row;
}

void check_readings() {
  const Row plain = parse_one("From 24.3 to 30.4 seconds.");
  CHECK(plain.status == AnswerStatus::kOk);
  CHECK((plain.values == std::vector<double>{24.3, 30.4}));
  CHECK((plain.spans == std::vector<std::int64_t>{5, 25}));
  const Row clocks = parse_one("1:02:03.5 - 01:05", 3600.0);
  CHECK((clocks.values == std::vector<double>{65.0, 3600.0}));
  CHECK(clocks.flags[0] == (kFlagSwapped | kFlagClampedEnd | kFlagFromClock));
  CHECK(parse_one("20% to 40%").status == AnswerStatus::kNoDuration);
  CHECK((parse_one("20% to 40%", 50.0).values == std::vector<double>{10.0, 20.0}));
  CHECK(parse_one("5 to 1e400").status == AnswerStatus::kNotFinite);
  CHECK(parse_one("12 to 15", 5.0).status == AnswerStatus::kOutOfRange);
  CHECK(parse_one("at 5 s").status == AnswerStatus::kOneNumber);
  CHECK(parse_one("no event").status == AnswerStatus::kNoNumber);
  CHECK(parse_one("I can't tell.").status == AnswerStatus::kRefused);
  CHECK(parse_one("<think>5 to 9").status == AnswerStatus::kTruncated);
  CHECK(parse_one(" \n").status == AnswerStatus::kEmpty);
  const Row behind = parse_one("<think>5 to 9</think>1 to 2");
  CHECK((behind.values == std::vector<double>{1.0, 2.0}));
  CHECK((behind.spans == std::vector<std::int64_t>{21, 27}));
}

// Every prefix and every suffix of texts that use all tokens, also cut within characters.
void check_cut_texts() {
  const char* const texts[] = {
      "```json\n[{\"start_time\": \"00:12,5\", \"end\": 20.3e0, \"score\": 0.9}]\n```",
      "第１２秒到２０秒之间，整个视频 1′05″ – 1′30″。答案：5．5〜9秒",
      "<answer>between 1 min and 12 s and 1,000.5 s</answer> the 12th second o’clock a.m.",
      "| 1 | 0:05 | 0:09 |\n- from -3 to the end at 9, 95% confident; 2023-05-12 1/2 S01E02",
      "I’m unable to determine, désolé, \\nstarts at 5. - 9 => 12 --> 15 <|time_end|>",
      "à 9 x\xff\xe2\x80",
  };
  for (const char* text : texts) {
    const std::string whole = text;
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
      for (const double duration : {std::nan(""), 10.0}) {
        parse_one(whole.substr(0, cut), duration);
        parse_one(whole.substr(cut), duration);
      }
    }
  }
}

void check_threads() {
  std::vector<std::string> texts;
  for (int i = 0; i < 20000; ++i) {
    texts.push_back("from " + std::to_string(i % 91) + " to " + std::to_string(i % 83) + " s");
    if (i % 5 == 0) texts.back() += ", 1 to 2; 3 to 4";
    if (i % 7 == 0) texts.back() = "nothing";
  }
  std::vector<TextView> views;
  for (const std::string& text : texts) {
    views.push_back({text.data(), static_cast<std::int64_t>(text.size())});
  }
  views[12] = TextView();  // no text
  const TextColumn column = TextColumn::of(views.data(), static_cast<std::int64_t>(views.size()));
  RunContext context;
  context.threads = 1;
  ParsedIntervals wanted;
  CHECK(parse_timestamps(column, nullptr, context, &wanted).ok());
  CHECK(wanted.statuses[12] == static_cast<std::uint8_t>(AnswerStatus::kMissing));
  for (const int threads : {2, 3, 8}) {
    context.threads = threads;
    ParsedIntervals out;
    CHECK(parse_timestamps(column, nullptr, context, &out).ok());
    CHECK(parse_timestamps(column, nullptr, context, &out).ok());  // appends
    CHECK(out.statuses.size() == 2 * wanted.statuses.size());
    CHECK(out.flags.size() == 2 * wanted.flags.size());
    for (std::int64_t row = 0; row < wanted.ends.size(); ++row) {
      CHECK(out.ends[row] == wanted.ends[row]);
      CHECK(out.ends[wanted.ends.size() + row] == wanted.flags.size() + wanted.ends[row]);
      CHECK(out.statuses[row] == wanted.statuses[row]);
    }
    for (std::int64_t k = 0; k < wanted.values.size(); ++k) {
      CHECK(out.values[k] == wanted.values[k]);
      CHECK(out.values[wanted.values.size() + k] == wanted.values[k]);
      CHECK(out.spans[k] == wanted.spans[k]);
    }
  }
}

// Blocks with fewer and with more intervals than rows, in every order: threads move them together.
void check_uneven_blocks() {
  const std::string texts[] = {"no event", "5 to 9", "[[1, 2], [3, 4], [5, 6]]",
                               "5 to 9, 12 to 15"};
  constexpr std::int64_t kRows = 70 * 2048 + 13;
  std::vector<TextView> views;
  unsigned random = 1;
  for (std::int64_t row = 0; row < kRows; ++row) {
    if (row % 1024 == 0) random = random * 1103515245u + 12345u;
    const unsigned mode = random >> 16 & 7;  // below 4: a run of one text, else all in turn
    const std::string& text = texts[mode < 4 ? mode : static_cast<unsigned>(row) % mode % 4];
    views.push_back({text.data(), static_cast<std::int64_t>(text.size())});
  }
  const TextColumn column = TextColumn::of(views.data(), kRows);
  ParsedIntervals outs[2];
  for (int k = 0; k < 2; ++k) {
    RunContext context;
    context.threads = k == 0 ? 1 : 4;
    outs[k].ends.push_back(0);  // as callers do who want offsets
    CHECK(parse_timestamps(column, nullptr, context, &outs[k]).ok());
    CHECK(parse_timestamps(column, nullptr, context, &outs[k]).ok());  // appends
  }
  const auto same = [](const auto& one, const auto& other) {
    return one.size() == other.size() &&
           std::memcmp(one.data(), other.data(),
                       static_cast<std::size_t>(one.size()) * sizeof(one[0])) == 0;
  };
  CHECK(outs[0].statuses.size() == 2 * kRows && outs[0].ends.size() == 2 * kRows + 1);
  CHECK(same(outs[0].values, outs[1].values));
  CHECK(same(outs[0].flags, outs[1].flags));
  CHECK(same(outs[0].spans, outs[1].spans));
  CHECK(same(outs[0].ends, outs[1].ends));
  CHECK(same(outs[0].statuses, outs[1].statuses));
}

// Readings are kept by shape: rows of a column equal the same texts read alone.
void check_shapes() {
  const std::string shapes[] = {
      "From 1.1 seconds to 2.2 seconds.",
      "[01:11.5, 01:12.25]",
      "(01:11) 5, 9",  // no pair holds the clock, but 01:75 is none, and its line is prose
      "1111 to 2222",
      "start: 1, end: 2",
      "ends at 5, starts at 3",
      "[[1, 2], [3, 4], [5, 6], [7, 8]]",
      "[[1, 2], [3, 4], [5, 6], [7, 8], [9, 9]]",
      "5 to 9. Answer: 1 to 2",
      "5 to 9. Answer:\n1. the whole video",  // a pair taken back, and an interval that is none
      "| 1 | 5 | 9 |",
      "from the beginning to 5",
      "from 5 to the end",
      "12 to 34.",
      "5-9",
      std::string(60, 'x') + " 5 to 9 " + std::string(60, 'x'),
      std::string(60, 'x') + " 5 to 9 " + std::string(61, 'x'),
  };
  std::vector<std::string> texts;
  std::vector<double> durations;
  for (int k = 0; k < 12; ++k) {
    for (const std::string& shape : shapes) {
      std::string text = shape;
      for (std::size_t i = 0; i < text.size(); ++i) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (digit) text[i] = static_cast<char>('0' + (text[i] - '0' + k * (i + 1)) % 10);
      }
      texts.push_back(text);
      durations.push_back(k % 3 == 0 ? std::nan("") : k % 3 == 1 ? 4.0 : 1500.0);
    }
  }
  std::vector<TextView> views;
  for (const std::string& text : texts) {
    views.push_back({text.data(), static_cast<std::int64_t>(text.size())});
  }
  RunContext context;
  context.threads = 1;
  ParsedIntervals column;
  const std::int64_t rows = static_cast<std::int64_t>(views.size());
  CHECK(parse_timestamps(TextColumn::of(views.data(), rows), durations.data(), context, &column)
            .ok());
  std::int64_t first = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const Row one = parse_one(texts[row], durations[row]);
    const std::int64_t count = static_cast<std::int64_t>(one.flags.size());
    CHECK(column.ends[row] - first == count);
    CHECK(column.statuses[row] == static_cast<std::uint8_t>(one.status));
    for (std::int64_t k = 0; k < count; ++k) {
      CHECK(column.flags[first + k] == one.flags[k]);
      for (std::int64_t side = 2 * k; side < 2 * k + 2; ++side) {
        CHECK(column.values[2 * first + side] == one.values[side]);
        CHECK(column.spans[2 * first + side] == one.spans[side]);
      }
    }
    first += count;
  }
}

void check_stopping() {
  const TextView view{"5 to 9", 6};
  RunContext context;
  context.threads = 1;
  context.poll = [](void*) { return true; };
  ParsedIntervals out;
  CHECK(parse_timestamps(TextColumn::of(&view, 1), nullptr, context, &out).code ==
        Code::kCancelled);
}

double decimal(const std::string& text) {
  parse::DecimalNumber number;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.') {
      number.add_point();
    } else if (text[i] == 'e') {
      number.add_exponent(std::atoll(text.c_str() + i + 1));
      break;
    } else {
      number.add_digit(static_cast<unsigned>(text[i] - '0'));
    }
  }
  return number.value();
}

// strtod rounds right in every C library that this is tested with.
void check_numbers() {
  std::vector<std::string> texts = {"0",
                                    "0.0",
                                    "0e99",
                                    "1e22",
                                    "1e23",
                                    "9007199254740993",
                                    "123456789012345678",
                                    "1234567890123456789",
                                    "1e308",
                                    "1e309",
                                    "4.9e-324",
                                    "2.4e-324",
                                    "2.5e-324",
                                    "1e-400",
                                    "1.7976931348623158e308",
                                    "1.7976931348623159e308"};
  std::string half = "9007199254740993.";  // exactly between two doubles, then just above
  texts.push_back(half + std::string(900, '0'));
  texts.push_back(half + std::string(900, '0') + "1");
  texts.push_back("0." + std::string(400, '0') + "7");
  texts.push_back(std::string(400, '9'));
  texts.push_back("0." + std::string(1200, '3'));
  std::uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::string text = std::to_string(state >> (i % 60));
    if (i % 3 != 0) text.insert(text.size() / 2, text.size() < 2 ? "0." : ".");
    if (i % 4 == 0) text += "e" + std::to_string(static_cast<int>(state % 640) - 320);
    texts.push_back(text);
  }
  for (const std::string& text : texts) {
    const double wanted = std::strtod(text.c_str(), nullptr);
    const double found = decimal(text);
    CHECK(std::memcmp(&wanted, &found, sizeof wanted) == 0);
  }
  parse::DecimalNumber runs;  // runs of digits equal the digits one by one
  runs.add_run(0, 3);
  runs.add_run(12345678901234567u, 17);
  runs.add_point();
  runs.add_run(5, 4);
  CHECK(runs.value() == decimal("12345678901234567.0005"));
}

void check_words() {
  const auto find = [](const char* word) {
    std::uint64_t halves[2] = {0, 0};
    const std::size_t size = std::strlen(word);
    std::memcpy(halves, word, size);
    return size > 8 ? parse::find_long_word(halves[0], halves[1])
                    : parse::find_short_word(halves[0]);
  };
  CHECK(find("seconds").unit == parse::kUnitSecond);
  CHECK(find("beginning").kind == parse::kWordStartPoint);
  CHECK(find("timestamps").key == parse::kKeyTime);
  CHECK(find("people").roles == parse::kRoleCounted);
  CHECK(find("tomato").kind == parse::kWordOther);
  CHECK(find("confidences").kind == parse::kWordOther);
  CHECK(find("tomato").low == 0);
}

}  // namespace

int main() {
  check_readings();
  check_cut_texts();
  check_threads();
  check_uneven_blocks();
  check_shapes();
  check_stopping();
  check_numbers();
  check_words();
  return failure_count() != 0;
}
