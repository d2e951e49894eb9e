// Letters and the cues before and after them (tests/reference/choice_letters.py; sections 3 to 6 of
// tests/reference/choices.py).
#pragma once

#include <cstdint>

#include "parse/choice_regions.h"
#include "parse/choice_tokens.h"
#include "parse/choice_words.h"

namespace fastvbench::parse::choice {

constexpr int kSeveral = 26;  // in place of an option's index: several options at once

/// An option (or kSeveral) and the tokens first to last that say so; index -1: nothing found.
struct Found {
  int index = -1;
  std::int64_t first = -1;
  std::int64_t last = -1;

  explicit operator bool() const { return index >= 0; }
  /// A letter of the alphabet, or several.
  bool decides(std::int64_t count) const {
    return index >= 0 && (index == kSeveral || index < count);
  }
};

/// For each letter the token of its last rejection, if any.
class Rejections {
 public:
  void add(int letter, std::int64_t token) {
    present_ |= 1u << letter;
    at_[letter] = token;
  }
  bool has(int letter) const { return (present_ >> letter & 1u) != 0; }
  std::int64_t at(int letter) const { return at_[letter]; }

 private:
  std::uint32_t present_ = 0;
  std::int64_t at_[kSeveral];
};

/// The candidates of one strength: for each letter, and for kSeveral, the last one.
class Tier {
 public:
  void add(const Found& found) {
    present_ |= 1u << found.index;
    first_[found.index] = found.first;
    last_[found.index] = found.last;
  }
  /// The last candidate that was not rejected after it.
  Found last(const Rejections& rejected) const;
  /// The one candidate, or several; letters outside the alphabet give way to those inside.
  /// `later`: only rejections after a candidate count.
  Found only(const Rejections& rejected, std::int64_t count, bool later) const;

 private:
  std::uint32_t kept(const Rejections& rejected, bool later) const;

  std::uint32_t present_ = 0;
  std::int64_t first_[kSeveral + 1];
  std::int64_t last_[kSeveral + 1];
};

/// Reads the tokens of one region once, from left to right.
class LetterReader {
 public:
  LetterReader(const Token* tokens, Region region, std::int64_t count)
      : tokens_(tokens), low_(region.low), high_(region.high), count_(count) {}

  /// Section 3: all words are letters, or join letters.
  Found whole() const;
  /// Collects all candidates.
  void read();

  Tier declared;
  Tier concluded;
  Tier labelled;
  Tier stated;  // labels whose text is "correct"
  Tier mentioned;
  Rejections rejected;
  bool enumerated = false;
  bool ends_armed = false;
  std::int64_t text_cue_first = -1;  // where an option's text may stand after the last armed cue
  std::int64_t text_cue_stop = -1;

 private:
  enum class Verdict : std::uint8_t { kNone, kWrong, kGood, kFits, kSubject };
  enum class Headline : std::uint8_t { kNone, kOpens, kAlone };
  // Letters joined to one statement: the letter, or several, and all letters as bits.
  struct Group {
    Found found;
    std::uint32_t letters = 0;
  };
  struct Judged {
    bool label = false;
    bool counts = false;
    bool wrapped = false;
    bool closes = false;
  };

  const Token* at(std::int64_t i) const { return i >= low_ && i < high_ ? tokens_ + i : nullptr; }
  bool is_word(std::int64_t i) const {
    const Token* token = at(i);
    return token != nullptr && token->kind == Kind::kWord;
  }
  std::uint64_t classes(std::int64_t i) const {
    const Token* token = at(i);
    return token == nullptr ? 0 : token->classes;
  }
  bool is_mark(std::int64_t i, const char32_t* marks) const;
  bool glued(std::int64_t i) const {
    const Token* token = at(i);
    return token != nullptr && token->glued;
  }
  int value(std::int64_t i) const {
    const Token* token = at(i);
    return token == nullptr ? -1 : token->letter;
  }
  int letter(std::int64_t i) const { return value(i) < 0 ? -1 : letter_unless_compound(i); }
  int letter_unless_compound(std::int64_t i) const;
  std::int64_t skip_right(std::int64_t i) const;
  std::int64_t skip_open(std::int64_t i) const;
  bool is_article(std::int64_t i) const;
  Group group(std::int64_t i) const;

  Verdict verdict(std::int64_t last, bool strict) const;
  Verdict predicate(std::int64_t i, bool strict) const;
  Verdict cjk_verdict(std::int64_t i) const;
  bool clause_ends(std::int64_t i) const;
  bool is_wrapped(std::int64_t i) const;
  bool is_label(std::int64_t i) const;
  char32_t label_style(std::int64_t i) const;
  bool is_stated(std::int64_t i) const;
  bool asked(std::int64_t last) const { return is_mark(skip_right(last + 1), U"?"); }
  bool joined(const Found& found) const;

  void arm(Cue noun, bool denied);
  void clear();
  void name(Cue cue, std::int64_t i, bool denied);
  void count_down();
  void end_text_cue(std::int64_t stop);
  void end_sentence(bool own_line);
  void read_line(std::int64_t i);
  void read_mark(std::int64_t i);
  void read_cjk(std::int64_t i);
  void plain_word(std::int64_t i);
  std::int64_t read_word(std::int64_t i);
  void read_classes(std::int64_t i, std::uint64_t classes, std::int64_t previous_word);
  std::int64_t read_letter(std::int64_t i);
  bool judge(std::int64_t i, const Group& group);
  bool judge_weak(std::int64_t i, const Group& group, const Judged& judged);
  void keep_pending();
  static bool is_noun(Cue cue) {
    return cue == Cue::kNoun || cue == Cue::kAdjective || cue == Cue::kOption;
  }

  const Token* tokens_;
  std::int64_t low_;
  std::int64_t high_;
  std::int64_t count_;

  // The clause.
  Cue cue_ = Cue::kNone;
  Cue noun_ = Cue::kNone;  // the noun behind an armed cue
  int reach_ = 0;
  bool named_ = false;            // an option noun after a weak cue: a copula arms it
  bool denied_ = false;           // the cue stands under a denial
  bool denial_ = false;           // a denial right before
  bool supposed_ = false;         // after "if"
  bool contrast_ = false;         // a letter was rejected in this sentence
  bool concluding_ = false;       // a conclusion opened the sentence: "therefore, x is C"
  bool doubted_ = false;          // after "wait"
  std::int64_t noun_at_ = -1;     // the last cue noun
  std::int64_t text_begin_ = -1;  // the first word after an armed cue
  std::int64_t text_from_ = -1;   // the same, since the noun was first armed
  std::int64_t last_word_ = -1;   // the last word or CJK character
  std::int64_t first_word_ = -1;  // the word that opens the text, if it is no letter

  // Lines and sentences.
  std::int64_t line_words_ = 0;
  std::int64_t sentence_words_ = 0;  // words other than letters and option nouns
  std::int64_t sentence_letters_ = 0;
  std::int64_t sentence_letter_ = -1;
  bool sentence_own_line_ = true;
  std::int64_t lone_ = -1;  // the letter that was the last sentence
  bool lone_own_line_ = false;

  // Enumeration.
  int next_label_ = -1;
  char32_t style_ = 0;
  Tier* pending_tier_ = nullptr;  // of the first label, until it is known to stand alone
  Found pending_;
  Headline headline_ = Headline::kNone;
  bool line_label_ = false;  // this line begins with a label
  Tier spare_;               // labels that explain
};

}  // namespace fastvbench::parse::choice
