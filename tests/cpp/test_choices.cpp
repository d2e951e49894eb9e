// The kernel's contract beyond what texts mean: kinds of options, refusals, bytes that are no
// UTF-8, memory that grows and is reused, threads.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"
#include "fastvbench/answer_status.h"
#include "fastvbench/choices.h"

namespace {

using fastvbench::AnswerStatus;
using fastvbench::ChoiceOptions;
using fastvbench::Code;
using fastvbench::RunContext;
using fastvbench::Status;
using fastvbench::TextColumn;
using fastvbench::TextView;

TextView view(const std::string& text) {
  return {text.data(), static_cast<std::int64_t>(text.size())};
}

struct Results {
  std::vector<std::int8_t> index;
  std::vector<std::uint8_t> status;
  std::vector<std::int64_t> spans;

  explicit Results(std::size_t rows) : index(rows, 77), status(rows, 77), spans(2 * rows, 77) {}
  fastvbench::ChoiceColumn column() { return {index.data(), status.data(), spans.data()}; }
  AnswerStatus status_of(std::size_t row) const { return static_cast<AnswerStatus>(status[row]); }
};

std::vector<TextView> views_of(const std::vector<std::string>& texts) {
  std::vector<TextView> views;
  for (const std::string& text : texts) views.push_back(view(text));
  return views;
}

Results parse(const std::vector<std::string>& texts, const ChoiceOptions& options,
              int threads = 1) {
  const std::vector<TextView> views = views_of(texts);
  const auto rows = static_cast<std::int64_t>(views.size());
  Results results(views.size());
  RunContext context;
  context.threads = threads;
  CHECK(parse_choice(TextColumn::of(views.data(), rows), options, context, results.column()).ok());
  return results;
}

Results parse_letters(const std::string& text, std::int64_t count = 4) {
  ChoiceOptions options;
  options.uniform_count = count;
  return parse({text}, options);
}

void test_letters() {
  CHECK(parse_letters("C").index[0] == 2);
  CHECK(parse_letters("The answer is (b).").index[0] == 1);
  CHECK(parse_letters("A man walks in.").status_of(0) == AnswerStatus::kNoAnswer);
  CHECK(parse_letters("Answer: E").status_of(0) == AnswerStatus::kNotAnOption);
  CHECK(parse_letters("Answer: E", 5).index[0] == 4);
  CHECK(parse_letters("Answer: Z", 26).index[0] == 25);
  CHECK(parse_letters("A or B").status_of(0) == AnswerStatus::kAmbiguous);
  CHECK(parse_letters("").status_of(0) == AnswerStatus::kEmpty);
  CHECK(parse_letters("I'm sorry, I cannot tell.").status_of(0) == AnswerStatus::kRefused);
  CHECK(parse_letters("<think>A").status_of(0) == AnswerStatus::kTruncated);
}

void test_spans() {
  const Results results = parse_letters("<think>B?</think> 答案是C。");
  CHECK(results.index[0] == 2);
  CHECK(results.spans[0] == 27 && results.spans[1] == 28);
  const Results none = parse_letters("Hello");
  CHECK(none.index[0] == -1 && none.spans[0] == -1 && none.spans[1] == -1);
}

void test_missing_text() {
  const TextView views[2] = {{}, {"D", 1}};
  ChoiceOptions options;
  options.uniform_count = 4;
  Results results(2);
  CHECK(parse_choice(TextColumn::of(views, 2), options, RunContext(), results.column()).ok());
  CHECK(results.status_of(0) == AnswerStatus::kMissing && results.index[0] == -1);
  CHECK(results.index[1] == 3);
}

void test_option_kinds() {
  const std::int32_t counts[2] = {4, 5};
  ChoiceOptions options;
  options.counts = counts;
  Results results = parse({"E", "E"}, options);
  CHECK(results.status_of(0) == AnswerStatus::kNotAnOption);
  CHECK(results.index[1] == 4);

  const std::vector<std::string> shared = {"red", "red car", "3"};
  const std::vector<TextView> shared_views = views_of(shared);
  const TextColumn shared_column = TextColumn::of(shared_views.data(), 3);
  options = ChoiceOptions();
  options.texts = &shared_column;
  results = parse({"a RED  **car**", "It is red.", "there are 3", "3 or 4", "D"}, options);
  CHECK(results.index[0] == 1);
  CHECK(results.index[1] == 0);
  CHECK(results.index[2] == 2);
  CHECK(results.status_of(3) == AnswerStatus::kNoAnswer);
  CHECK(results.status_of(4) == AnswerStatus::kNotAnOption);

  const std::vector<std::string> own = {"cat", "dog", "dog", "cat", "cow"};
  const std::vector<TextView> own_views = views_of(own);
  const TextColumn own_column = TextColumn::of(own_views.data(), 5);
  const std::int64_t offsets[3] = {0, 2, 5};
  options.texts = &own_column;
  options.text_offsets = offsets;
  results = parse({"the cat", "the cat"}, options);
  CHECK(results.index[0] == 0);
  CHECK(results.index[1] == 1);
}

void test_two_passes() {
  const std::vector<std::string> rows = {"C", "the cat", "C. cow"};
  const std::vector<TextView> views = views_of(rows);
  ChoiceOptions options;
  options.uniform_count = 4;
  Results results(3);
  std::uint8_t needs_texts[3] = {9, 9, 9};
  CHECK(parse_choice_letters(TextColumn::of(views.data(), 3), options, RunContext(),
                             results.column(), needs_texts)
            .ok());
  CHECK(needs_texts[0] == 0 && results.index[0] == 2);
  CHECK(needs_texts[1] == 1);
  CHECK(needs_texts[2] == 1 && results.index[2] == 2);
}

void test_refused_counts() {
  const std::vector<std::string> rows = {"A", "A", "A"};
  const std::vector<TextView> views = views_of(rows);
  const TextColumn texts = TextColumn::of(views.data(), 3);
  for (const std::int32_t wrong : {0, 27, -1}) {
    const std::int32_t counts[3] = {4, wrong, 4};
    ChoiceOptions options;
    options.counts = counts;
    Results results(3);
    const Status status = parse_choice(texts, options, RunContext(), results.column());
    CHECK(status.code == Code::kInvalidArgument && status.row == 1 && status.value == wrong);
  }
}

void test_cancel() {
  const std::vector<TextView> views(100000, TextView{"A", 1});
  ChoiceOptions options;
  options.uniform_count = 4;
  RunContext context;
  context.poll = [](void*) { return true; };
  Results results(views.size());
  const Status status =
      parse_choice(TextColumn::of(views.data(), 100000), options, context, results.column());
  CHECK(status.code == Code::kCancelled);
}

// Every byte string is read without touching what lies outside it.
void test_broken_bytes() {
  const char* texts[] = {
      "\xff",         "\xe3\x81",         "C\xc3",    "\xf0\x9f\x98", "Answer: C\xe2\x80",
      "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\xaf", "<\xe2",        "\\b\xef"};
  for (const char* text : texts) {
    const std::size_t size = std::strlen(text);
    std::vector<char> exact(text, text + size);  // a sanitizer sees one byte too many
    const TextView one{exact.data(), static_cast<std::int64_t>(size)};
    ChoiceOptions options;
    options.texts = nullptr;
    options.uniform_count = 4;
    Results results(1);
    CHECK(parse_choice(TextColumn::of(&one, 1), options, RunContext(), results.column()).ok());
    const TextColumn same = TextColumn::of(&one, 1);
    options.texts = &same;
    CHECK(parse_choice(TextColumn::of(&one, 1), options, RunContext(), results.column()).ok());
  }
  CHECK(parse_letters(std::string("Answer: C\xe2\x80")).index[0] == 2);
  CHECK(parse_letters(std::string("A\0B", 3)).status_of(0) == AnswerStatus::kAmbiguous);
}

// Rows of all sizes share memory; threads and blocks don't change a result.
void test_many_rows() {
  std::vector<std::string> texts;
  std::vector<std::string> options_text;
  std::vector<std::int64_t> offsets = {0};
  for (int row = 0; row < 5000; ++row) {
    const std::string filler(static_cast<std::size_t>(row % 97 == 0 ? 20000 : row % 50), 'x');
    switch (row % 4) {
      case 0:
        texts.push_back("B");
        break;
      case 1:
        texts.push_back(filler + " word number " + std::to_string(row));
        break;
      case 2:
        texts.push_back(filler + "\nAnswer: C");
        break;
      default:
        texts.push_back("I saw it. " + filler + " It was a tall tree");
        break;
    }
    options_text.push_back("tree");
    options_text.push_back(row % 3 == 0 ? "a tall tree" : filler + " y");
    options_text.push_back(std::to_string(row));
    offsets.push_back(static_cast<std::int64_t>(options_text.size()));
  }
  const std::vector<TextView> views = views_of(options_text);
  const TextColumn column = TextColumn::of(views.data(), static_cast<std::int64_t>(views.size()));
  ChoiceOptions options;
  options.texts = &column;
  options.text_offsets = offsets.data();
  const Results alone = parse(texts, options, 1);
  const Results together = parse(texts, options, 3);
  CHECK(alone.index == together.index && alone.status == together.status);
  CHECK(alone.spans == together.spans);
  for (std::size_t row = 0; row < texts.size(); ++row) {
    const int expected = row % 4 == 3 ? (row % 3 == 0 ? 1 : 0) : row % 4 == 0 ? 1 : 2;
    CHECK(alone.index[row] == expected);
  }
}

// 10 MB of anything takes time that grows with its length only.
void test_long_texts() {
  const char* pieces[] = {
      "(",        "A",    "A ", "A, ", "1",    "1 ",     "{\"a\":", "Answer ",        "**",
      "\\",       "<",    "\"", "\n",  "C.\n", "a a a ", "选",      "the answer is ", "i can ",
      "<answer>", "red ", "'",  "-"};
  const std::string periodic = "a a a a a a a a a a a a a a a a a a a a a a a a a b";
  const std::vector<std::string> option_strings = {"red car", periodic, "1", "a a a"};
  const std::vector<TextView> option_views = views_of(option_strings);
  const TextColumn option_texts = TextColumn::of(option_views.data(), 4);
  for (const char* piece : pieces) {
    std::string text;
    text.reserve(2100000);
    while (text.size() < 2000000) text += piece;
    ChoiceOptions options;
    options.texts = &option_texts;
    const Results results = parse({text}, options);
    CHECK(results.status[0] <= static_cast<std::uint8_t>(AnswerStatus::kNotAnOption));
  }
}

}  // namespace

int main() {
  test_letters();
  test_spans();
  test_missing_text();
  test_option_kinds();
  test_two_passes();
  test_refused_counts();
  test_cancel();
  test_broken_bytes();
  test_many_rows();
  test_long_texts();
  return failure_count() != 0;
}
