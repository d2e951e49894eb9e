#include "parse/timestamp_reader.h"

#include <cmath>

#include "parse/refusals.h"
#include "parse/thinking.h"

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

bool is_markup(std::uint32_t code) {
  switch (code) {
    case U'“': case U'”': case U'‘': case U'’': case U'„': case U'«': case U'»': case U'‹':
    case U'›': case U'「': case U'」': case U'『': case U'』': case U'《': case U'》': case U'〈':
    case U'〉': case 0x200D:
      return true;
    default:
      return false;
  }
}

bool is_bullet(std::uint32_t code) {
  return code == U'•' || code == U'·' || code == U'‣' || code == U'▪' || code == U'●' ||
         code == U'◦';
}

bool is_quote(int byte) { return byte == '"' || byte == '\'' || byte == '`'; }

bool equals(const Byte* p, std::int64_t size, const char* name) {
  for (std::int64_t i = 0; i < size; ++i, ++name) {
    const Byte c = p[i] >= 'A' && p[i] <= 'Z' ? static_cast<Byte>(p[i] + ('a' - 'A')) : p[i];
    if (*name == '\0' || c != static_cast<Byte>(*name)) return false;
  }
  return *name == '\0';
}

struct WideWord {
  WordKind kind;
  int size;  // bytes
};

/// 3.6: words of scripts that write no spaces.
WideWord wide_word_at(const Text& text, const Byte* p, const Character& first) {
  const auto at = [&](int characters) { return text.character_at(p + 3 * characters).code; };
  switch (first.code) {
    case U'整':
      if (at(1) == U'个' && at(2) == U'视' && at(3) == U'频') return {kWordWhole, 12};
      if (at(1) == U'個' && at(2) == U'視' && at(3) == U'頻') return {kWordWhole, 12};
      if (at(1) == U'段' && at(2) == U'视' && at(3) == U'频') return {kWordWhole, 12};
      break;
    case U'動':
      if (at(1) == U'画' && at(2) == U'全' && at(3) == U'体') return {kWordWhole, 12};
      break;
    case U'置':
      if (at(1) == U'信' && at(2) == U'度') return {kWordConfidence, 9};
      break;
    case U'开':
      if (at(1) == U'始') return {kWordStart, 6};
      break;
    case U'開':
      if (at(1) == U'始') return {kWordStart, 6};
      break;
    case U'起':
      if (at(1) == U'始') return {kWordStart, 6};
      break;
    case U'시':
      if (at(1) == U'작') return {kWordStart, 6};
      break;
    case U'结':
      if (at(1) == U'束' || at(1) == U'尾') return {kWordEndPoint, 6};
      break;
    case U'結':
      if (at(1) == U'束') return {kWordEndPoint, 6};
      break;
    case U'終':
      if (at(1) == U'了') return {kWordEndPoint, 6};
      break;
    case U'最':
      if (at(1) == U'后' || at(1) == U'後') return {kWordLast, 6};
      break;
    case U'持':
      if (at(1) == U'续' || at(1) == U'続') return {kWordLength, 6};
      break;
    case U'答':
      if (at(1) == U'案' || at(1) == U'え') return {kWordAnswer, 6};
      break;
    case U'정':
      if (at(1) == U'답') return {kWordAnswer, 6};
      break;
    case U'时':
    case U'時':
      if (at(1) == (first.code == U'时' ? U'间' : U'間')) return {kWordFiller, 6};
      break;
    case U'か':
      if (at(1) == U'ら') return {kWordRange, 6};
      break;
    case U'ま':
      if (at(1) == U'で') return {kWordFiller, 6};
      break;
    case U'부':
      if (at(1) == U'터') return {kWordRange, 6};
      break;
    case U'에':
      if (at(1) == U'서') return {kWordRange, 6};
      break;
    case U'까':
      if (at(1) == U'지') return {kWordFiller, 6};
      break;
    case U'之':
      if (at(1) == U'间' || at(1) == U'間') return {kWordBetweenBehind, 6};
      break;
    case U'사':
      if (at(1) == U'이') return {kWordBetweenBehind, 6};
      break;
    case U'の':
      if (at(1) == U'間') return {kWordBetweenBehind, 6};
      return {kWordFiller, 3};
    case U'和': case U'与': case U'與': case U'と':
      return {kWordAnd, 3};
    case U'到': case U'至':
      return {kWordRange, 3};
    case U'从': case U'從':
      return {kWordFrom, 3};
    case U'前':
      return {kWordFirst, 3};
    case U'帧': case U'幀':
      return {kWordNumberedMany, 3};
    case U'第': case U'约': case U'約': case U'大': case U'在': case U'是': case U'为': case U'為':
    case U'は': case U'に': case U'的': case U'於': case U'于':
      return {kWordFiller, 3};
    default:
      break;
  }
  return {kWordOther, first.size};
}

