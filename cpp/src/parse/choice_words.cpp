// Tables are built at compile time, so nothing runs at load and no global is written.
#include "parse/choice_words.h"

namespace fastvbench::parse::choice {
namespace {

struct ClassWords {
  std::uint64_t word_class;
  const char* words;  // separated by single spaces
};

constexpr ClassWords kClasses[] = {
    {kNoun,
     "answer answers final_answer correct_answer ans solution answered réponse réponses antwort "
     "lösung respuesta solución assistant conclusion verdict prediction response result"},
    {kOption,
     "option choice opción opcion choix l'option"},
    {kAdjective,
     "correct best appropriate accurate suitable closest correcta correcto correcte bonne "
     "meilleure richtig richtige richtigen beste besten mejor bon final letter letra lettre "
     "buchstabe"},
    {kCopula,
     "is be are was being remains est sera serait ist wäre lautet es sería seria será"},
    {kFiller,
     "is be are was est sera serait ist wäre lautet es sería seria será the option choice "
     "options opción opcion choix letter letra lettre buchstabe therefore thus hence clearly "
     "definitely likely most probably indeed to have of course correct best simply just only "
     "obviously it it's its that's la le l' el die der das den los las les un une eine ein una "
     "also donc daher doch en si wohl definitiv wahrscheinlich probablemente probablement "
     "claramente clairement número number labeled labelled answer answers réponse antwort "
     "respuesta i think believe would say"},
    {kNot,
     "not none never neither nor n't isn't aren't wasn't weren't can't cannot couldn't won't "
     "wouldn't shouldn't mustn't doesn't don't didn't isnt cant dont nicht kein keine weder pas "
     "n'est jamais ni tampoco"},
    {kRejecter,
     "than over except excluding exclude excludes excluded eliminate eliminates eliminated "
     "eliminating reject rejects rejected rejecting discard discarded discarding unlike außer "
     "excepto sauf"},
    {kHypothesis,
     "if whether unless suppose supposing wenn falls ob"},
    {kVerb,
     "choose chose choosing chosen pick picked picking select selected selecting prefer choisis "
     "choisirais wähle waehle nehme elijo escojo selecciono elegiría"},
    {kGoVerb,
     "go going gone went stick sticking opt opting opted vote settle settling settled lean "
     "leaning"},
    {kParticle,
     "with for on toward towards"},
    {kWeak,
     "think believe guess say probably likely definitely maybe perhaps suspect assume conclude "
     "suggests suggesting indicates indicating means it's its that's c'est finally obviously "
     "clearly must es glaube denke creo pense crois vermutlich wahrscheinlich probablemente "
     "probablement"},
    {kConclusion,
     "so therefore thus hence consequently accordingly also donc daher deshalb folglich somit "
     "luego entonces"},
    {kCorrection,
     "wait actually correction oops instead rather"},
    {kDoubt,
     "wait correction oops reconsider scratch mistake"},
    {kContrast,
     "but sondern sino mais however"},
    {kSubject,
     "it that this one must should would will could might may das esto eso"},
    {kBecause,
     "because since as due given not instead rather based considering denn weil parce car "
     "puisque porque pues da per according which where from in with while whereas although "
     "though but so for"},
    {kGoesOn,
     "because since as due not and or nor but is are was were isn't aren't wasn't weren't seems "
     "appears does doesn't has could would should cannot can't couldn't over than rather "
     "instead though although whereas which weil denn parce porque pues puisque sondern sino "
     "mais ist est es sont sind son nicht pas n'est und oder et ou y o"},
    {kGoesOnI,
     "because since as due and or nor but is isn't over than rather instead which weil und oder"},
    {kAnd,
     "and und et y"},
    {kOr,
     "or nor oder ou o"},
    {kBe,
     "is are was were be seems seem appears must can could would should might may does do did "
     "has have looks remains est sont ist sind es son sería"},
    {kPlural,
     "are were both seem do have sont sind son can could would should might may must all"},
    {kWrong,
     "not incorrect wrong false never inaccurate unlikely eliminated impossible irrelevant "
     "ruled excluded invalid incorrectly mistaken nicht falsch pas faux fausse incorrecte "
     "incorrecta incorrecto falsa falso"},
    {kGood,
     "correct right true best accurate appropriate answer better closest suitable valid richtig "
     "korrekt correcte correcta correcto bonne vrai vraie juste verdadera cierta antwort "
     "richtige réponse respuesta"},
    {kFits,
     "fits matches fit match"},
    {kAdverb,
     "both all also likely clearly obviously probably therefore thus definitely alone the a an "
     "most very considered be being to have been la le die der el indeed certainly simply just "
     "only then too completely definitively more much far my our además aussi auch"},
    {kWell,
     "best well the perfectly with most better this all here"},
    {kPlausible,
     "likely plausible probable"},
    {kRelease,
     "would i'd i'll then"},
    {kDenial,
     "no"},
    {kWordOf, "of"},
    {kWordInstead, "instead"},
    {kWordOut, "out"},
    {kWordRule, "rule ruled ruling rules"},
    {kWordBothEither, "both either"},
    {kWordStated, "correct right"},
    {kWordAns, "ans"},
    {kWordSpanishVerb, "es creo puede está elijo sería"},
    {kWordJson, "json"},
    {kWordNull, "null none"},
    {kWordOne, "one"},
    {kWordArticle, "a an the"},
    {kContracted,
     "n't isn't aren't wasn't weren't can't couldn't won't wouldn't shouldn't mustn't doesn't "
     "don't didn't"},
    {kNumberWord,
     "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
     "fifteen sixteen seventeen eighteen nineteen twenty"},
    {kRefusalStart,
     "i cannot can't can could unable not i'm im don't do insufficient impossible as je pas ne "
     "ich tut nicht kann no lo"},
};

constexpr int kSlots = 1024;  // a power of two, less than half full
constexpr std::uint64_t kFree = 0;

constexpr int slot_of(std::uint64_t hash) { return static_cast<int>(hash >> 54); }
static_assert(kSlots == 1 << (64 - 54), "slot_of gives every slot");

// Reads one code point of valid UTF-8 and moves past it.
constexpr std::uint32_t next_code(const char*& text) {
  const auto lead = static_cast<unsigned char>(*text++);
  if (lead < 0x80) return lead;
  const int more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  std::uint32_t code = lead & (0x3Fu >> more);
  for (int i = 0; i < more; ++i) code = code << 6 | (static_cast<unsigned char>(*text++) & 0x3Fu);
  return code;
}

struct WordTable {
  std::uint64_t hashes[kSlots] = {};  // apart from the words: most look-ups find nothing
  KnownWord words[kSlots] = {};

