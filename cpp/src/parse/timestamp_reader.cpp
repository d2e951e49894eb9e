#include "parse/timestamp_reader.h"

#include "parse/refusals.h"
#include "parse/thinking.h"
#include "parse/timestamp_wide.h"

namespace fastvbench::parse {
namespace {

enum ByteKind : std::uint8_t {
  kByteOther,
  kByteDigit,
  kByteLetter,
  kByteSpace,
  kByteLineEnd,
  kBytePoint,
  kByteLess,
  kByteOpening,
  kByteClosing,
  kByteColon,
  kByteDash,
  kByteTilde,
  kByteBar,
  kByteSeparator,
  kByteSlash,
  kByteAmpersand,
  kByteEquals,
  kByteBackslash,
  kByteStar,
  kByteMarkup,
  kByteStop,
  kByteWide,
};

struct ByteKinds {
  ByteKind of[256] = {};
  constexpr void set(const char* bytes, ByteKind kind) {
    for (; *bytes != '\0'; ++bytes) of[static_cast<Byte>(*bytes)] = kind;
  }
  constexpr ByteKinds() {
    for (int b = 0; b < 256; ++b) {
      if (b >= 0x80) of[b] = kByteWide;
      if (is_ascii_digit(b)) of[b] = kByteDigit;
      if (is_ascii_letter(b)) of[b] = kByteLetter;
    }
    set(" \t\v\f", kByteSpace);
    set("\r\n", kByteLineEnd);
    set(".", kBytePoint);
    set("<", kByteLess);
    set("([{", kByteOpening);
    set(")]}", kByteClosing);
    set(":", kByteColon);
    set("-", kByteDash);
    set("~", kByteTilde);
    set("|", kByteBar);
    set(",;", kByteSeparator);
    set("/", kByteSlash);
    set("&", kByteAmpersand);
    set("=", kByteEquals);
    set("\\", kByteBackslash);
    set("*", kByteStar);
    set("_`\"'$^+@>#", kByteMarkup);  // the number behind a # looks back at it
    set("!?", kByteStop);
  }
};
constexpr ByteKinds kByteKinds;

constexpr int kTagLimit = 64;
constexpr int kKeyLimit = 48;

bool is_quote(int byte) { return byte == '"' || byte == '\'' || byte == '`'; }

bool equals(const Byte* p, std::int64_t size, const char* name) {
  for (std::int64_t i = 0; i < size; ++i, ++name) {
    const Byte c = p[i] >= 'A' && p[i] <= 'Z' ? static_cast<Byte>(p[i] + ('a' - 'A')) : p[i];
    if (*name == '\0' || c != static_cast<Byte>(*name)) return false;
  }
  return *name == '\0';
}

/// An entry for what is no word of the table: kinds of other scripts, and "&".
WordEntry wide_entry(WordKind kind) {
  const GapEffect& effect = kWordEffects[kind];
  return {0, effect.keep, effect.set, kind, kUnitNone, kKeyNone, kRoleMoves};
}

/// The tokens of one answer. One lives for one row.
class Reader : public Pairs {
 public:
  Reader(Text text, std::int64_t offset, double duration, IntervalSink* sink)
      : Pairs(text, offset, duration, sink) {}

  /// Where `stop_at_mark` is set, a byte that may begin a thinking mark ends the reading: the
  /// caller looks for marks in the whole text, and starts again.
  bool run(bool stop_at_mark);

 private:
  bool is_silent() const { return closed_ || skip_depth_ != 0; }

