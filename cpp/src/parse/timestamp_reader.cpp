#include "parse/timestamp_reader.h"

#include "parse/refusals.h"
#include "parse/thinking.h"
#include "parse/timestamp_tokens.h"

namespace fastvbench::parse {

const Byte* Reader::read_number(const Byte* p) {
  const int before = text_.before(p);
  bool glued = false;  // "v2", "x_5", "#3", but not "5to9"
  if (before >= '0' || before == '#') {
    glued = before == '#' || ((before == '_' || text_.letter_before(p)) && range_word_end_ != p);
  }
  constexpr Gap kAsks = kMinus | kUnit | kName | kDate | kConfidence | kScore | kAfterName;
  Item item;
  if (!glued && (gap_ & kAsks) == 0 && !is_silent() && read_simple_item(text_, p, &item, &peek_)) {
    item_end_ = item.end;
    item.starts_line = has(kLine);
    if (item.plain_digits == 4) {
      item.beyond_duration = has_duration_ && item.value > duration_;
      trace_.depends_on_values = true;
    }
    if (item.kind == ItemKind::kClock) trace_.add_clock(item.begin);
    const Byte* end = item.end;
    accept(item);
    return end;
  }
  trace_.depends_on_values = true;
  const bool negative = has(kMinus);
  ItemContext context;
  context.negative = negative;
  context.name = glued;
  context.comma_separates = depth_ > 0 && !has(kRange);
  context.leading_unit = has(kUnit) ? kUnitSeconds[leading_unit_] : 0.0;
  item = read_item(text_, p, context);
  item_end_ = item.end;
  if (is_silent()) return item.end;
  if (negative) {
    if (item.kind == ItemKind::kClock) {
      apply(kRangeSignEffect);
    } else {
      item.begin = minus_begin_;
    }
    gap_ &= ~Gap{kMinus};
  }
  const Gap gap = gap_;
  item.starts_line = (gap & kLine) != 0;
  bool is_name = glued;
  if ((gap & (kName | kDate | kConfidence | kScore | kAfterName)) != 0) {
    is_name |= (gap & kName) != 0 && item.unit == 0.0 && item.kind != ItemKind::kPercent;
    is_name |= (gap & kDate) != 0 && item.is_bare();
    is_name |= (gap & kConfidence) != 0 && item.kind == ItemKind::kPercent;
    is_name |= (gap & kScore) != 0 && item.is_bare() && !range_sign_follows(text_, item.end);
    is_name |=
        (gap & kAfterName) != 0 && (gap & kRange) != 0 && item.is_bare() && item.plain_digits > 0;
  }
  item.beyond_duration =
      has_duration_ && item.plain_digits == 4 && item.is_bare() && item.value > duration_;
  const Byte* end = item.end;
  if (item.kind == ItemKind::kVoid || is_name) {
    reject(item, (gap & kName) != 0, (gap & kNames) != 0);
  } else {
    accept(item);
  }
  return end;
}

/// Words follow words: a run of them, with single spaces, in one go. A letter stands at p.
const Byte* Reader::read_words(const Byte* p) {
  const Byte* const end = text_.end;
  const bool silent = is_silent();
  Word word = peek_.begin == p ? peek_.word : text_.word_at(p);
  for (;;) {
    if (!silent) read_word(*word.entry, false, p, word.end);
    p = word.end;
    if (p < end && *p == ' ') ++p;
    if (p >= end || kByteKinds.of[*p] != kByteLetter) return p;
    word = text_.word_at(p);
  }
}

bool Reader::run(bool stop_at_mark) {
  const Byte* p = text_.begin;
  const Byte* const end = text_.end;
  while (p < end) {
    const ByteKind kind = kByteKinds.of[*p];
    switch (kind) {
      case kByteSpace:
        ++p;
        continue;
      case kByteLetter:
        p = read_words(p);
        continue;
      case kByteDigit:
        p = read_number(p);
        continue;
      case kBytePoint:
        if (item_end_ != p && text_.digit_at(p + 1)) {
          p = read_number(p);
          continue;
        }
        break;
      case kByteLess:
        if (stop_at_mark) return false;
        p = read_tag(p);
        continue;
      case kByteOpening:
        open_bracket(*p == '{');
        ++p;
        continue;
      case kByteClosing:
        close_bracket(*p, p);
        ++p;
        continue;
      case kByteColon:
        read_colon(p);
        ++p;
        continue;
      case kByteWide:
        if (stop_at_mark && text_.holds(p, 0xE2, 0x97, 0x81)) return false;
        p = read_wide(p);
        continue;
      default:
        break;
    }
    if (is_silent()) {
      ++p;
      continue;
    }
    p = read_mark(kind, p);
  }
  return true;
}

namespace {

/// Only spaces and line ends.
bool is_blank(const Text& text) {
  const Byte* p = text.begin;
  while (p < text.end) {
    if (*p == '\r' || *p == '\n') {
      ++p;
    } else if (const int size = text.space_at(p)) {
      p += size;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

AnswerStatus read_timestamps(const char* data, std::int64_t size, double duration,
                             IntervalSink* sink, ReadingTrace* trace) {
  sink->begin_row();
  const auto* bytes = reinterpret_cast<const Byte*>(data);
  Text text{bytes, bytes + size};
  if (is_blank(text)) return AnswerStatus::kEmpty;
  {
    Reader reader(text, 0, duration, sink, trace);
    if (reader.run(true)) {
      const AnswerStatus status = reader.status();
      if (status == AnswerStatus::kOk || !is_refusal(data, size)) return status;
      return AnswerStatus::kRefused;
    }
  }
  // A byte that may begin a mark of reasoning: find the answer, and read that from its beginning.
  sink->clear_row();
  trace->depends_on_values = true;
  const Reasoning reasoning = skip_reasoning(data, size);
  if (reasoning.truncated) return AnswerStatus::kTruncated;
  text.begin += reasoning.answer_begin;
  if (is_blank(text)) return AnswerStatus::kEmpty;
  Reader reader(text, reasoning.answer_begin, duration, sink, trace);
  reader.run(false);
  const AnswerStatus status = reader.status();
  if (status == AnswerStatus::kOk) return status;
  const char* answer = data + reasoning.answer_begin;
  return is_refusal(answer, size - reasoning.answer_begin) ? AnswerStatus::kRefused : status;
}

}  // namespace fastvbench::parse
