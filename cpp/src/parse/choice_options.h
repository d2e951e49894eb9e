// Option texts in an answer (tests/reference/choice_options.py; sections 8 and 9 of
// tests/reference/choices.py).
#pragma once

#include <cstdint>

#include "fastvbench/buffer.h"
#include "fastvbench/text_column.h"
#include "parse/choice_atoms.h"
#include "parse/choice_letters.h"
#include "parse/choice_tokens.h"

namespace fastvbench::parse::choice {

/// Holds the option texts of one row, then finds them in its answer. Reused from row to row, so
/// that memory is allocated only when a row is larger than all before. Functions that return bool
/// are false where memory ran out.
class OptionTexts {
 public:
  /// False where the answer surely isn't the option's text and nothing else. Needs no preparation.
  static bool may_be_whole(TextView option, const Token* tokens, Region region);
  /// Reads the options [begin, end) of `texts`.
  bool set_options(const TextColumn& texts, std::int64_t begin, std::int64_t end);
  /// Reads the answer and marks where option texts stand in it.
  bool set_answer(const char* text, const Token* tokens, Region region);

  /// The answer is one option's text and nothing else.
  Found whole() const;
  /// The option whose whole text is this letter, which is outside the alphabet.
  Found named(const Found& letter) const;
  /// An option text that begins at one of the first atoms from token `first` to `stop`.
  Found after_cue(std::int64_t first, std::int64_t stop) const;
  /// The one option whose text stands first on a line, before a mark or the line's end.
  Found first_on_line() const;
  /// The one option mentioned anywhere.
  Found mentioned() const;

 private:
  // A word, character or mark that is compared. `id` is the same for equal ones, -1 where no option
  // has it.
  struct Atom {
    std::int64_t token;
    std::int64_t id;
  };
  // An atom of the options, once for equal ones.
  struct Entry {
    Token token;
    const char* text;
  };
  // The longest option text that begins at an atom of the answer.
  struct Match {
    std::int64_t size;  // in atoms, 0 for none
    int option;
  };
  static std::int64_t label_size(const Token* tokens, std::int64_t count);
  bool find_all();

  bool add_option(TextView text);
  bool rehash(std::int64_t slot_count);
  std::int64_t slot_for(const Token& token, const char* text) const;
  bool mark_option(int option);
  std::int64_t size_of(int option) const { return ends_[option + 1] - ends_[option]; }
  Found found(std::int64_t atom, std::int64_t size, int option) const {
    return {option, atoms_[atom].token, atoms_[atom + size - 1].token};
  }
  Found match_at(std::int64_t atom) const {
    const Match& match = matches_[atom];
    return match.size == 0 ? Found() : found(atom, match.size, match.option);
  }
  bool ends_clause(std::int64_t last) const;
  bool denied(std::int64_t atom) const;
  std::int64_t sole_number(CanonicalNumber* number) const;
  const Token& token(std::int64_t atom) const { return tokens_[atoms_[atom].token]; }

  // Options.
  int count_ = 0;
  std::int64_t ends_[kSeveral + 2] = {};  // of each option's ids
  Buffer<std::int64_t> ids_;
  CanonicalNumber numbers_[kSeveral];
  std::int8_t lone_letters_[kSeveral] = {};  // the letter that is an option's whole text, or -1
  Buffer<Token> option_tokens_;
  Buffer<Entry> entries_;
  Buffer<std::int64_t> slots_;  // open addressing into entries_, -1 free
  // Answer.
  const char* text_ = nullptr;
  const Token* tokens_ = nullptr;
  Region region_;
  Buffer<Atom> atoms_;
  Buffer<Match> matches_;
  Buffer<std::int64_t> failures_;
};

}  // namespace fastvbench::parse::choice
