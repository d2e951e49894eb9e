// The kernels' contract beyond what texts mean: spans that are refused, bytes that are no UTF-8,
// memory that is reused, threads, time that grows with length only.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"
#include "fastvbench/answer_status.h"
#include "fastvbench/short_answers.h"

namespace {

using fastvbench::AnswerStatus;
using fastvbench::AnswerTextForm;
using fastvbench::Code;
using fastvbench::RunContext;
using fastvbench::Status;
using fastvbench::TextColumn;
using fastvbench::TextView;

std::vector<TextView> views_of(const std::vector<std::string>& texts) {
  std::vector<TextView> views;
  for (const std::string& text : texts) {
    views.push_back({text.data(), static_cast<std::int64_t>(text.size())});
  }
  return views;
}

TextColumn column_of(const std::vector<TextView>& views) {
  return TextColumn::of(views.data(), static_cast<std::int64_t>(views.size()));
}

struct Answers {
  std::vector<std::uint8_t> status;
  std::vector<std::int64_t> spans;
  std::vector<std::int64_t> wholes;

  AnswerStatus status_of(std::size_t row) const { return static_cast<AnswerStatus>(status[row]); }
};

Answers read(const std::vector<TextView>& views, int threads = 1) {
  Answers answers{std::vector<std::uint8_t>(views.size(), 77),
                  std::vector<std::int64_t>(2 * views.size(), 77),
                  std::vector<std::int64_t>(2 * views.size(), 77)};
  RunContext context;
  context.threads = threads;
  CHECK(read_short_answers(column_of(views), context,
                           {answers.status.data(), answers.spans.data(), answers.wholes.data()})
            .ok());
  return answers;
}

std::string answer_of(const std::string& text) {
  const std::vector<std::string> texts = {text};
  const Answers answers = read(views_of(texts));
  if (answers.status_of(0) != AnswerStatus::kOk) return "";
  return text.substr(static_cast<std::size_t>(answers.spans[0]),
                     static_cast<std::size_t>(answers.spans[1] - answers.spans[0]));
}

struct Numbers {
  std::vector<double> values;
  std::vector<double> scales;
  std::vector<std::uint8_t> percents;
  std::vector<double> years;
  std::vector<std::uint8_t> several;