/// An entry for what is no word of the table: kinds of other scripts, and "&".
WordEntry wide_entry(WordKind kind) {
  const GapEffect& effect = kWordEffects[kind];
  return {0, effect.keep, effect.set, kind, kUnitNone, kKeyNone, kRoleMoves};
}

/// The machine of sections 3 to 7; one lives for one row.
class Reader {
 public:
  Reader(Text text, std::int64_t offset, double duration, IntervalSink* sink)
      : text_(text),
        offset_(offset),
        duration_(duration),
        has_duration_(std::isfinite(duration) && duration > 0.0),
        sink_(*sink) {}

  /// Where `stop_at_mark` is set, a byte that may begin a thinking mark ends the reading: the caller
  /// looks for marks in the whole text, and starts again.
  bool run(bool stop_at_mark);
  AnswerStatus status();

 private:
  void apply(const GapEffect& effect) { gap_ = (gap_ & effect.keep) | effect.set; }
  bool has(Gap mark) const { return (gap_ & mark) != 0; }
  bool is_silent() const { return closed_ || skip_depth_ != 0; }
  std::int64_t position(const Byte* p) const { return offset_ + (p - text_.begin); }
  void forget(Item* item) { item->kind = ItemKind::kNone; }
  void forget_pending() {
    forget(&pending_start_);
    forget(&pending_end_);
  }

  // 7
  void keep(double start, double end, unsigned flags, const Byte* begin, const Byte* until);
  void keep_pair(const Item& first, const Item& second);
  // 5
  void resolve_end() {
    if (to_end_of_) keep_to_end();
  }
  void keep_to_end();
  void keep_edge(const Item& item, bool last);
  // 4
  void accept(const Item& item);
  void reject(const Item& item, bool named, bool names);
  void pair_or_drop(Item first, const Item& second);
  void add_length(const Item& start, const Item& length);
  static bool can_pair(const Item& first, const Item& second);
  static bool can_pair_weakly(const Item& first, const Item& second);
  // 1
  void apply_cue() {
    if (cue_ || in_answer_tag_) begin_declared();
  }
  void begin_declared();
  void set_cue();
  const Byte* read_tag(const Byte* p);
  // 6
  bool key_before(const Byte* colon, KeyKind* kind) const;
  void read_key(KeyKind key);
  // tokens
  const Byte* read_number(const Byte* p);
  void read_word(const WordEntry& entry, bool wide, const Byte* begin, const Byte* end) {
    constexpr std::uint16_t kRoles = kRoleMoves | kRoleLeadingUnit | kRoleIs;
    if ((entry.roles & kRoles) == 0) {
      gap_ = (gap_ & entry.keep) | entry.set;
    } else {
      read_moving_word(entry, wide, begin, end);
    }
  }
  void read_moving_word(const WordEntry& entry, bool wide, const Byte* begin, const Byte* end);
  const Byte* read_words(const Byte* p);
  bool move(const WordEntry& entry, bool wide, const Byte* begin, const Byte* end);
  void read_colon(const Byte* p);
  void read_point(const Byte* p);
  const Byte* read_dash(const Byte* p, const Character& dash);
  const Byte* read_wide(const Byte* p);
  void read_line_end();
  void close_bracket(int byte, const Byte* p);
  void open_bracket(bool brace);
  void stop();
  void forget_list_number(const Byte* after);

