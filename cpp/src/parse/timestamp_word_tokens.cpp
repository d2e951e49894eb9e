// Words that do more than set marks.
#include "parse/timestamp_tokens.h"

namespace fastvbench::parse {

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

}  // namespace fastvbench::parse
