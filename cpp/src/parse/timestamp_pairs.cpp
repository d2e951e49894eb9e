#include "parse/timestamp_pairs.h"

namespace fastvbench::parse {

// ---------------------------------------------------------------------------------- section 7

void Pairs::keep(double start, double end, unsigned flags, const Byte* begin, const Byte* until) {
  apply_cue();
  if (!std::isfinite(start) || !std::isfinite(end)) {
    not_finite_ = true;
    return;
  }
  Bounds bounds{start, end, flags};
  if (!settle(duration_, has_duration_, &bounds)) {
    trace_.depends_on_values = true;
    out_of_range_ = true;
    return;
  }
  sink_.push(bounds.start, bounds.end, bounds.flags, position(begin), position(until));
}

void Pairs::keep_pair(const Item& first, const Item& second) {
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
  if (is_ascii_digit(*first.begin) && is_ascii_digit(*second.begin)) {
    trace_.add_pair({first.begin, second.begin, begin, until, flags});
  } else {
    trace_.depends_on_values = true;  // "from the start to 5"
  }
}

// ---------------------------------------------------------------------------------- section 5

void Pairs::keep_to_end() {
  trace_.depends_on_values = true;
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

void Pairs::keep_edge(const Item& item, bool last) {
  trace_.depends_on_values = true;
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

bool Pairs::can_pair(const Item& first, const Item& second) {
  if (first.kind == ItemKind::kNotFinite || second.kind == ItemKind::kNotFinite) return true;
  if (first.kind == ItemKind::kPercent) {
    return second.kind == ItemKind::kPercent || second.is_bare();
  }
  return second.kind != ItemKind::kPercent || first.is_bare();
}

bool Pairs::can_pair_weakly(const Item& first, const Item& second) {
  if (first.kind == ItemKind::kNotFinite || second.kind == ItemKind::kNotFinite) return true;
  return (first.kind == ItemKind::kPercent) == (second.kind == ItemKind::kPercent);
}

void Pairs::pair_or_drop(Item first, const Item& second) {
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

void Pairs::add_length(const Item& start, const Item& length) {
  trace_.depends_on_values = true;
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

void Pairs::accept(const Item& item) {
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
      if (weak_kept_) pop();
    }
  }
  if (joined && first != nullptr && can_pair(*first, item)) {
    pair_or_drop(*first, item);
  } else if ((gap & (kFirst | kLast)) != 0 && !joined && item.kind != ItemKind::kClock &&
             (item.unit != 0.0 || item.kind == ItemKind::kPercent)) {
    keep_edge(item, (gap & kLast) != 0);
  } else if ((gap & kStart) != 0 && near) {
    if (pending_end_) trace_.depends_on_values = true;
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
      if (weak_kept_) pop();
      pair_or_drop(*weak, item);
    } else {
      last_ = item;
    }
  } else {
    last_ = item;
  }
  apply(kItemEffect);
}

/// Takes back the last item: it was no time after all.
void Pairs::forget_last() {
  if (!last_.beyond_duration) --numbers_;
  if (pending_start_.is_same(last_)) forget(&pending_start_);
  if (pending_end_.is_same(last_)) forget(&pending_end_);
  forget(&last_);
}

void Pairs::reject(const Item& item, bool named, bool names) {
  if (to_end_of_) {
    keep_to_end();
  } else if (item.ends_range && has(kRange) &&
             (last_.is_bare() || last_.kind == ItemKind::kClock)) {
    forget_last();
  }
  has_weak_ = false;
  const Gap joined = named && !item.ends_range ? gap_ & kRange : 0;  // "4 s to frame 240 (8 s)"
  apply(kVoidEffect);
  gap_ |= joined;
  if (names) gap_ |= kAfterName;
}

// ---------------------------------------------------------------------------------- section 1

void Pairs::begin_declared() {
  if (cue_) {
    cue_ = false;
    if (!sink_.row_is_empty()) trace_.depends_on_values = true;
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

void Pairs::set_cue() {
  resolve_end();
  cue_ = true;
  closed_ = false;
}

void Pairs::stop() {
  resolve_end();
  forget(&last_);
  has_weak_ = false;
  forget(&and_left_);
  apply(kStopEffect);
}

AnswerStatus Pairs::status() {
  if (!closed_) resolve_end();
  if (sink_.row_is_empty() && whole_begin_ != nullptr && numbers_ == 0) {
    trace_.depends_on_values = true;
    if (has_duration_) {
      keep(0.0, duration_, kFlagToEnd, whole_begin_, whole_end_);
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

}  // namespace fastvbench::parse
