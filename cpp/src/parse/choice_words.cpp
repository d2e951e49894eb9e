// Tables are built at compile time, so nothing runs at load and no global is written.
#include "parse/choice_words.h"

namespace fastvbench::parse::choice {
namespace {

struct ClassWords {
  std::uint64_t word_class;
  const char* words;  // separated by single spaces
};

constexpr ClassWords kClasses[] = {
    {kNoun, "answer final_answer correct_answer ans answered réponse antwort respuesta"},
    {kOption, "option choice opción opcion choix l'option"},
    {kAdjective,
     "correct best appropriate accurate suitable closest correcta correcto correcte bonne "
     "meilleure richtig richtige richtigen beste besten mejor bon final letter letra lettre "
     "buchstabe "
     "solution lösung solución assistant conclusion verdict prediction response result"},
    {kCopula, "is be are was being remains est sera serait ist wäre lautet es sería seria será"},
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
    {kHypothesis, "if whether unless suppose supposing wenn falls ob"},
    {kVerb,
     "choose chose choosing chosen pick picked picking select selected selecting prefer choisis "
     "choisirais wähle waehle nehme elijo escojo selecciono elegiría"},
    {kGoVerb,
     "go going gone went stick sticking opt opting opted vote settle settling settled lean "
     "leaning"},
    {kParticle, "with for on toward towards"},
    {kWeak,
     "think believe guess say probably likely definitely maybe perhaps suspect assume conclude "
     "suggests suggesting indicates indicating means it's its that's c'est finally obviously "
     "clearly must es glaube denke creo pense crois vermutlich wahrscheinlich probablemente "
     "probablement"},
    {kConclusion,
     "so therefore thus hence consequently accordingly also donc daher deshalb folglich somit "
     "luego entonces"},
    {kCorrection, "wait actually correction oops instead rather"},
    {kDoubt, "wait correction oops reconsider scratch mistake"},
    {kContrast, "but sondern sino mais however"},
    {kSubject, "it that this one must should would will could might may das esto eso"},
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
    {kAnd, "and und et y"},
    {kOr, "or nor oder ou o"},
    {kBe,
     "is are was were be seems seem appears must can could would should might may does do did "
     "has have looks remains est sont ist sind es son sería"},
    {kPlural, "are were both seem do have sont sind son can could would should might may must all"},
    {kWrong,
     "not incorrect wrong false never inaccurate unlikely eliminated impossible irrelevant "
     "ruled excluded invalid incorrectly mistaken nicht falsch pas faux fausse incorrecte "
     "incorrecta incorrecto falsa falso"},
    {kGood,
     "correct right true best accurate appropriate answer better closest suitable valid richtig "
     "korrekt correcte correcta correcto bonne vrai vraie juste verdadera cierta antwort "
     "richtige réponse respuesta"},
    {kFits, "fits matches fit match"},
    {kAdverb,
     "both all also likely clearly obviously probably therefore thus definitely alone the a an "
     "most very considered be being to have been la le die der el indeed certainly simply just "
     "only then too completely definitively more much far my our además aussi auch"},
    {kWell, "best well the perfectly with most better this all here"},
    {kPlausible, "likely plausible probable"},
    {kRelease, "would i'd i'll then"},
    {kDenial, "no"},
    {kWordOf, "of"},
    {kWordInstead, "instead"},
    {kWordOut, "out"},
    {kWordRule, "rule ruled ruling rules"},
    {kWordBothEither, "both either"},
    {kWordStated, "correct right"},
    {kWordRight, "right"},
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
     "i we cannot can't can could couldn't unable not am i'm im insufficient provide impossible as "
     "je pas ich tut kann nicht no lo"},
    {kShortAdverb,
     "likely probably simply just clearly definitely obviously indeed therefore thus hence donc "
     "daher wohl"},
    {kExplains, "because since according based denn weil parce puisque porque"},
    {kExplainsAfterAs, "shown seen indicated stated per given listed mentioned"},
    {kExplainsAfterComma, "which car"},
    {kEquals, "equals equal"},
    {kPolarity, "yes no true false yeah yep nope oui non ja nein sí"},
    {kAbbreviation, "dr mr mrs ms prof st vs"},
    {kAbbreviationOfNumbered,
     "no nos p pp vol fig sec ch art approx jan feb mar apr jun jul aug sep sept oct nov dec"},
    {kWordAs, "as"},
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
    "zero",     "one",     "two",     "three",     "four",     "five",     "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",   "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
};

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

}  // namespace fastvbench::parse::choice