  const Text text_;
  const std::int64_t offset_;
  const double duration_;
  const bool has_duration_;
  IntervalSink& sink_;

  Gap gap_ = kTextBegins;
  int leading_unit_ = 0;
  std::int64_t depth_ = 0;
  std::int64_t braces_ = 0;
  std::int64_t skip_depth_ = 0;  // braces of a value that is skipped, or 0
  const Byte* item_end_ = nullptr;
  const Byte* range_word_end_ = nullptr;
  Peek peek_;
  const Byte* minus_begin_ = nullptr;
  const Byte* whole_begin_ = nullptr;
  const Byte* whole_end_ = nullptr;
  const Byte* whole_kept_begin_ = nullptr;
  const Byte* to_end_until_ = nullptr;
  std::int64_t numbers_ = 0;
  bool cue_ = false;
  bool in_answer_tag_ = false;
  bool answer_tag_held_time_ = false;
  bool closed_ = false;
  bool has_weak_ = false;
  bool weak_kept_ = false;
  bool weak_from_integer_ = false;
  bool no_duration_ = false;
  bool not_finite_ = false;
  bool out_of_range_ = false;
  Item last_;           // the item that a range sign would join
  Item pending_start_;  // 4.2
  Item pending_end_;
  Item to_end_of_;      // 5.1, waiting for what follows
  Item weak_;           // second item of the last list pair
  Item and_left_;       // the item before an "and", for 之间
};

// ---------------------------------------------------------------------------------- section 7

void Reader::keep(double start, double end, unsigned flags, const Byte* begin,
                  const Byte* until) {
  apply_cue();
  if (!std::isfinite(start) || !std::isfinite(end)) {
    not_finite_ = true;
    return;
  }
  if (end < start) {
    const double swap = start;
    start = end;
    end = swap;
    flags |= kFlagSwapped;
  }
  if ((has_duration_ && start >= duration_ && end > duration_) || (start < 0.0 && end <= 0.0)) {
    out_of_range_ = true;
    return;
  }
  if (start < 0.0) {
    start = 0.0;
    flags |= kFlagClampedStart;
  }
  if (has_duration_ && end > duration_) {
    end = duration_;
    flags |= kFlagClampedEnd;
  }
  if (start == end) flags |= kFlagZeroLength;
  sink_.push(start + 0.0, end + 0.0, flags, position(begin), position(until));
}

void Reader::keep_pair(const Item& first, const Item& second) {
  const Byte* begin = first.begin < second.begin ? first.begin : second.begin;
  const Byte* until = first.end > second.end ? first.end : second.end;
  forget_pending();
  forget(&last_);
  gap_ &= ~Gap{kStart | kEnd};
  if (first.kind == ItemKind::kNotFinite || second.kind == ItemKind::kNotFinite) {
    apply_cue();
    not_finite_ = true;
    return;
  }
  double start = first.value;
  double end = second.value;
  unsigned flags = 0;
  if (first.kind == ItemKind::kPercent || second.kind == ItemKind::kPercent) {
    if (!has_duration_) {
      apply_cue();
      no_duration_ = true;
      return;
    }
    start = start / 100.0 * duration_;
    end = end / 100.0 * duration_;
    flags |= kFlagFromPercent;
  } else if (first.is_bare() && second.unit != 0.0 && second.kind == ItemKind::kNumber) {
    if (second.unit != 1.0 && start <= end / second.unit) start *= second.unit;
  } else if (second.is_bare() && first.unit > 1.0 && end < start) {
    end *= first.unit;
  }
  if (first.kind == ItemKind::kClock || second.kind == ItemKind::kClock) flags |= kFlagFromClock;
  keep(start, end, flags, begin, until);
}

