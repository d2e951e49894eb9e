// The kernels: rows over threads, each block with its own reader.
#include "fastvbench/answer_status.h"
#include "fastvbench/parallel.h"
#include "fastvbench/short_answers.h"
#include "parse/short_answer_numbers.h"
#include "parse/short_answer_row.h"
#include "parse/short_answer_text.h"

namespace fastvbench {
namespace {

constexpr std::int64_t kBlockRows = 1024;

// The part of a row that its span gives, size -1 for none; or a refusal.
Status part_of_row(const TextColumn& texts, const std::int64_t* spans, std::int64_t row,
                   TextView* part) {
  *part = texts[row];
  if (spans == nullptr || part->size < 0) return Status();
  const std::int64_t begin = spans[2 * row];
  const std::int64_t end = spans[2 * row + 1];
  if (begin == -1 && end == -1) {
    *part = TextView();
    return Status();
  }
  if (begin < 0 || end < begin || end > part->size) {
    return Status::invalid("expected first byte and end inside the text, or -1 and -1", row,
                           static_cast<double>(begin < 0 || begin > part->size ? begin : end));
  }
  *part = {part->data + begin, end - begin};
  return Status();
}

}  // namespace

Status read_short_answers(const TextColumn& texts, const RunContext& context,
                          ShortAnswerColumn out) {
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t) -> Status {
    parse::ShortAnswerRows rows;
    for (std::int64_t row = begin; row < end; ++row) {
      parse::ShortAnswer answer;
      if (!rows.read(texts[row], &answer)) return Status::out_of_memory();
      out.status[row] = static_cast<std::uint8_t>(answer.status);
      out.spans[2 * row] = answer.span.begin;
      out.spans[2 * row + 1] = answer.span.end;
      out.wholes[2 * row] = answer.whole.begin;
      out.wholes[2 * row + 1] = answer.whole.end;
    }
    return Status();
  };
  return parallel_for(context, texts.size, kBlockRows, body);
}

Status read_answer_numbers(const TextColumn& texts, const std::int64_t* spans,
                           const RunContext& context, AnswerNumberColumn out) {
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t) -> Status {
    parse::AnswerNumberReader reader;
    for (std::int64_t row = begin; row < end; ++row) {
      TextView part;
      const Status status = part_of_row(texts, spans, row, &part);
      if (!status.ok()) return status;
      parse::AnswerNumbers numbers;
      if (!reader.read(part, &numbers)) return Status::out_of_memory();
      out.values[row] = numbers.value;
      out.scales[row] = numbers.scale;
      out.percents[row] = numbers.percent ? 1 : 0;
      out.years[row] = numbers.year;
      out.several[row] = numbers.several ? 1 : 0;
    }
    return Status();
  };
  return parallel_for(context, texts.size, kBlockRows, body);
}

Status write_answer_texts(const TextColumn& texts, const std::int64_t* spans, AnswerTextForm form,
                          const RunContext& context, const std::int64_t* begins, char* bytes,
                          std::int64_t* sizes) {
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t) -> Status {
    parse::AnswerTextWriter writer;
    for (std::int64_t row = begin; row < end; ++row) {
      TextView part;
      const Status status = part_of_row(texts, spans, row, &part);
      if (!status.ok()) return status;
      sizes[row] = -1;
      if (part.size < 0) continue;
      if (!writer.write(part, form, bytes + begins[row], sizes + row)) {
        return Status::out_of_memory();
      }
    }
    return Status();
  };
  return parallel_for(context, texts.size, kBlockRows, body);
}

}  // namespace fastvbench