  constexpr WordTable() {
    for (const ClassWords& entry : kClasses) {
      const char* text = entry.words;
      while (*text != '\0') {
        const char* begin = text;
        std::uint64_t hash = kHashSeed;
        while (*text != ' ' && *text != '\0') hash = hash_step(hash, next_code(text));
        int slot = slot_of(hash);
        while (hashes[slot] != kFree && hashes[slot] != hash) slot = (slot + 1) % kSlots;
        hashes[slot] = hash;
        words[slot].classes |= entry.word_class;
        words[slot].text = begin;
        words[slot].size = static_cast<std::int32_t>(text - begin);
        if (*text == ' ') ++text;
      }
    }
  }
};
constexpr WordTable kWords;

constexpr const char* kNumberWords[] = {
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen", "twenty",
};

struct CjkCue {
  const char32_t* text;
  Cue cue;
};
constexpr CjkCue kCjkCues[] = {
    {U"答案", Cue::kArmed}, {U"答案是", Cue::kArmed}, {U"答案为", Cue::kArmed},
    {U"答案為", Cue::kArmed}, {U"答案选", Cue::kArmed}, {U"答案選", Cue::kArmed},
    {U"选", Cue::kArmed}, {U"選", Cue::kArmed}, {U"选择", Cue::kArmed}, {U"選擇", Cue::kArmed},
    {U"选的是", Cue::kArmed}, {U"正确的是", Cue::kArmed}, {U"正確的是", Cue::kArmed},
    {U"正确选项是", Cue::kArmed}, {U"正确选项为", Cue::kArmed}, {U"正確選項是", Cue::kArmed},
    {U"是选项", Cue::kArmed}, {U"选项是", Cue::kArmed}, {U"選項是", Cue::kArmed},
    {U"选项为", Cue::kArmed}, {U"選項為", Cue::kArmed}, {U"为选项", Cue::kArmed},
    {U"是選項", Cue::kArmed}, {U"為選項", Cue::kArmed}, {U"选择选项", Cue::kArmed},
    {U"選擇選項", Cue::kArmed}, {U"选选项", Cue::kArmed}, {U"应该是", Cue::kArmed},
    {U"應該是", Cue::kArmed}, {U"应为", Cue::kArmed}, {U"應為", Cue::kArmed},
    {U"应是", Cue::kArmed}, {U"應是", Cue::kArmed}, {U"最佳选项是", Cue::kArmed},
    {U"最佳選項是", Cue::kArmed}, {U"正解", Cue::kArmed}, {U"正解は", Cue::kArmed},
    {U"答え", Cue::kArmed}, {U"答えは", Cue::kArmed}, {U"答えが", Cue::kArmed},
    {U"解答は", Cue::kArmed}, {U"解答", Cue::kArmed}, {U"回答は", Cue::kArmed},
    {U"回答", Cue::kArmed}, {U"選択肢は", Cue::kArmed}, {U"適切なのは", Cue::kArmed},
    {U"正しいのは", Cue::kArmed}, {U"選ぶのは", Cue::kArmed}, {U"정답", Cue::kArmed},
    {U"정답은", Cue::kArmed}, {U"정답이", Cue::kArmed}, {U"답", Cue::kArmed},
    {U"답은", Cue::kArmed}, {U"답변은", Cue::kArmed}, {U"선택은", Cue::kArmed},
    {U"선택", Cue::kArmed},
    {U"选项", Cue::kOption}, {U"選項", Cue::kOption}, {U"選択肢", Cue::kOption},
    {U"선택지", Cue::kOption}, {U"옵션", Cue::kOption}, {U"보기", Cue::kOption},
    {U"是", Cue::kWeak}, {U"因此", Cue::kWeak}, {U"所以", Cue::kWeak}, {U"故", Cue::kWeak},
    {U"综上", Cue::kWeak}, {U"綜上", Cue::kWeak}, {U"就是", Cue::kWeak}, {U"我认为", Cue::kWeak},
    {U"我認為", Cue::kWeak}, {U"我觉得", Cue::kWeak}, {U"我覺得", Cue::kWeak},
    {U"可能是", Cue::kWeak}, {U"它是", Cue::kWeak}, {U"这是", Cue::kWeak}, {U"這是", Cue::kWeak},
    {U"のは", Cue::kWeak}, {U"よって", Cue::kWeak}, {U"したがって", Cue::kWeak},
    {U"つまり", Cue::kWeak}, {U"따라서", Cue::kWeak}, {U"그러므로", Cue::kWeak},
    {U"그래서", Cue::kWeak},
    {U"而是", Cue::kCorrection}, {U"等等", Cue::kCorrection}, {U"更正", Cue::kCorrection},
    {U"ではなく", Cue::kCorrection}, {U"じゃなく", Cue::kCorrection},
    {U"でなく", Cue::kCorrection}, {U"아니라", Cue::kCorrection}, {U"아니고", Cue::kCorrection},
    {U"不是", Cue::kReject}, {U"不选", Cue::kReject}, {U"不選", Cue::kReject},
    {U"并非", Cue::kReject}, {U"並非", Cue::kReject}, {U"不为", Cue::kReject},
    {U"不為", Cue::kReject}, {U"排除", Cue::kReject}, {U"除了", Cue::kReject},
};
constexpr const char32_t* kCjkWrong[] = {
    U"不正", U"不对", U"不對", U"不是", U"不符", U"不合", U"不成立", U"不选", U"不選", U"错",
    U"錯", U"誤", U"違", U"ではな", U"じゃな", U"でな", U"아니", U"틀", U"排除",
};
constexpr const char32_t* kCjkGood[] = {
    U"正确", U"正確", U"正解", U"正しい", U"是对", U"是對", U"最合适", U"最合適", U"最符合",
    U"정답", U"맞", U"올바", U"を選", U"를선택", U"을선택", U"를고르", U"을고르",
};
constexpr const char32_t* kCjkStated[] = {
    U"です", U"だと思", U"입니다", U"이다", U"예요", U"이에요",
};
constexpr const char32_t* kCjkRefusals[] = {
    U"无法", U"無法", U"不知道", U"抱歉", U"对不起", U"對不起", U"不能确定", U"不能確定",
    U"不确定", U"不確定", U"不能回答", U"分かりません", U"わかりません", U"申し訳", U"できません",
    U"判断できない", U"모르겠", U"죄송", U"알수없", U"확인할수없", U"판단할수없", U"답할수없",
};

// One bit for each last character of a cue, by its low six bits: most characters end none.
constexpr std::uint64_t last_character_bits() {
  std::uint64_t bits = 0;
  for (const CjkCue& entry : kCjkCues) {
    const char32_t* text = entry.text;
    while (text[1] != 0) ++text;
    bits |= 1ull << (*text & 63u);
  }
  return bits;
}
constexpr std::uint64_t kLastCharacters = last_character_bits();

constexpr const char* kRefusals[] = {
    "i cannot", "i can't", "i can not", "cannot determine", "can't determine",
    "cannot be determined", "can't be determined", "can not be determined", "could not determine",
    "cannot identify", "cannot tell", "can't tell", "cannot say", "cannot answer", "can't answer",
    "cannot provide", "can't provide", "cannot assist", "can't assist", "cannot help",
    "can't help", "cannot see", "can't see", "cannot view", "can't view", "unable to",
    "not able to", "i'm sorry", "im sorry", "i am sorry", "i apologize", "i apologise",
    "don't know", "do not know", "not sure", "not enough information", "not enough context",
    "insufficient information", "impossible to determine", "impossible to tell",
    "impossible to say", "not possible to determine", "not possible to answer", "as an ai",
    "i don't have", "i do not have", "je ne peux pas", "je ne sais pas", "je suis désolé",
    "je suis désolée", "impossible de", "pas possible de", "ne peut pas être", "ich kann nicht",
    "ich weiß nicht", "tut mir leid", "nicht möglich", "kann ich nicht", "kann nicht", "no puedo",
    "no sé", "lo siento", "no es posible", "no se puede",
};

struct AnswerKey {
  const char32_t* text;
  int rank;
};
constexpr AnswerKey kAnswerKeys[] = {
    {U"letter", 3}, {U"answerletter", 3}, {U"optionletter", 3}, {U"choiceletter", 3},
    {U"finalletter", 3}, {U"answer", 2}, {U"finalanswer", 2}, {U"correctanswer", 2},
    {U"selectedanswer", 2}, {U"bestanswer", 2}, {U"predictedanswer", 2}, {U"answerchoice", 2},
    {U"answeroption", 2}, {U"ans", 2}, {U"答案", 2}, {U"最终答案", 2}, {U"正确答案", 2},
    {U"正解", 2}, {U"答え", 2}, {U"정답", 2}, {U"답", 2}, {U"réponse", 2}, {U"antwort", 2},
    {U"respuesta", 2}, {U"choice", 1}, {U"option", 1}, {U"correctoption", 1},
    {U"correctchoice", 1}, {U"selectedoption", 1}, {U"selectedchoice", 1}, {U"bestoption", 1},
    {U"bestchoice", 1}, {U"finalchoice", 1}, {U"prediction", 1}, {U"pred", 1}, {U"selection", 1},
    {U"response", 1}, {U"选项", 1}, {U"選項", 1}, {U"選択肢", 1}, {U"선택", 1},
};
constexpr const char32_t* kAnswerTags[] = {
    U"ans", U"answer", U"choice", U"final_answer", U"finalanswer", U"option",
};
constexpr const char32_t* kStyleCommands[] = {
    U"bf", U"bm", U"bold", U"boldsymbol", U"displaystyle", U"emph", U"large", U"mathbf",
    U"mathit", U"mathrm", U"mathsf", U"mathtt", U"rm", U"text", U"textbf", U"textit", U"textrm",
    U"texttt", U"underline",
};

constexpr int length(const char32_t* text) {
  int size = 0;
  while (text[size] != 0) ++size;
  return size;
}

bool starts_with(const char32_t* text, int size, const char32_t* word) {
  int i = 0;
  for (; word[i] != 0; ++i) {
    if (i >= size || text[i] != word[i]) return false;
  }
  return true;
}

bool equals(const char32_t* text, int size, const char32_t* word) {
  return length(word) == size && starts_with(text, size, word);
}

template <int kCount>
bool any_inside(const char32_t* said, int size, const char32_t* const (&words)[kCount]) {
  for (int begin = 0; begin < size; ++begin) {
    for (const char32_t* word : words) {
      if (starts_with(said + begin, size - begin, word)) return true;
    }
  }
  return false;
}

template <int kCount>
bool any_equal(const char32_t* name, int size, const char32_t* const (&words)[kCount]) {
  for (const char32_t* word : words) {
    if (equals(name, size, word)) return true;
  }
  return false;
}

}  // namespace

const KnownWord* known_word(std::uint64_t hash) {
  for (int slot = slot_of(hash);; slot = (slot + 1) % kSlots) {
    if (kWords.hashes[slot] == kFree) return nullptr;
    if (kWords.hashes[slot] == hash) return &kWords.words[slot];
  }
}

int number_word_value(std::uint64_t hash) {
  int value = 0;
  for (const char* text : kNumberWords) {
    std::uint64_t word = kHashSeed;
    while (*text != '\0') word = hash_step(word, next_code(text));
    if (word == hash) return value;
    ++value;
  }
  return -1;
}

bool cjk_cue(const char32_t* run, int size, Cue* cue) {
  if ((kLastCharacters >> (run[size - 1] & 63u) & 1u) == 0) return false;
  int longest = 0;
  for (const CjkCue& entry : kCjkCues) {
    const int wanted = length(entry.text);
    if (wanted > longest && wanted <= size && equals(run + size - wanted, wanted, entry.text)) {
      longest = wanted;
      *cue = entry.cue;
    }
  }
  return longest > 0;
}

bool says_stated(const char32_t* said, int size) {
  for (const char32_t* word : kCjkStated) {
    if (starts_with(said, size, word)) return true;
  }
  return false;
}
bool says_wrong(const char32_t* said, int size) { return any_inside(said, size, kCjkWrong); }
bool says_good(const char32_t* said, int size) { return any_inside(said, size, kCjkGood); }

int answer_key_rank(const char32_t* name, int size) {
  for (const AnswerKey& key : kAnswerKeys) {
    if (equals(name, size, key.text)) return key.rank;
  }
  return 0;
}

bool is_answer_tag(const char32_t* name, int size) { return any_equal(name, size, kAnswerTags); }
bool is_style_command(const char32_t* name, int size) {
  return any_equal(name, size, kStyleCommands);
}

PhraseList refusal_phrases() {
  return {kRefusals, static_cast<int>(sizeof kRefusals / sizeof kRefusals[0])};
}
CjkPhraseList cjk_refusals() {
  return {kCjkRefusals, static_cast<int>(sizeof kCjkRefusals / sizeof kCjkRefusals[0])};
}

}  // namespace fastvbench::parse::choice