// ---------------------------------------------------------------------------------- section 5

void Reader::keep_to_end() {
  const Item first = to_end_of_;
  forget(&to_end_of_);
  forget_pending();
  forget(&last_);
  if (first.kind == ItemKind::kNotFinite) {
    not_finite_ = true;
    return;
  }
  if (!has_duration_) {
    no_duration_ = true;
    return;
  }
  unsigned flags = kFlagToEnd;
  double start = first.value;
  if (first.kind == ItemKind::kPercent) {
    start = start / 100.0 * duration_;
    flags |= kFlagFromPercent;
  }
  if (first.kind == ItemKind::kClock) flags |= kFlagFromClock;
  if (start > duration_) {
    out_of_range_ = true;
    return;
  }
  keep(start, duration_, flags, first.begin, to_end_until_);
}

void Reader::keep_edge(const Item& item, bool last) {
  forget(&last_);
  if (item.kind == ItemKind::kNotFinite) {
    apply_cue();
    not_finite_ = true;
    return;
  }
  double length = item.value;
  unsigned flags = 0;
  if (item.kind == ItemKind::kPercent || last) {
    if (!has_duration_) {
      apply_cue();
      no_duration_ = true;
      return;
    }
    if (item.kind == ItemKind::kPercent) {
      length = length / 100.0 * duration_;
      flags |= kFlagFromPercent;
    }
  }
  double start = 0.0;
  double end = length;
  if (last) {
    start = duration_ - length;
    end = duration_;
    flags |= kFlagToEnd;
  }
  keep(start, end, flags, item.begin, item.end);
}

// ---------------------------------------------------------------------------------- section 4

bool Reader::can_pair(const Item& first, const Item& second) {
  if (first.kind == ItemKind::kNotFinite || second.kind == ItemKind::kNotFinite) return true;
  if (first.kind == ItemKind::kPercent) {
    return second.kind == ItemKind::kPercent || second.is_bare();
  }
  return second.kind != ItemKind::kPercent || first.is_bare();
}

bool Reader::can_pair_weakly(const Item& first, const Item& second) {
  if (first.kind == ItemKind::kNotFinite || second.kind == ItemKind::kNotFinite) return true;
  return (first.kind == ItemKind::kPercent) == (second.kind == ItemKind::kPercent);
}

void Reader::pair_or_drop(Item first, const Item& second) {
  if (first.beyond_duration && second.beyond_duration) {  // 2.7
    forget(&last_);
    forget_pending();
  } else if (first.beyond_duration && second.value < first.value) {
    forget_pending();
    last_ = second;
  } else {
    keep_pair(first, second);
  }
}

void Reader::add_length(const Item& start, const Item& length) {
  Item first = start;
  Item end = start;
  first.unit = end.unit = 1.0;
  first.beyond_duration = end.beyond_duration = false;
  end.begin = length.begin;
  end.end = length.end;
  end.value = start.value + length.value;
  apply_cue();
  if (std::isfinite(end.value)) {
    keep_pair(first, end);
  } else {
    forget(&pending_start_);
    forget(&last_);
    not_finite_ = true;
  }
}

