// What is said of letters: groups, verdicts, labels. The pass itself is in choice_clauses.cpp.
#include "parse/choice_letters.h"

namespace fastvbench::parse::choice {
namespace {

constexpr int kMostGroupLetters = 26;
constexpr int kPredicateReach = 4;     // words between a verb and its verdict
constexpr int kCjkPredicateReach = 6;  // characters
constexpr int kLetterI = 'I' - 'A';
constexpr char32_t kOpeners[] = U"([<\"'";
constexpr char32_t kClosers[] = U")]>\"'";

bool is_one_of(char32_t code, const char32_t* set) {
  for (; *set != 0; ++set) {
    if (*set == code) return true;
  }
  return false;
}
bool is_mark_up(const Token& token, const char32_t* marks) {
  return token.kind == Kind::kWrap || (token.kind == Kind::kMark && is_one_of(token.code, marks));
}
// A and I, in either case, are also words.
bool is_a_or_i(const Token& token) { return token.letter == 0 || token.letter == kLetterI; }

}  // namespace

// ---- tiers ------------------------------------------------------------------------------------

std::uint32_t Tier::kept(const Rejections& rejected, bool later) const {
  std::uint32_t kept = 0;
  for (int index = 0; index <= kSeveral; ++index) {
    if ((present_ >> index & 1u) == 0) continue;
    const bool counts = rejected.has(index) && (!later || rejected.at(index) >= first_[index]);
    if (!counts) kept |= 1u << index;
  }
  return kept;
}

Found Tier::last(const Rejections& rejected) const {
  Found found;
  const std::uint32_t kept = this->kept(rejected, true);
  for (int index = 0; index <= kSeveral; ++index) {
    if ((kept >> index & 1u) != 0 && first_[index] > found.first) {
      found = {index, first_[index], last_[index]};
    }
  }
  return found;
}

Found Tier::only(const Rejections& rejected, std::int64_t count, bool later) const {
  const std::uint32_t kept = this->kept(rejected, later);
  const std::uint32_t inside = kept & (((1u << count) - 1u) | (1u << kSeveral));
  const std::uint32_t chosen = inside != 0 ? inside : kept;
  Found found;
  int chosen_count = 0;
  for (int index = 0; index <= kSeveral; ++index) {
    if ((chosen >> index & 1u) == 0) continue;
    ++chosen_count;
    if (chosen_count == 1) {
      found = {index, first_[index], last_[index]};
      continue;
    }
    found.index = kSeveral;
    if (first_[index] < found.first) found.first = first_[index];
    if (last_[index] > found.last) found.last = last_[index];
  }
  return found;
}

// ---- letters and groups -----------------------------------------------------------------------

bool LetterReader::is_mark(std::int64_t i, const char32_t* marks) const {
  const Token* token = at(i);
  return token != nullptr && (token->kind == Kind::kMark || token->kind == Kind::kWrap) &&
         is_one_of(token->code, marks);
}

// The value of the letter at this token, -1 for parts of compounds.
int LetterReader::letter_unless_compound(std::int64_t i) const {
  const int value = tokens_[i].letter;
  constexpr int kN = 'N' - 'A';
  if (glued(i + 1)) {
    const bool touches = is_word(i + 2) && glued(i + 2);
    const int next = this->value(i + 2);
    if (touches && is_mark(i + 1, U"-'")) return -1;
    if (is_mark(i + 1, U"+#%@")) return -1;
    if (touches && next >= 0 && is_mark(i + 1, U".")) return -1;
    if (touches && value == kN && next == 0 && is_mark(i + 1, U"/")) return -1;
  }
  if (glued(i)) {
    const bool touches = glued(i - 1) && is_word(i - 2);
    const int previous = this->value(i - 2);
    if (touches && is_mark(i - 1, U"-'") && (classes(i - 2) & (kNoun | kOption)) == 0) return -1;
    if (is_mark(i - 1, U"@#%")) return -1;
    if (touches && previous >= 0 && is_mark(i - 1, U".")) return -1;
    if (touches && previous == kN && value == 0 && is_mark(i - 1, U"/")) return -1;
  }
  return value;
}

Found LetterReader::whole() const {
  Found found;
  for (std::int64_t i = low_; i < high_; ++i) {
    const Token& token = tokens_[i];
    if (token.kind != Kind::kWord) {
      if (token.kind == Kind::kCjk || is_mark(i, U"✗")) return Found();
      continue;
    }
    const int value = letter(i);
    if (value < 0) {
      if ((token.classes & (kAnd | kOr | kWordBothEither)) != 0) continue;
      return Found();
    }
    if (!found) {
      found = {value, i, i};
    } else if (found.index != value) {
      found = {kSeveral, found.first, i};
    }
  }
  return found;
}

std::int64_t LetterReader::skip_right(std::int64_t i) const {
  while (i >= low_ && i < high_ && is_mark_up(tokens_[i], kClosers)) ++i;
  return i;
}

std::int64_t LetterReader::skip_open(std::int64_t i) const {
  while (i >= low_ && i < high_ && is_mark_up(tokens_[i], kOpeners)) ++i;
  return i;
}

// An unwrapped A, I or lower-case letter with a plain word right after it.
bool LetterReader::is_article(std::int64_t i) const {
  const Token& token = tokens_[i];
  if (token.upper && (!is_a_or_i(token) || (cue_ == Cue::kOption && noun_at_ == i - 1))) {
    return false;
  }
  const std::uint64_t goes_on = token.letter == kLetterI ? kGoesOnI : kGoesOn;
  return is_word(i + 1) && (classes(i + 1) & goes_on) == 0;
}

LetterReader::Group LetterReader::group(std::int64_t i) const {
  Group group;
  group.found = {letter(i), i, i};
  group.letters = 1u << group.found.index;
  const bool upper = tokens_[i].upper;
  for (int letters = 1; letters < kMostGroupLetters; ++letters) {
    bool is_joined = false;
    bool by_or = false;
    std::int64_t after = skip_right(group.found.last + 1);
    const bool closed = after > group.found.last + 1;
    if (is_mark(after, U",/&+")) {
      is_joined = true;
      ++after;
    }
    const Token* token = at(after);
    if ((classes(after) & (kAnd | kOr)) != 0 && letter(after) < 0) {
      is_joined = true;
      by_or = (classes(after) & kOr) != 0;
      ++after;
    } else if (!is_joined && token != nullptr && token->kind == Kind::kCjk) {
      if (!is_one_of(token->code, U"和或与與とや")) break;
      is_joined = true;
      ++after;
    }
    if (by_or && (classes(after) & kWeak) != 0) ++after;  // "or maybe B"
    const std::int64_t opened = skip_open(after);
    if (closed && !is_joined && opened == after) break;  // "(A) A ..."
    after = opened;
    token = at(after);
    if ((classes(after) & kOption) != 0 && letter(after) < 0) {
      after = skip_open(after + 1);
    } else if (token != nullptr && token->kind == Kind::kCjk && is_one_of(token->code, U"选選")) {
      const Token* following = at(after + 1);
      if (following == nullptr || !is_one_of(following->code, U"项項")) break;
      after = skip_open(after + 2);
    }
    const int value = letter(after);
    if (value < 0 || (upper && !tokens_[after].upper) || (!upper && !is_joined)) break;
    if (is_article(after)) break;
    if (is_word(after + 1)) {
      const std::uint64_t next = classes(after + 1);
      if ((next & kBe) != 0 && (next & kPlural) == 0 && !by_or) break;
      constexpr std::uint64_t kEnds = kBe | kBecause | kAnd | kOr | kPlural;
      if ((next & kEnds) == 0 && letter(after + 1) < 0) break;
    }
    group.letters |= 1u << value;
    group.found.last = after;
    if (value != group.found.index) group.found.index = kSeveral;
  }
  return group;
}

bool LetterReader::joined(const Found& found) const {
  for (std::int64_t i = found.first; i <= found.last; ++i) {
    if ((classes(i) & (kAnd | kOr)) != 0) return true;
  }
  return false;
}

// ---- what is said after a group -----------------------------------------------------------------

// `strict`: the group may be a label, and what follows its bracket an option's text, such as "(A)
// is not moving". Only a plain "is wrong" or "is not correct" is said of it then.
LetterReader::Verdict LetterReader::verdict(std::int64_t last, bool strict) const {
  std::int64_t i = skip_right(last + 1);
  strict = strict && i > last + 1;
  const Token* token = at(i);
  if (token == nullptr) return Verdict::kNone;
  if (is_mark(i, U"✓")) return Verdict::kGood;
  if (is_mark(i, U"✗")) return Verdict::kWrong;
  if (token->kind == Kind::kCjk) return strict ? Verdict::kNone : cjk_verdict(i);
  for (int step = 0; step < kPredicateReach; ++step) {
    const std::uint64_t found = classes(i);
    if ((found & kAdverb) == 0 || (found & (kBe | kGood | kWrong)) != 0) break;
    i = skip_right(i + 1);
  }
  if (!is_word(i)) return Verdict::kNone;
  const std::uint64_t found = classes(i);
  if ((found & kFits) != 0) {
    const bool fits = (classes(i + 1) & kWell) != 0 || clause_ends(i + 1);
    return fits ? Verdict::kFits : Verdict::kSubject;
  }
  if ((found & kBe) != 0) return predicate(i, strict);
  if (!strict) {
    if ((found & kNot) != 0 && (found & kContracted) != 0) return Verdict::kWrong;
    if ((found & kWrong) != 0 && (found & kNot) == 0 && clause_ends(i + 1)) return Verdict::kWrong;
  }
  constexpr std::uint64_t kJoins = kBecause | kAnd | kOr | kNot | kRejecter;
  return (found & kJoins) != 0 ? Verdict::kNone : Verdict::kSubject;
}

// What the words after the verb at `i` say.
LetterReader::Verdict LetterReader::predicate(std::int64_t i, bool strict) const {
  bool denied = false;
  for (int step = 0; step < kPredicateReach; ++step) {
    i = skip_right(i + 1);
    if (!is_word(i)) break;
    const std::uint64_t found = classes(i);
    if (strict && (found & kNot) != 0) {
      denied = true;
      continue;
    }
    if ((found & (kWrong | kNot)) != 0 || (denied && (found & kGood) != 0)) return Verdict::kWrong;
    const bool plausible =
        (found & kPlausible) != 0 && (clause_ends(i + 1) || (classes(i + 1) & kRejecter) != 0);
    // "right" is no verdict in "A is the right angle".
    if ((found & kWordRight) != 0 && (classes(i + 1) & (kNoun | kOption | kWordOne)) == 0 &&
        !clause_ends(i + 1)) {
      break;
    }
    if ((found & kGood) != 0 || plausible) return Verdict::kGood;
    if ((found & (kAdverb | kBe)) == 0) break;
  }
  return Verdict::kSubject;
}

LetterReader::Verdict LetterReader::cjk_verdict(std::int64_t i) const {
  char32_t said[kCjkPredicateReach];
  int size = 0;
  for (const Token* token = at(i);
       size < kCjkPredicateReach && token != nullptr && token->kind == Kind::kCjk; token = at(i)) {
    said[size++] = token->code;
    ++i;
  }
  if (is_one_of(said[0], U"因由而")) return Verdict::kNone;
  if (says_stated(said, size)) {
    for (int k = 0; k < size; ++k) {
      if (said[k] == U'か') return Verdict::kNone;  // a question
    }
    return Verdict::kGood;
  }
  if (says_wrong(said, size)) return Verdict::kWrong;
  return says_good(said, size) ? Verdict::kGood : Verdict::kNone;
}

// No plain word and no question mark follows.
bool LetterReader::clause_ends(std::int64_t i) const {
  i = skip_right(i);
  if (!is_word(i)) return !is_mark(i, U"?");
  return (classes(i) & kBecause) != 0;
}

// Bracketed, bold, quoted or in dollars, the pair complete or not.
bool LetterReader::is_wrapped(std::int64_t i) const {
  const Token* before = at(i - 1);
  const Token* after = at(i + 1);
  const Token& token = tokens_[i];
  const bool opens = before != nullptr && token.glued &&
                     (before->kind == Kind::kCue || is_mark_up(*before, kOpeners));
  const bool closes = after != nullptr && after->glued &&
                      (after->kind == Kind::kClose || is_mark_up(*after, kClosers));
  return (opens && (closes || !is_word(i + 1))) || (closes && token.upper);
}

// First on its line, before a delimiter (section 4.6).
bool LetterReader::is_label(std::int64_t i) const {
  const Token& token = tokens_[i];
  const Token* after = at(i + 1);
  if (line_words_ != 0) {  // "Option C: ..."
    const bool option = cue_ == Cue::kOption && noun_at_ == last_word_;
    if (!option || line_words_ > 1 || !is_mark(i + 1, U".:")) return false;
  }
  if (token.letter == kLetterI && count_ <= kLetterI) return false;
  if (after == nullptr) return true;
  switch (after->kind) {
    case Kind::kLine:
    case Kind::kClose:
      return true;
    case Kind::kWord:
      return token.upper && (after->classes & kBecause) != 0 && !is_article(i);
    case Kind::kCjk:
    case Kind::kCue:
      return false;
    case Kind::kWrap:
      return after->glued;
    case Kind::kMark:
      break;
  }
  if (is_one_of(after->code, kClosers)) return after->glued;
  if (is_one_of(after->code, U".:")) return true;
  return token.upper && token.letter != kLetterI && is_one_of(after->code, U",;!-—(→✓");
}

// The delimiter after a label, 0 if there is none.
char32_t LetterReader::label_style(std::int64_t i) const {
  const Token* token = at(++i);
  while (token != nullptr && is_mark_up(*token, U"\"'")) token = at(++i);
  if (token == nullptr || token->kind == Kind::kLine || token->kind == Kind::kClose) return '\n';
  if (token->kind != Kind::kMark || !is_one_of(token->code, U".:)]-—")) return 0;
  return token->code == ']' ? U')' : token->code;
}

// "B: correct", "B. x ✓": the word after the label's delimiter is all there is.
bool LetterReader::is_stated(std::int64_t i) const {
  i = skip_right(i + 1);
  if (is_mark(i, U".:-—")) i = skip_open(i + 1);
  if (is_mark(i, U"✓")) return true;
  if ((classes(i) & kWordStated) == 0) return false;
  const Token* after = at(skip_right(i + 1));
  return after == nullptr || after->kind == Kind::kLine || after->kind == Kind::kClose ||
         after->kind == Kind::kMark;
}

}  // namespace fastvbench::parse::choice
