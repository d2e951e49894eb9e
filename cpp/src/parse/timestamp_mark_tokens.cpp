// Punctuation: points, dashes, brackets, line ends, and the characters beyond ASCII.
#include "parse/timestamp_tokens.h"
#include "parse/timestamp_wide.h"

namespace fastvbench::parse {

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

}  // namespace fastvbench::parse