void Reader::accept(const Item& item) {
  const Gap gap = gap_;
  bool joined = (gap & (kRange | kUntil)) != 0;
  if (to_end_of_) {
    if ((gap & kNear) != 0 && (gap & kEnd) != 0) {  // "to the end at 9"
      last_ = to_end_of_;
      forget(&to_end_of_);
      joined = true;
    } else {
      keep_to_end();
    }
  }
  const bool near = (gap & kNear) != 0;
  if ((gap & (kLength | kFor)) != 0) {
    const bool length = ((gap & kLength) != 0 && near) || ((gap & kFor) != 0 && item.unit != 0.0);
    if (length && !joined && item.kind != ItemKind::kClock) {
      const ItemKind start = pending_start_.kind;
      if ((start == ItemKind::kNumber || start == ItemKind::kClock) &&
          item.kind == ItemKind::kNumber) {
        add_length(Item(pending_start_), item);
        apply(kItemEffect);
      } else {
        apply(kVoidEffect);
      }
      return;
    }
  }
  apply_cue();
  if (!item.beyond_duration) ++numbers_;
  if (item.kind == ItemKind::kNotFinite) not_finite_ = true;
  const Item* const weak = has_weak_ ? &weak_ : nullptr;
  has_weak_ = false;
  const Item* first = last_ ? &last_ : nullptr;
  if (first == nullptr && joined) {
    if ((gap & kUntil) != 0) {
      first = pending_start_ ? &pending_start_ : nullptr;
    } else if (weak != nullptr && (gap & kRange) != 0) {
      first = weak;
      if (weak_kept_) sink_.pop();
    }
  }
  if (joined && first != nullptr && can_pair(*first, item)) {
    pair_or_drop(*first, item);
  } else if ((gap & (kFirst | kLast)) != 0 && !joined && item.kind != ItemKind::kClock &&
             (item.unit != 0.0 || item.kind == ItemKind::kPercent)) {
    keep_edge(item, (gap & kLast) != 0);
  } else if ((gap & kStart) != 0 && near) {
    if (pending_end_ && pending_end_.value > item.value && can_pair(item, pending_end_)) {
      pair_or_drop(item, Item(pending_end_));
    } else {
      pending_start_ = last_ = item;
    }
    apply(kStartItemEffect);
    return;
  } else if ((gap & kEnd) != 0 && near) {
    if (pending_start_ && can_pair(pending_start_, item)) {
      pair_or_drop(pending_start_, item);
    } else {
      pending_end_ = last_ = item;
    }
  } else if ((gap & kClean) != 0 && (depth_ > 0 || (gap & kProse) == 0)) {
    if (first != nullptr && can_pair_weakly(*first, item)) {
      weak_from_integer_ = first->plain_digits > 0 && first->unit == 0.0;
      const std::int64_t kept = sink_.count();
      pair_or_drop(*first, item);
      weak_ = item;
      has_weak_ = true;
      weak_kept_ = sink_.count() > kept;
    } else if (weak != nullptr && (gap & kTable) != 0 && weak_from_integer_) {
      if (weak_kept_) sink_.pop();
      pair_or_drop(*weak, item);
    } else {
      last_ = item;
    }
  } else {
    last_ = item;
  }
  apply(kItemEffect);
}

void Reader::reject(const Item& item, bool named, bool names) {
  if (to_end_of_) {
    keep_to_end();
  } else if (item.ends_range && has(kRange) &&
             (last_.is_bare() || last_.kind == ItemKind::kClock)) {
    if (!last_.beyond_duration) --numbers_;
    if (pending_start_.is_same(last_)) forget(&pending_start_);
    if (pending_end_.is_same(last_)) forget(&pending_end_);
    forget(&last_);
  }
  has_weak_ = false;
  const Gap joined = named && !item.ends_range ? gap_ & kRange : 0;  // "4 s to frame 240 (8 s)"
  apply(kVoidEffect);
  gap_ |= joined;
  if (names) gap_ |= kAfterName;
}

// ---------------------------------------------------------------------------------- section 1

void Reader::begin_declared() {
  if (cue_) {
    cue_ = false;
    sink_.clear_row();
    forget_pending();
    forget(&last_);
    has_weak_ = false;
    forget(&and_left_);
    numbers_ = 0;
    no_duration_ = not_finite_ = out_of_range_ = false;
  }
  if (in_answer_tag_) answer_tag_held_time_ = true;
}

