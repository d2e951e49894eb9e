// Any bytes as an answer and as option texts: what holds for every row must hold here.
// Input: first byte the number of options (its low bits) and whether they have texts, second byte
// the length of the option texts (cut into equal parts), then option texts, then the answer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fastvbench/answer_status.h"
#include "fastvbench/choices.h"

namespace {

using fastvbench::AnswerStatus;
using fastvbench::ChoiceColumn;
using fastvbench::ChoiceOptions;
using fastvbench::TextColumn;
using fastvbench::TextView;

struct Row {
  std::int8_t index = 100;
  std::uint8_t status = 100;
  std::int64_t spans[2] = {-7, -7};

  ChoiceColumn column() { return {&index, &status, spans}; }
  bool operator==(const Row& other) const {
    return index == other.index && status == other.status && spans[0] == other.spans[0] &&
           spans[1] == other.spans[1];
  }
};

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_choice_status(AnswerStatus status) {
  return static_cast<int>(status) <= static_cast<int>(AnswerStatus::kNotAnOption);
}

void check_row(const Row& row, std::int64_t count, std::int64_t size) {
  const auto status = static_cast<AnswerStatus>(row.status);
  require(is_choice_status(status) && status != AnswerStatus::kMissing);
  require((status == AnswerStatus::kOk) == (row.index >= 0));
  require(row.index < count);
  if (row.spans[0] < 0) {
    require(row.spans[0] == -1 && row.spans[1] == -1 && status != AnswerStatus::kOk);
  } else {
    require(row.spans[0] < row.spans[1] && row.spans[1] <= size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::int64_t count = 1 + data[0] % fastvbench::kMostOptions;
  const char* bytes = reinterpret_cast<const char*>(data) + 2;
  std::int64_t left = static_cast<std::int64_t>(size) - 2;
  const std::int64_t option_bytes = data[1] < left ? data[1] : left;
  TextView views[fastvbench::kMostOptions];
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t begin = option_bytes * k / count;
    views[k] = {bytes + begin, option_bytes * (k + 1) / count - begin};
  }
  bytes += option_bytes;
  left -= option_bytes;
  const TextView text{bytes, left};
  const TextColumn texts = TextColumn::of(&text, 1);
  const TextColumn option_texts = TextColumn::of(views, count);
  fastvbench::RunContext context;
  context.threads = 1;

  ChoiceOptions letters;
  letters.uniform_count = count;
  Row by_letters;
  require(parse_choice(texts, letters, context, by_letters.column()).ok());
  check_row(by_letters, count, left);

  ChoiceOptions shared;
  shared.texts = &option_texts;
  Row by_texts;
  require(parse_choice(texts, shared, context, by_texts.column()).ok());
  check_row(by_texts, count, left);

  const std::int64_t offsets[2] = {0, count};
  ChoiceOptions own = shared;
  own.text_offsets = offsets;
  Row by_own;
  require(parse_choice(texts, own, context, by_own.column()).ok());
  require(by_own == by_texts);

  Row first_pass;
  std::uint8_t needs_texts = 7;
  require(parse_choice_letters(texts, letters, context, first_pass.column(), &needs_texts).ok());
  require(first_pass == by_letters && needs_texts <= 1);
  require(needs_texts == 1 || by_texts == by_letters);
  return 0;
}
