// Any bytes as an answer: what holds for every row must hold here.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "fastvbench/answer_status.h"
#include "fastvbench/short_answers.h"

namespace {

using fastvbench::AnswerStatus;
using fastvbench::AnswerTextForm;
using fastvbench::TextColumn;
using fastvbench::TextView;

void require(bool holds) {
  if (!holds) std::abort();
}

// -1 and -1, or a part of the text that holds something.
void check_span(const std::int64_t* span, std::int64_t size) {
  if (span[0] < 0) {
    require(span[0] == -1 && span[1] == -1);
  } else {
    require(span[0] < span[1] && span[1] <= size);
  }
}

std::vector<char> written(TextView text, const std::int64_t* span, AnswerTextForm form) {
  fastvbench::RunContext context;
  context.threads = 1;
  const std::int64_t begin = 0;
  std::int64_t size = -7;
  std::vector<char> bytes(static_cast<std::size_t>(fastvbench::answer_text_room(text.size)));
  require(
      write_answer_texts(TextColumn::of(&text, 1), span, form, context, &begin, bytes.data(), &size)
          .ok());
  require(size >= -1 && size <= static_cast<std::int64_t>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(size < 0 ? 0 : size));
  return bytes;
}

struct Numbers {
  double value = -7;
  double scale = -7;
  std::uint8_t percent = 7;
  double year = -7;
  std::uint8_t several = 7;
};

Numbers numbers_of(TextView text, const std::int64_t* span) {
  fastvbench::RunContext context;
  context.threads = 1;
  Numbers numbers;
  require(read_answer_numbers(
              TextColumn::of(&text, 1), span, context,
              {&numbers.value, &numbers.scale, &numbers.percent, &numbers.year, &numbers.several})
              .ok());
  require(std::isnan(numbers.value) || std::isfinite(numbers.value));
  require(std::isnan(numbers.year) || (numbers.year >= 1800 && numbers.year <= 2099));
  require(numbers.scale >= 1 && numbers.percent <= 1 && numbers.several <= 1);
  require(numbers.several == 0 || std::isnan(numbers.value));
  return numbers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const TextView text{reinterpret_cast<const char*>(data), static_cast<std::int64_t>(size)};
  fastvbench::RunContext context;
  context.threads = 1;
  std::uint8_t status = 77;
  std::int64_t span[2] = {-7, -7};
  std::int64_t whole[2] = {-7, -7};
  require(read_short_answers(TextColumn::of(&text, 1), context, {&status, span, whole}).ok());
  require(status <= static_cast<std::uint8_t>(AnswerStatus::kNoAnswer));
  check_span(span, text.size);
  check_span(whole, text.size);
  if (status == static_cast<std::uint8_t>(AnswerStatus::kOk)) {
    require(span[0] >= 0 && whole[0] >= 0);
  }

  // A part is read as the same bytes alone are.
  for (const std::int64_t* part : {span, whole}) {
    if (part[0] < 0) continue;
    const TextView alone{text.data + part[0], part[1] - part[0]};
    for (const AnswerTextForm form : {AnswerTextForm::kPlain, AnswerTextForm::kCareful}) {
      require(written(text, part, form) == written(alone, nullptr, form));
    }
    const Numbers inside = numbers_of(text, part);
    const Numbers outside = numbers_of(alone, nullptr);
    require(std::memcmp(&inside.value, &outside.value, sizeof(double)) == 0);
  }
  numbers_of(text, nullptr);
  // What is compared stays as it is when it is read again.
  const std::vector<char> careful = written(text, nullptr, AnswerTextForm::kCareful);
  const TextView again{careful.data(), static_cast<std::int64_t>(careful.size())};
  require(written(again, nullptr, AnswerTextForm::kPlain).size() <= careful.size());
  return 0;
}