void Reader::set_cue() {
  resolve_end();
  cue_ = true;
  closed_ = false;
}

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
    glued = before == '#' ||
            ((before == '_' || text_.letter_before(p)) && range_word_end_ != p);
  }
  constexpr Gap kAsks = kMinus | kUnit | kName | kDate | kConfidence | kAfterName;
  Item item;
  if (!glued && (gap_ & kAsks) == 0 && !is_silent() &&
      read_simple_item(text_, p, &item, &peek_)) {
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
  if ((gap & (kName | kDate | kConfidence | kAfterName)) != 0) {
    is_name |= (gap & kName) != 0 && item.unit == 0.0 && item.kind != ItemKind::kPercent;
    is_name |= (gap & kDate) != 0 && item.is_bare();
    is_name |= (gap & kConfidence) != 0 && (item.is_bare() || item.kind == ItemKind::kPercent);
    is_name |= (gap & kAfterName) != 0 && (gap & kRange) != 0 && item.is_bare() &&
               item.plain_digits > 0;
  }
  item.beyond_duration = has_duration_ && item.plain_digits == 4 && item.is_bare() &&
                         item.value > duration_;
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
bool Reader::move(const WordEntry& entry, bool wide, const Byte* begin,
                  const Byte* end) {
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
    case kWordOnward:
      if (has(kTouch) && last_ && !to_end_of_) {
        to_end_of_ = last_;
        to_end_until_ = end;
      }
      break;
    case kWordWhole:
      if (!has(kWhole)) whole_begin_ = begin;
      if (wide) {  // 整个视频 is both words at once
        whole_kept_begin_ = begin;
        whole_end_ = end;
      }
      break;
    case kWordVideo:
      if (has(kWhole)) {
        whole_kept_begin_ = whole_begin_;
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


void Reader::stop() {
  resolve_end();
  forget(&last_);
  has_weak_ = false;
  forget(&and_left_);
  apply(kStopEffect);
}

void Reader::forget_list_number(const Byte* after) {
  if (!last_ || !last_.starts_line || last_.plain_digits == 0) return;
  const Byte* next = text_.skip_spaces(after);
  if (next == after || next == text_.end || *next == '\r' || *next == '\n') return;
  if (!last_.beyond_duration) --numbers_;
  if (pending_start_.is_same(last_)) forget(&pending_start_);
  if (pending_end_.is_same(last_)) forget(&pending_end_);
  forget(&last_);
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
    case U'（': case U'【': case U'［': case U'｛':
      open_bracket(false);
      return after;
    case U'）': case U'】': case U'］': case U'｝':
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
    case U'。': case U'！': case U'？':
      stop();
      return after;
    case U'，': case U'、': case U'；':
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
    switch (kind) {
      case kByteLineEnd:
        read_line_end();
        break;
      case kBytePoint:
        read_point(p);
        break;
      case kByteDash:
        p = read_dash(p, {'-', 1});
        continue;
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
    ++p;
  }
  return true;
}

AnswerStatus Reader::status() {
  if (!closed_) resolve_end();
  if (sink_.row_is_empty() && whole_kept_begin_ != nullptr && numbers_ == 0) {
    if (has_duration_) {
      keep(0.0, duration_, kFlagToEnd, whole_kept_begin_, whole_end_);
    } else {
      no_duration_ = true;
    }
  }
  if (!sink_.row_is_empty()) return AnswerStatus::kOk;
  if (no_duration_) return AnswerStatus::kNoDuration;
  if (not_finite_) return AnswerStatus::kNotFinite;
  if (out_of_range_) return AnswerStatus::kOutOfRange;
  return numbers_ > 0 ? AnswerStatus::kOneNumber : AnswerStatus::kNoNumber;
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

bool IntervalSink::grow() {
  const std::int64_t wanted = count_ + count_ / 8 + 256;
  if (!out_->values.resize(2 * wanted) || !out_->flags.resize(wanted) ||
      !out_->spans.resize(2 * wanted)) {
    out_of_memory_ = true;
    return false;
  }
  capacity_ = wanted;
  return true;
}

bool IntervalSink::finish() {
  // Never beyond what has been reserved, so these can't fail where nothing did before.
  return !out_of_memory_ && out_->values.resize(2 * count_) && out_->flags.resize(count_) &&
         out_->spans.resize(2 * count_);
}

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