  // 1.3
  const Byte* read_tag(const Byte* p);
  // 6
  bool key_before(const Byte* colon, KeyKind* kind) const;
  void read_key(KeyKind key);
  // 3
  const Byte* read_words(const Byte* p);
  void read_word(const WordEntry& entry, bool wide, const Byte* begin, const Byte* end) {
    constexpr std::uint16_t kRoles = kRoleMoves | kRoleLeadingUnit | kRoleIs;
    if ((entry.roles & kRoles) == 0) {
      gap_ = (gap_ & entry.keep) | entry.set;
    } else {
      read_moving_word(entry, wide, begin, end);
    }
  }
  void read_moving_word(const WordEntry& entry, bool wide, const Byte* begin, const Byte* end);
  bool move(const WordEntry& entry, bool wide, const Byte* begin, const Byte* end);
  // tokens
  const Byte* read_number(const Byte* p);
  void read_colon(const Byte* p);
  void read_point(const Byte* p);
  const Byte* read_dash(const Byte* p, const Character& dash);
  const Byte* read_wide(const Byte* p);
  const Byte* read_mark(ByteKind kind, const Byte* p);
  void read_line_end();
  void open_bracket(bool brace);
  void close_bracket(int byte, const Byte* p);
  void forget_list_number(const Byte* after);