  explicit Numbers(std::size_t rows)
      : values(rows, 7), scales(rows, 7), percents(rows, 7), years(rows, 7), several(rows, 7) {}
  fastvbench::AnswerNumberColumn column() {
    return {values.data(), scales.data(), percents.data(), years.data(), several.data()};
  }
};

Status write(const std::vector<TextView>& views, const std::int64_t* spans, AnswerTextForm form,
             std::vector<std::string>* texts) {
  std::vector<std::int64_t> begins;
  std::int64_t room = 0;
  for (const TextView& view : views) {
    begins.push_back(room);
    room += fastvbench::answer_text_room(view.size);
  }
  std::vector<char> bytes(static_cast<std::size_t>(room) + 1, '!');
  std::vector<std::int64_t> sizes(views.size(), 77);
  const Status status = write_answer_texts(column_of(views), spans, form, RunContext(),
                                           begins.data(), bytes.data(), sizes.data());
  CHECK(bytes.back() == '!');
  texts->clear();
  for (std::size_t row = 0; status.ok() && row < views.size(); ++row) {
    texts->push_back(sizes[row] < 0 ? "(none)"
                                    : std::string(bytes.data() + begins[row],
                                                  static_cast<std::size_t>(sizes[row])));
  }
  return status;
}

void test_answers() {
  CHECK(answer_of("The answer is 42.") == "42");
  CHECK(answer_of("<think>3?</think> **Answer:** \"Annual Report\"") == "Annual Report");
  CHECK(answer_of("Yes, it is.") == "Yes");
  const std::vector<std::string> texts = {"", "I cannot tell.", "<think>5", "...", "x"};
  std::vector<TextView> rows = views_of(texts);
  rows.push_back({});
  const Answers answers = read(rows);
  CHECK(answers.status_of(0) == AnswerStatus::kEmpty);
  CHECK(answers.status_of(1) == AnswerStatus::kRefused);
  CHECK(answers.status_of(2) == AnswerStatus::kTruncated);
  CHECK(answers.status_of(3) == AnswerStatus::kNoAnswer && answers.spans[6] == -1);
  CHECK(answers.status_of(4) == AnswerStatus::kOk && answers.wholes[9] == 1);
  CHECK(answers.status_of(5) == AnswerStatus::kMissing && answers.wholes[10] == -1);
}

void test_numbers() {
  const std::vector<std::string> texts = {"$1,234.50", "45 %", "in 2015: 4.2 million", "1 or 2",
                                          "x"};
  Numbers numbers(texts.size());
  CHECK(read_answer_numbers(column_of(views_of(texts)), nullptr, RunContext(), numbers.column())
            .ok());
  CHECK(numbers.values[0] == 1234.5 && numbers.percents[0] == 0);
  CHECK(numbers.values[1] == 45.0 && numbers.percents[1] == 1);
  CHECK(numbers.values[2] == 4.2 && numbers.scales[2] == 1e6 && numbers.years[2] == 2015.0);
  CHECK(std::isnan(numbers.values[3]) && numbers.several[3] == 1);
  CHECK(std::isnan(numbers.values[4]) && numbers.several[4] == 0);
}

void test_texts() {
  const std::vector<std::string> texts = {"**The**  Red\nCar", "one", "the"};
  std::vector<std::string> written;
  CHECK(write(views_of(texts), nullptr, AnswerTextForm::kPlain, &written).ok());
  CHECK(written == (std::vector<std::string>{"The Red Car", "one", "the"}));
  CHECK(write(views_of(texts), nullptr, AnswerTextForm::kCareful, &written).ok());
  CHECK(written == (std::vector<std::string>{"red car", "1", "the"}));
  const std::int64_t spans[6] = {9, 12, -1, -1, 1, 1};
  CHECK(write(views_of(texts), spans, AnswerTextForm::kCareful, &written).ok());
  CHECK(written == (std::vector<std::string>{"red", "(none)", ""}));
}

void test_refused_spans() {
  const std::vector<std::string> texts = {"abc", "abc", "abc"};
  const std::int64_t wrong[][2] = {{-1, 2}, {0, 4}, {2, 1}, {-2, -1}};
  for (const auto& span : wrong) {
    const std::int64_t spans[6] = {0, 3, span[0], span[1], 0, 3};
    Numbers numbers(3);
    const Status status =
        read_answer_numbers(column_of(views_of(texts)), spans, RunContext(), numbers.column());
    CHECK(status.code == Code::kInvalidArgument && status.row == 1);
    std::vector<std::string> written;
    CHECK(write(views_of(texts), spans, AnswerTextForm::kPlain, &written).row == 1);
  }
}

void test_cancel() {
  const std::vector<TextView> views(100000, TextView{"A", 1});
  RunContext context;
  context.poll = [](void*) { return true; };
  std::vector<std::uint8_t> status(views.size());
  std::vector<std::int64_t> spans(2 * views.size());
  CHECK(read_short_answers(column_of(views), context, {status.data(), spans.data(), spans.data()})
            .code == Code::kCancelled);
}

// Every byte string is read without touching what lies outside it.
void test_broken_bytes() {
  const char* texts[] = {"\xff",
                         "\xe3\x81",
                         "5\xc3",
                         "\xf0\x9f\x98",
                         "Answer: 5\xe2\x80",
                         "\xed\xa0\x80",
                         "\xf4\x90\x80\x80",
                         "\xc0\xaf",
                         "1,\xe2",
                         "1\xc2",
                         "\\frac{1}{",
                         "5e",
                         "1.",
                         "10^{",
                         "5 per ",
                         "\\boxed{"};
  for (const char* text : texts) {
    const std::size_t size = std::strlen(text);
    std::vector<char> exact(text, text + size);  // a sanitizer sees one byte too many
    const std::vector<TextView> views = {{exact.data(), static_cast<std::int64_t>(size)}};
    (void)read(views);
    Numbers numbers(1);
    CHECK(read_answer_numbers(column_of(views), nullptr, RunContext(), numbers.column()).ok());
    std::vector<std::string> written;
    CHECK(write(views, nullptr, AnswerTextForm::kPlain, &written).ok());
    CHECK(write(views, nullptr, AnswerTextForm::kCareful, &written).ok());
  }
}

// Rows of all sizes share memory; threads and blocks don't change a result.
void test_many_rows() {
  std::vector<std::string> texts;
  for (int row = 0; row < 5000; ++row) {
    const std::string filler(static_cast<std::size_t>(row % 97 == 0 ? 20000 : row % 50), 'x');
    texts.push_back(filler + " word. The answer is " + std::to_string(row) + ".");
  }
  const std::vector<TextView> views = views_of(texts);
  const Answers alone = read(views, 1);
  const Answers together = read(views, 3);
  CHECK(alone.status == together.status && alone.spans == together.spans);
  CHECK(alone.wholes == together.wholes);
  Numbers numbers(texts.size());
  CHECK(read_answer_numbers(column_of(views), alone.spans.data(), RunContext(), numbers.column())
            .ok());
  for (std::size_t row = 0; row < texts.size(); ++row) {
    CHECK(numbers.values[row] == static_cast<double>(row));
  }
}

// Half a megabyte of anything takes time that grows with its length only.
void test_long_texts() {
  const char* pieces[] = {"(",
                          "[",
                          "{",
                          "\"a",
                          "** a",
                          "**",
                          "`",
                          "$ ",
                          "answer ",
                          "answer: ",
                          "answer is ",
                          "answer a is ",
                          "\\boxed{",
                          "1",
                          "1 ",
                          "1,",
                          "1.",
                          "1 111 ",
                          "1/",
                          "1:",
                          "1e",
                          "one ",
                          "one hundred and ",
                          "a. ",
                          "a.\n",
                          "Dr. ",
                          "\n",
                          "```",
                          "i can ",
                          "x is ",
                          "if ",
                          "not ",
                          "答",
                          "です",
                          "as ",
                          "- ",
                          "#",
                          "\\",
                          "\"",
                          ", which ",
                          "=",
                          ": ",
                          "5 per ",
                          "5 x 10^",
                          "aaaa"};
  for (const char* piece : pieces) {
    std::vector<std::string> texts(1);
    texts[0].reserve(520000);
    while (texts[0].size() < 500000) texts[0] += piece;
    const std::vector<TextView> views = views_of(texts);
    CHECK(read(views).status[0] <= static_cast<std::uint8_t>(AnswerStatus::kNotAnOption));
    Numbers numbers(1);
    CHECK(read_answer_numbers(column_of(views), nullptr, RunContext(), numbers.column()).ok());
    std::vector<std::string> written;
    CHECK(write(views, nullptr, AnswerTextForm::kCareful, &written).ok());
  }
}

}  // namespace

int main() {
  test_answers();
  test_numbers();
  test_texts();
  test_refused_spans();
  test_cancel();
  test_broken_bytes();
  test_many_rows();
  test_long_texts();
  return failure_count() != 0;
}
