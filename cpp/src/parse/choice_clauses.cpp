// One pass over the tokens: cues arm, letters are judged (sections 4 to 6 of
// tests/reference/choices.py).
#include "parse/choice_letters.h"

namespace fastvbench::parse::choice {
namespace {

constexpr int kCueReach = 12;  // words between an answer noun and what arms it
constexpr int kLetterI = 'I' - 'A';

}  // namespace

void LetterReader::read() {
  for (std::int64_t i = low_; i < high_;) {
    switch (tokens_[i].kind) {
      case Kind::kWord:
        i = read_word(i);
        continue;
      case Kind::kCjk:
        plain_word(i);
        read_cjk(i);
        break;
      case Kind::kLine:
        read_line(i);
        break;
      case Kind::kCue:
        arm(Cue::kNone, false);
        break;
      case Kind::kMark:
        read_mark(i);
        break;
      case Kind::kWrap:
      case Kind::kClose:
        break;
    }
    ++i;
  }
  end_sentence(true);
  ends_armed = cue_ == Cue::kArmed && !denied_ && text_begin_ < 0;
  end_text_cue(high_ - 1);
  keep_pending();
  if (lone_ >= 0 && (tokens_[lone_].upper || lone_own_line_)) {
    const int value = letter(lone_);
    if (value != kLetterI || count_ > kLetterI) declared.add({value, lone_, lone_});
  }
}

void LetterReader::arm(Cue noun, bool denied) {
  if (noun == Cue::kNone) text_from_ = -1;
  cue_ = Cue::kArmed;
  named_ = false;
  noun_ = noun;
  denied_ = denied;
  text_begin_ = -1;
}

void LetterReader::clear() {
  cue_ = noun_ = Cue::kNone;
  named_ = false;
  denied_ = false;
  text_begin_ = -1;
}

void LetterReader::name(Cue cue, std::int64_t i, bool denied) {
  cue_ = cue;
  denied_ = denied;
  noun_at_ = i;
  reach_ = kCueReach;
  text_from_ = -1;
}

void LetterReader::count_down() {
  if (--reach_ <= 0) clear();
}

// An armed cue ends without a letter: remember where an option's text may stand.
void LetterReader::end_text_cue(std::int64_t stop) {
  if (cue_ != Cue::kArmed || text_begin_ < 0 || denied_ || supposed_) return;
  if (text_from_ < 0) text_from_ = text_begin_;
  text_cue_first = text_from_;
  text_cue_stop = stop;
}

void LetterReader::end_sentence(bool own_line) {
  if (sentence_words_ != 0 || sentence_letters_ != 0) {
    const bool alone = sentence_letters_ == 1 && sentence_words_ == 0;
    lone_ = alone ? sentence_letter_ : -1;
    lone_own_line_ = own_line && sentence_own_line_;
    sentence_own_line_ = own_line;
  } else if (own_line) {
    sentence_own_line_ = true;
  }
  sentence_words_ = sentence_letters_ = 0;
  sentence_letter_ = -1;
}

void LetterReader::read_line(std::int64_t i) {
  if (cue_ == Cue::kNoun && noun_at_ == last_word_) {
    arm(cue_, denied_);
  } else if (!(cue_ == Cue::kArmed && text_begin_ < 0)) {
    end_text_cue(i);
    clear();
  }
  denial_ = supposed_ = contrast_ = concluding_ = false;
  if (headline_ == Headline::kOpens && !line_label_) headline_ = Headline::kAlone;
  line_words_ = 0;
  line_label_ = false;
  end_sentence(true);
}

void LetterReader::read_mark(std::int64_t i) {
  const char32_t mark = tokens_[i].code;
  const Token* following = at(i + 1);
  switch (mark) {
    case ':':
    case '=':
    case U'→':
    case U'—':
    case '-': {
      if (!is_noun(cue_)) {
        if (named_ && mark == ':') arm(Cue::kAdjective, denied_);
        return;
      }
      const bool near = noun_at_ == last_word_;
      const bool hyphen =
          mark == '-' && tokens_[i].glued && following != nullptr && following->glued;
      if (hyphen && !near) return;
      if (near || (mark != '-' && mark != U'—')) arm(cue_, denied_);
      return;
    }
    case ',':
      supposed_ = denial_ = false;
      return;
    case '.':
      if (following != nullptr && following->glued && following->kind == Kind::kWord &&
          letter(i + 1) < 0) {
        return;
      }
      if (last_word_ >= 0 && (tokens_[last_word_].classes & kWordAns) != 0) return;
      break;
    case '!':
    case '?':
    case ';':
    case U'…':
      break;
    default:
      return;
  }
  // "The answer is ... C"
  const bool dots = mark == U'…' || (mark == '.' && (is_mark(i - 1, U".") || is_mark(i + 1, U".")));
  if (!(dots && cue_ == Cue::kArmed && text_begin_ < 0)) {
    end_text_cue(i);
    clear();
  }
  denial_ = supposed_ = contrast_ = concluding_ = false;
  if (mark == ';') return;
  if (mark == '?' && sentence_letters_ != 0) ++sentence_words_;
  end_sentence(false);
}

// Counts a word that is no letter.
void LetterReader::plain_word(std::int64_t i) {
  ++line_words_;
  if (last_word_ < 0) first_word_ = i;
  last_word_ = i;
  if ((tokens_[i].classes & kOption) == 0) ++sentence_words_;
  if (cue_ == Cue::kArmed && text_begin_ < 0) text_begin_ = i;
}

// A cue ends at this character, or it ends the cue.
void LetterReader::read_cjk(std::int64_t i) {
  char32_t run[kCjkCueLength];
  int size = 0;
  for (std::int64_t place = i; size < kCjkCueLength; --place) {
    const Token* token = at(place);
    if (token == nullptr || token->kind != Kind::kCjk) break;
    run[kCjkCueLength - ++size] = token->code;
  }
  Cue cue = Cue::kNone;
  const bool found = cjk_cue(run + kCjkCueLength - size, size, &cue);
  if (found && cue == Cue::kArmed) {
    arm(Cue::kNone, false);
  } else {
    end_text_cue(i);
    clear();
    if (!found) return;
    cue_ = cue;
    reach_ = kCueReach;
  }
  noun_at_ = i;
  if (cue == Cue::kCorrection) doubted_ = true;
}

// Reads a word and returns the next token to read.
std::int64_t LetterReader::read_word(std::int64_t i) {
  const int value = letter(i);
  if (value >= 0 && !is_article(i)) return read_letter(i);
  const std::uint64_t found = value < 0 ? tokens_[i].classes : std::uint64_t{kFiller};
  const std::int64_t previous_word = last_word_;
  plain_word(i);
  read_classes(i, found, previous_word);
  return i + 1;
}

void LetterReader::read_classes(std::int64_t i, std::uint64_t found, std::int64_t previous_word) {
  if (found == 0 && cue_ == Cue::kNone) {  // most words
    denial_ = false;
    clear();
    return;
  }
  const auto is = [&found](std::uint64_t word_class) { return (found & word_class) != 0; };
  if (is(kDenial)) {
    if ((classes(i + 1) & kWordSpanishVerb) != 0) {
      found |= kNot;
    } else if (is_mark(i + 1, U",")) {
      end_text_cue(i);
      clear();
      cue_ = Cue::kCorrection;
      return;
    }
  }
  if (is(kDoubt)) doubted_ = true;
  if (is(kRelease)) supposed_ = false;
  if (is(kNot)) {
    denial_ = true;
    denied_ = cue_ != Cue::kNone;
    return;
  }
  if (denial_ && is(kWordOf)) return;  // "none of A and B"
  const bool denial = denial_;
  denial_ = false;
  const std::uint64_t before = previous_word >= 0 ? classes(previous_word) : 0;
  const std::uint64_t previous = classes(i - 1);
  const bool pending_cue =
      cue_ == Cue::kArmed || cue_ == Cue::kWeak || cue_ == Cue::kCorrection || cue_ == Cue::kReject;
  if (is(kRejecter) || (is(kWordOf) && (previous & kWordInstead) != 0) ||
      (is(kWordOut) && (previous & kWordRule) != 0)) {
    end_text_cue(i);
    clear();
    cue_ = Cue::kReject;
  } else if (is(kHypothesis)) {
    end_text_cue(i);
    clear();
    supposed_ = true;
  } else if (is(kContrast)) {
    end_text_cue(i);
    clear();
    supposed_ = false;
    if (contrast_) cue_ = Cue::kCorrection;
  } else if (is(kCorrection) && cue_ != Cue::kArmed) {
    clear();
    cue_ = Cue::kCorrection;
  } else if (pending_cue && is(kFiller) && !is(kNoun)) {
    if (cue_ == Cue::kWeak || cue_ == Cue::kCorrection) {  // "so the best option is C"
      if (is(kCopula) && named_) {
        arm(Cue::kAdjective, denied_);
      } else if (is(kAdjective) || is(kOption)) {
        named_ = true;
      }
    }
  } else if (is(kNoun) && cue_ != Cue::kReject) {
    const bool denied = (denied_ && (cue_ == Cue::kArmed || cue_ == Cue::kWeak)) || denial;
    end_text_cue(i);
    clear();
    name(Cue::kNoun, i, denied);
  } else if (is(kCopula) && is_noun(cue_)) {
    arm(cue_, denied_);
  } else if (is(kCopula) && ((before & kSubject) != 0 || concluding_)) {
    clear();
    cue_ = Cue::kWeak;
    denied_ = denial;
  } else if (is(kAdjective)) {
    if (cue_ == Cue::kNone || cue_ == Cue::kOption) name(Cue::kAdjective, i, denial || denied_);
  } else if (is(kOption)) {
    if ((cue_ == Cue::kNoun || cue_ == Cue::kAdjective) && noun_at_ == previous_word) {
      noun_at_ = i;  // "answer option C"
    } else {
      end_text_cue(i);
      clear();
      name(Cue::kOption, i, denial);
    }
  } else if (is(kVerb) || (is(kParticle) && (before & kGoVerb) != 0)) {
    const bool denied = denial || denied_;
    end_text_cue(i);
    arm(Cue::kNone, denied);
  } else if (is(kGoVerb)) {
    denial_ = denial;  // "not go with A"
  } else if (is(kConclusion) || (is(kWeak) && !is_noun(cue_))) {
    const bool denied = (denial || denied_) && !is(kConclusion);
    end_text_cue(i);
    clear();
    cue_ = Cue::kWeak;
    denied_ = denied;
    if (is(kConclusion)) {
      supposed_ = false;
      concluding_ = true;
    }
  } else if (is_noun(cue_)) {
    count_down();
  } else if (cue_ == Cue::kArmed) {
    end_text_cue(i);
    const Cue noun = noun_;
    const bool denied = denied_;
    clear();
    if (noun != Cue::kNone && !denied) {
      cue_ = noun;
      count_down();
    }
  } else {
    clear();
  }
}

// Judges the group that begins at this letter (sections 4 and 5).
std::int64_t LetterReader::read_letter(std::int64_t i) {
  const Group group = this->group(i);
  std::int64_t last = group.found.last;
  const bool enumerates = judge(i, group);
  std::int64_t letters = 1;
  if (enumerates) {
    last = i;
  } else {
    for (std::int64_t k = i + 1; k <= last; ++k) letters += letter(k) >= 0;
  }
  line_words_ += letters;
  sentence_letters_ += letters;
  sentence_letter_ = i;
  if (enumerates || asked(last)) ++sentence_words_;
  last_word_ = last;
  denial_ = false;
  clear();
  return last + 1;
}

// Puts the group where it belongs. True if it is a label of an enumeration.
bool LetterReader::judge(std::int64_t i, const Group& group) {
  const Found& found = group.found;
  const Token& token = tokens_[i];
  Judged judged;
  judged.wrapped = is_wrapped(i);
  const bool named = (cue_ == Cue::kNoun || cue_ == Cue::kOption) && noun_at_ == last_word_;
  judged.counts = token.upper || judged.wrapped || named;
  const bool copula = line_words_ > 0 && sentence_words_ > 0 &&
                      (classes(last_word_) & (kCopula | kPlural)) == kCopula;
  judged.closes = (judged.counts || (token.letter != 0 && token.letter != kLetterI)) &&
                  clause_ends(found.last + 1);
  judged.label = found.first == found.last && is_label(i);
  if (judged.label && is_stated(i)) stated.add(found);
  const Verdict said = verdict(found.last, judged.label);
  if (cue_ == Cue::kReject || denied_ || denial_ || said == Verdict::kWrong) {
    for (int letter = 0; letter < kSeveral; ++letter) {
      if ((group.letters >> letter & 1u) != 0) rejected.add(letter, found.first);
    }
    contrast_ = true;
  } else if (asked(found.last) || (supposed_ && cue_ != Cue::kNone)) {
    return false;
  } else if (said == Verdict::kGood && judged.counts) {
    declared.add(found);
  } else if (cue_ == Cue::kArmed) {
    declared.add(found);
  } else if (cue_ == Cue::kCorrection && judged.closes) {
    declared.add(found);
  } else if (cue_ == Cue::kWeak && judged.closes) {
    (doubted_ ? declared : concluded).add(found);
  } else if ((named && cue_ == Cue::kNoun) ||              // "answer C"
             (copula && judged.wrapped && token.upper) ||  // "the missing shape is **(C)**"
             (said == Verdict::kFits && judged.counts)) {
    concluded.add(found);
  } else {
    return judge_weak(i, group, judged);
  }
  return false;
}

// Labels, mentions and enumerations.
bool LetterReader::judge_weak(std::int64_t i, const Group& group, const Judged& judged) {
  const Found& found = group.found;
  const int value = tokens_[i].letter;
  const char32_t style = label_style(i);
  if (value == next_label_ && style != 0 && style == style_) {
    ++next_label_;
    line_label_ = true;
    enumerated = true;
    pending_tier_ = nullptr;
    return true;
  }
  const bool option = cue_ == Cue::kOption && noun_at_ == last_word_;
  const bool single = found.first == found.last;
  Tier* tier = nullptr;
  if (judged.label && (tokens_[i].upper || value < count_)) {
    line_label_ = true;
    if (last_word_ < 0 || (option && last_word_ == first_word_)) headline_ = Headline::kOpens;
    tier = headline_ == Headline::kAlone ? &spare_ : &labelled;
  } else if (judged.counts && (option || judged.wrapped ||
                               (found.index == kSeveral &&
                                (joined(found) || (line_words_ == 0 && judged.closes))))) {
    tier = &mentioned;
  }
  if (tier == nullptr) return false;
  if (value == 0 && style != 0 && (judged.label || !option) && (single || judged.wrapped)) {
    keep_pending();
    next_label_ = 1;
    style_ = style;
    pending_tier_ = tier;
    pending_ = {value, i, i};
    return !single;
  }
  tier->add(found);
  return false;
}

void LetterReader::keep_pending() {
  if (pending_tier_ != nullptr) pending_tier_->add(pending_);
  pending_tier_ = nullptr;
}

}  // namespace fastvbench::parse::choice