  int leading_unit_ = 0;
  std::int64_t braces_ = 0;
  std::int64_t skip_depth_ = 0;  // braces of a value that is skipped, or 0
  const Byte* item_end_ = nullptr;
  const Byte* range_word_end_ = nullptr;
  const Byte* minus_begin_ = nullptr;
  const Byte* whole_word_begin_ = nullptr;
  Peek peek_;
};

const Byte* Reader::read_tag(const Byte* p) {
  const Byte* name = p + 1;
  const bool closing = text_.at(name) == '/';
  if (closing) ++name;
  if (text_.at(name) != '|' && !is_ascii_letter(text_.at(name))) return p + 1;
  const Byte* end = name;
  int characters = static_cast<int>(name - p);
  for (;; ++characters) {
    const Character c = text_.character_at(end);
    if (c.size == 0 || c.code == '<' || c.code == '\n' || characters > kTagLimit) return p + 1;
    if (c.code == '>') break;
    end += c.size;
  }
  const std::int64_t size = end - name;
  if (equals(name, size, "answer")) {
    if (closing) {
      if (in_answer_tag_ && answer_tag_held_time_) {
        resolve_end();
        closed_ = true;
      }
      in_answer_tag_ = false;
    } else {
      set_cue();
      in_answer_tag_ = true;
      answer_tag_held_time_ = false;
      gap_ = kNear | kLine;
    }
  } else if (!is_silent() && !closing) {
    if (equals(name, size, "start") || equals(name, size, "start_time") ||
        equals(name, size, "begin")) {
      resolve_end();
      apply(kWordEffects[kWordStart]);
    } else if (equals(name, size, "end") || equals(name, size, "end_time")) {
      apply(kWordEffects[kWordEnd]);
    }
  }
  return end + 1;
}

// ---------------------------------------------------------------------------------- section 6

bool Reader::key_before(const Byte* colon, KeyKind* kind) const {
  const Byte* const text_begin = text_.begin;
  const Byte* end = colon;
  while (end > text_begin && (end[-1] == ' ' || end[-1] == '\t')) --end;
  const bool quoted = is_quote(text_.before(end));
  if (quoted) {
    --end;
    if (text_.before(end) == '\\') --end;
  }
  const Byte* begin = end;
  while (begin > text_begin && end - begin <= kKeyLimit) {
    const int c = begin[-1];
    const bool in_name = is_ascii_letter(c) || is_ascii_digit(c) || c == '_' || c == '-';
    if (!in_name && !(quoted && c == ' ')) break;
    --begin;
  }
  if (begin == end || end - begin > kKeyLimit) return false;
  if (quoted) {
    if (!is_quote(text_.before(begin))) return false;
  } else {
    bool line_begins = false;
    const Byte* p = begin;
    while (p > text_begin && (p[-1] == ' ' || p[-1] == '\t' || p[-1] == '\r' || p[-1] == '\n')) {
      line_begins |= p[-1] == '\n';
      --p;
    }
    const int before = text_.before(p);
    if (before >= 0 && before != '{' && before != ',' && !line_begins) return false;
  }
  KeyKind best = kKeyNone;
  for (const Byte* p = begin; p < end;) {
    const Word word = text_.word_at(p);
    if (word && word.entry->key > best) best = word.entry->key;
    p = word.end > p ? word.end : p + 1;
  }
  *kind = best;
  return true;
}

void Reader::read_key(KeyKind key) {
  resolve_end();
  forget(&last_);
  has_weak_ = false;
  skip_depth_ = 0;
  gap_ = kNear;
  switch (key) {
    case kKeyStart:
      gap_ |= kStart;
      break;
    case kKeyEnd:
      gap_ |= kEnd;
      break;
    case kKeyLength:
      gap_ |= kLength;
      break;
    case kKeyTime:
      break;
    case kKeyNone:
    case kKeyNotTime:
      skip_depth_ = braces_;
      break;
  }
}

void Reader::read_colon(const Byte* p) {
  KeyKind key = kKeyNone;
  if (braces_ > 0 && key_before(p, &key)) {
    read_key(key);
    return;
  }
  if (is_silent()) return;
  if (has(kAnswer) && braces_ == 0) set_cue();
  apply(kColonEffect);
}

// ---------------------------------------------------------------------------------- tokens

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
    item.beyond_duration = has_duration_ && item.plain_digits == 4 && item.value > duration_;
    const Byte* end = item.end;
    accept(item);
    return end;
  }
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

void Reader::read_moving_word(const WordEntry& entry, bool wide, const Byte* begin,
                              const Byte* end) {
  if ((entry.roles & kRoleMoves) != 0 && !move(entry, wide, begin, end)) return;
  if ((entry.roles & kRoleIs) != 0 && has(kAnswer) && braces_ == 0) set_cue();  // "answer is"
  gap_ = (gap_ & entry.keep) | entry.set;
  if ((entry.roles & kRoleLeadingUnit) != 0) {  // 2.6: "minute 3"
    gap_ |= kUnit;
    leading_unit_ = entry.unit;
  }
}

/// The words that do more than set marks; false where the marks are set already.
bool Reader::move(const WordEntry& entry, bool wide, const Byte* begin, const Byte* end) {
  switch (entry.kind) {
    case kWordNotFinite: {
      accept(Item(ItemKind::kNotFinite, begin, end));
      return false;
    }
    case kWordRange:
    case kWordUntil:
      range_word_end_ = end;
      break;
    case kWordFrom:
    case kWordBetween:
      resolve_end();
      forget(&last_);
      has_weak_ = false;
      break;
    case kWordAnd:
      if (has(kBetween) && last_) {
        apply({(kRowMarks & ~Gap{kBetween}) | kConfidence, kWordMarks | kRange});
        range_word_end_ = end;
        return false;
      }
      resolve_end();
      forget(&and_left_);
      if (has(kTouch)) and_left_ = last_;
      break;
    case kWordBetweenBehind:
      if (has(kTouch) && and_left_ && last_ && !and_left_.is_same(last_) &&
          can_pair(and_left_, last_)) {
        pair_or_drop(and_left_, Item(last_));
      }
      forget(&and_left_);
      break;
    case kWordStartPoint:
      if (has(kFrom)) {
        resolve_end();
        last_ = Item(ItemKind::kNumber, begin, end);
        last_.unit = 1.0;
      }
      break;
    case kWordEndPoint:
      if (has(kRange | kUntil) && !to_end_of_) {
        to_end_of_ = last_ ? last_ : pending_start_;
        to_end_until_ = end;
      }
      break;
    case kWordEnd:  // "until the video ends"
      if (has(kUntil) && has(kVideo) && !to_end_of_) {
        to_end_of_ = last_ ? last_ : pending_start_;
        to_end_until_ = end;
      }
      break;
    case kWordOnward:
      if (has(kTouch) && last_ && !to_end_of_) {
        to_end_of_ = last_;
        to_end_until_ = end;
      }
      break;
    case kWordWhole:
      if (!has(kWhole)) whole_word_begin_ = begin;
      if (wide) {  // 整个视频 is both words at once
        whole_begin_ = begin;
        whole_end_ = end;
      }
      break;
    case kWordVideo:
      if (has(kWhole)) {
        whole_begin_ = whole_word_begin_;
        whole_end_ = end;
      }
      break;
    case kWordAnswer:
      if ((has(kFinal) || wide) && braces_ == 0) set_cue();
      break;
    default:
      break;
  }
  return true;
}

void Reader::forget_list_number(const Byte* after) {
  if (!last_ || !last_.starts_line || last_.plain_digits == 0) return;
  const Byte* next = text_.skip_spaces(after);
  if (next == after || next == text_.end || *next == '\r' || *next == '\n') return;
  forget_last();
}

void Reader::read_point(const Byte* p) {
  if (item_end_ == p) {
    const Byte* after = text_.skip_spaces(p + 1);
    const Character c = text_.character_at(after);
    if (c.size != 0) {
      if (is_dash(c.code) || is_tilde(c.code) || is_arrow(c.code)) return;
      if (c.code == ',' || c.code == '%' || c.code == ')' || c.code == ']' || c.code == '}') return;
      const WordKind kind = text_.word_at(after).kind();
      if (kind == kWordRange || kind == kWordUntil || kind == kWordAnd) return;
    }
    if (has(kTouch)) forget_list_number(p + 1);
  } else if (text_.letter_before(p)) {
    if (has(kNear)) {
      if (!has(kStart | kEnd)) return;  // "approx. 5", "ca. 5"
    } else if (text_.letter_at(p + 1) != 0) {
      return;  // "e.g", "file.mp"
    }
  }
  stop();
}

const Byte* Reader::read_dash(const Byte* p, const Character& dash) {
  const bool hyphen = dash.code == '-' || dash.code == 0x2212;
  const Byte* end = p + dash.size;
  int count = 1;
  if (hyphen) {
    while (text_.character_at(end).code == dash.code) {
      end += dash.size;
      if (count < 3) ++count;
    }
  }
  const int after = text_.at(end);
  if (after == '>') {
    apply(kRangeSignEffect);
    return end + 1;
  }
  if (count >= 3) {
    stop();
    return end;
  }
  if (count == 1 && has(kLine) && text_.space_at(end) != 0) {
    stop();
    return end;
  }
  if (count == 1 && hyphen && !has(kTouch) &&
      (text_.digit_at(end) || (after == '.' && text_.digit_at(end + 1)))) {
    apply(kSignEffect);
    if (text_.letter_before(p) || text_.before(p) == '_') {
      gap_ |= kName;
    } else {
      gap_ |= kMinus;
      minus_begin_ = p;
    }
    return end;
  }
  apply(kRangeSignEffect);
  return end;
}

void Reader::open_bracket(bool brace) {
  ++depth_;
  if (brace) ++braces_;
  if (!is_silent()) apply(kOpeningEffect);
}

void Reader::close_bracket(int byte, const Byte* p) {
  const bool silent = is_silent();
  if (depth_ > 0) --depth_;
  if (byte == '}' && braces_ > 0) {
    --braces_;
    if (braces_ < skip_depth_) {
      skip_depth_ = 0;
      gap_ = kNear;
    }
  }
  if (silent) return;
  if (byte == ')' && item_end_ == p && has(kTouch)) forget_list_number(p + 1);
  resolve_end();
  apply(kClosingEffect);
}

void Reader::read_line_end() {
  if (has(kTable)) {
    forget(&last_);
    has_weak_ = false;
  }
  apply(kLineEndEffect);
}

/// Punctuation and letters beyond ASCII.
const Byte* Reader::read_wide(const Byte* p) {
  if (text_.letter_at(p) != 0) {
    const Word word = text_.word_at(p);
    if (!is_silent()) read_word(*word.entry, false, p, word.end);
    return word.end;
  }
  if (text_.wide_digit_at(p) != 0) return read_number(p);
  const Character c = text_.character_at(p);
  const Byte* const after = p + c.size;
  switch (c.code) {
    case U'（':
    case U'【':
    case U'［':
    case U'｛':
      open_bracket(false);
      return after;
    case U'）':
    case U'】':
    case U'］':
    case U'｝':
      close_bracket(0, p);
      return after;
    case U'：':
      read_colon(p);
      return after;
    default:
      break;
  }
  if (is_silent() || text_.space_at(p) != 0) return after;
  if (is_bullet(c.code)) {
    stop();
    return after;
  }
  if (is_markup(c.code)) return after;
  switch (c.code) {
    case U'。':
    case U'！':
    case U'？':
      stop();
      return after;
    case U'，':
    case U'、':
    case U'；':
      resolve_end();
      apply(kSeparatorEffect);
      return after;
    default:
      break;
  }
  if (is_dash(c.code)) return read_dash(p, c);
  if (is_tilde(c.code)) {
    if (has(kTouch)) apply(kRangeSignEffect);
    return after;
  }
  if (is_arrow(c.code)) {
    apply(kRangeSignEffect);
    return after;
  }
  const WideWord word = wide_word_at(text_, p, c);
  read_word(wide_entry(word.kind), true, p, p + word.size);
  return p + word.size;
}

/// Punctuation of ASCII; returns where the text goes on.
const Byte* Reader::read_mark(ByteKind kind, const Byte* p) {
  switch (kind) {
    case kByteLineEnd:
      read_line_end();
      break;
    case kBytePoint:
      read_point(p);
      break;
    case kByteDash:
      return read_dash(p, {'-', 1});
    case kByteTilde:
      if (has(kTouch)) apply(kRangeSignEffect);
      break;
    case kByteSeparator:
      resolve_end();
      apply(kSeparatorEffect);
      break;
    case kByteBar: {
      const Gap table = has(kLine | kTable) ? Gap{kTable} : 0;
      apply(kBarEffect);
      gap_ |= table;
      break;
    }
    case kByteSlash:
      apply(kSlashEffect);
      break;
    case kByteAmpersand:
      read_word(wide_entry(kWordAnd), false, p, p + 1);
      break;
    case kByteEquals:
      if (text_.at(p + 1) == '>') {
        apply(kRangeSignEffect);
        ++p;
      } else {
        apply(kColonEffect);
      }
      break;
    case kByteBackslash: {
      const int after = text_.at(p + 2);
      if (text_.at(p + 1) == 'n' && !(after >= 'a' && after <= 'z')) {
        read_line_end();
        ++p;
      }
      break;
    }
    case kByteStar:
      if (has(kLine) && text_.space_at(p + 1) != 0) stop();
      break;
    case kByteMarkup:
      break;
    case kByteStop:
      stop();
      break;
    default:
      apply(kWordEffects[kWordOther]);
      break;
  }
  return p + 1;
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
                             IntervalSink* sink) {
  sink->begin_row();
  const auto* bytes = reinterpret_cast<const Byte*>(data);
  Text text{bytes, bytes + size};
  if (is_blank(text)) return AnswerStatus::kEmpty;
  {
    Reader reader(text, 0, duration, sink);
    if (reader.run(true)) {
      const AnswerStatus status = reader.status();
      if (status == AnswerStatus::kOk || !is_refusal(data, size)) return status;
      return AnswerStatus::kRefused;
    }
  }
  // A byte that may begin a mark of reasoning: find the answer, and read that from its beginning.
  sink->clear_row();
  const Reasoning reasoning = skip_reasoning(data, size);
  if (reasoning.truncated) return AnswerStatus::kTruncated;
  text.begin += reasoning.answer_begin;
  if (is_blank(text)) return AnswerStatus::kEmpty;
  Reader reader(text, reasoning.answer_begin, duration, sink);
  reader.run(false);
  const AnswerStatus status = reader.status();
  if (status == AnswerStatus::kOk) return status;
  const char* answer = data + reasoning.answer_begin;
  return is_refusal(answer, size - reasoning.answer_begin) ? AnswerStatus::kRefused : status;
}

}  // namespace fastvbench::parse
