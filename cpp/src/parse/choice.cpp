// The kernel: rows over threads, each block with its own reader.
#include "fastvbench/choices.h"

#include "fastvbench/answer_status.h"
#include "fastvbench/parallel.h"
#include "parse/choice_row.h"

namespace fastvbench {
namespace {

constexpr std::int64_t kBlockRows = 1024;

// The options of one row, or a refusal.
Status row_options(const ChoiceOptions& options, std::int64_t row,
                   parse::choice::RowOptions* result) {
  if (options.texts != nullptr) {
    result->texts = options.texts;
    if (options.text_offsets == nullptr) {
      result->count = options.texts->size;
    } else {
      result->first = options.text_offsets[row];
      const std::int64_t end =
          options.text_ends != nullptr ? options.text_ends[row] : options.text_offsets[row + 1];
      result->count = end - result->first;
    }
  } else if (options.counts != nullptr) {
    result->count = options.counts[row];
  } else {
    result->count = options.uniform_count;
  }
  if (result->count < 1 || result->count > kMostOptions) {
    return Status::invalid("expected 1 to 26 options", row, static_cast<double>(result->count));
  }
  return Status();
}

Status parse_rows(const TextColumn& texts, const ChoiceOptions& options, const RunContext& context,
                  ChoiceColumn out, std::uint8_t* needs_texts) {
  const bool shared = options.texts != nullptr && options.text_offsets == nullptr;
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t) -> Status {
    parse::choice::RowReader reader;
    std::int64_t last_first = -1;
    std::int64_t last_count = -1;
    for (std::int64_t row = begin; row < end; ++row) {
      parse::choice::RowOptions row_choice;
      const Status status = row_options(options, row, &row_choice);
      if (!status.ok()) return status;
      row_choice.same_as_before = row > begin && (shared || (options.text_ends != nullptr &&
                                                             row_choice.first == last_first &&
                                                             row_choice.count == last_count));
      last_first = row_choice.first;
      last_count = row_choice.count;
      parse::choice::Parsed parsed;
      bool texts_matter = false;
      if (!reader.parse(texts[row], row_choice, &parsed, &texts_matter)) {
        return Status::out_of_memory();
      }
      out.index[row] = parsed.index;
      out.status[row] = static_cast<std::uint8_t>(parsed.status);
      out.spans[2 * row] = parsed.begin;
      out.spans[2 * row + 1] = parsed.end;
      if (needs_texts != nullptr) needs_texts[row] = texts_matter ? 1 : 0;
    }
    return Status();
  };
  return parallel_for(context, texts.size, kBlockRows, body);
}

}  // namespace

Status parse_choice(const TextColumn& texts, const ChoiceOptions& options,
                    const RunContext& context, ChoiceColumn out) {
  return parse_rows(texts, options, context, out, nullptr);
}

Status parse_choice_letters(const TextColumn& texts, const ChoiceOptions& options,
                            const RunContext& context, ChoiceColumn out,
                            std::uint8_t* needs_texts) {
  ChoiceOptions letters = options;
  letters.texts = nullptr;
  return parse_rows(texts, letters, context, out, needs_texts);
}

}  // namespace fastvbench
