// The words that the choice grammar knows; the meaning of a class is in
// tests/reference/choice_words.py.
#pragma once

#include <cstdint>

namespace fastvbench::parse::choice {

enum WordClass : std::uint64_t {
  kNoun = 1ull << 0,
  kOption = 1ull << 1,
  kAdjective = 1ull << 2,
  kCopula = 1ull << 3,
  kFiller = 1ull << 4,
  kNot = 1ull << 5,
  kRejecter = 1ull << 6,
  kHypothesis = 1ull << 7,
  kVerb = 1ull << 8,
  kGoVerb = 1ull << 9,
  kParticle = 1ull << 10,
  kWeak = 1ull << 11,
  kConclusion = 1ull << 12,
  kCorrection = 1ull << 13,
  kDoubt = 1ull << 14,
  kContrast = 1ull << 15,
  kSubject = 1ull << 16,
  kBecause = 1ull << 17,
  kAnd = 1ull << 18,
  kOr = 1ull << 19,
  kBe = 1ull << 20,
  kPlural = 1ull << 21,
  kWrong = 1ull << 22,
  kGood = 1ull << 23,
  kFits = 1ull << 24,
  kAdverb = 1ull << 25,
  kWell = 1ull << 26,
  kPlausible = 1ull << 27,
  kRelease = 1ull << 28,
  kDenial = 1ull << 29,
  kGoesOn = 1ull << 30,
  kGoesOnI = 1ull << 31,
  // Single words that a rule names.
  kWordOf = 1ull << 32,
  kWordInstead = 1ull << 33,
  kWordOut = 1ull << 34,
  kWordRule = 1ull << 35,
  kWordBothEither = 1ull << 36,
  kWordStated = 1ull << 37,  // correct, right
  kWordAns = 1ull << 38,
  kWordSpanishVerb = 1ull << 39,  // after "no", a denial
  kWordJson = 1ull << 40,
  kWordNull = 1ull << 41,
  kWordOne = 1ull << 42,
  kWordArticle = 1ull << 43,
  kContracted = 1ull << 44,  // ends in n't
  kNumberWord = 1ull << 45,  // zero to twenty
  kRefusalStart = 1ull << 46,
  kWordRight = 1ull << 47,
  // Of short answers (tests/reference/short_answer_words.py).
  kShortAdverb = 1ull << 48,
  kExplains = 1ull << 49,
  kExplainsAfterAs = 1ull << 50,
  kExplainsAfterComma = 1ull << 51,
  kEquals = 1ull << 52,
  kPolarity = 1ull << 53,
  kAbbreviation = 1ull << 54,
  kAbbreviationOfNumbered = 1ull << 55,
  kWordAs = 1ull << 56,
};

/// Hash of a folded word, one code point at a time from kHashSeed.
constexpr std::uint64_t kHashSeed = 0xcbf29ce484222325ull;
constexpr std::uint64_t hash_step(std::uint64_t hash, std::uint32_t code) {
  return (hash ^ code) * 0x100000001b3ull;
}

/// One known word: its classes and its UTF-8 text.
struct KnownWord {
  std::uint64_t classes = 0;
  const char* text = nullptr;
  std::int32_t size = 0;
};

/// The known word with this hash, or null; the caller compares the text.
const KnownWord* known_word(std::uint64_t hash);

/// The value of a number word from its hash: 0 to 20.
int number_word_value(std::uint64_t hash);

/// What the state of a clause says of the next letter.
enum class Cue : std::uint8_t {
  kNone,
  kNoun,
  kAdjective,
  kOption,
  kArmed,
  kWeak,
  kCorrection,
  kReject,
};

constexpr int kCjkCueLength = 5;

/// The longest cue that ends a run of characters; `run` holds its last `size` ones, at most
/// kCjkCueLength. False where none does.
bool cjk_cue(const char32_t* run, int size, Cue* cue);

/// Whether a verdict stands anywhere in the characters right after a letter.
/// Whether the characters begin with a plain statement that a letter is the answer.
bool says_stated(const char32_t* said, int size);
bool says_wrong(const char32_t* said, int size);
bool says_good(const char32_t* said, int size);

/// 1 to 3 for an answer-like key of JSON (folded, without underscores), the higher is read; else 0.
int answer_key_rank(const char32_t* name, int size);

bool is_answer_tag(const char32_t* name, int size);
bool is_style_command(const char32_t* name, int size);

/// Phrases that decline to answer: words with single spaces; characters without spaces.
struct PhraseList {
  const char* const* phrases;
  int count;
};
PhraseList refusal_phrases();
struct CjkPhraseList {
  const char32_t* const* phrases;
  int count;
};
CjkPhraseList cjk_refusals();

}  // namespace fastvbench::parse::choice
