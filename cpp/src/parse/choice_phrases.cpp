// What is matched by characters rather than words: cues and verdicts in Chinese, Japanese and
// Korean, refusals, JSON keys, tags.
#include <algorithm>

#include "parse/choice_words.h"

namespace fastvbench::parse::choice {
namespace {

struct CueTexts {
  Cue cue;
  const char32_t* texts;  // separated by single spaces
};
constexpr CueTexts kCueTexts[] = {
    {Cue::kArmed,
     U"答案 答案是 答案为 答案為 答案选 答案選 选 選 选择 選擇 选的是 正确的是 正確的是 "
     U"正确选项是 正确选项为 正確選項是 是选项 选项是 選項是 选项为 選項為 为选项 是選項 為選項 "
     U"选择选项 選擇選項 选选项 应该是 應該是 应为 應為 应是 應是 最佳选项是 最佳選項是 正解 "
     U"正解は 答え 答えは 答えが 解答は 解答 回答は 回答 選択肢は 適切なのは 正しいのは 選ぶのは "
     U"정답 정답은 정답이 답 답은 답변은 선택은 선택"},
    {Cue::kOption, U"选项 選項 選択肢 선택지 옵션 보기"},
    {Cue::kWeak,
     U"是 为 為 因此 所以 故 综上 綜上 就是 我认为 我認為 我觉得 我覺得 可能是 它是 这是 這是 のは "
     U"よって したがって つまり 따라서 그러므로 그래서"},
    {Cue::kCorrection, U"而是 等等 更正 ではなく じゃなく でなく 아니라 아니고"},
    {Cue::kReject, U"不是 不选 不選 并非 並非 不为 不為 排除 除了"},
};
constexpr const char32_t* kCjkWrong[] = {
    U"不正", U"不对", U"不對", U"不是",   U"不符",   U"不合", U"不成立", U"不选", U"不選", U"错",
    U"錯",   U"誤",   U"違",   U"ではな", U"じゃな", U"でな", U"아니",   U"틀",   U"排除",
};
constexpr const char32_t* kCjkGood[] = {
    U"正确", U"正確", U"正解", U"正しい", U"是对",   U"是對",   U"最合适", U"最合適", U"最符合",
    U"정답", U"맞",   U"올바", U"を選",   U"를선택", U"을선택", U"를고르", U"을고르",
};
constexpr const char32_t* kCjkStated[] = {
    U"です", U"だと思", U"입니다", U"이다", U"예요", U"이에요",
};
constexpr const char32_t* kCjkRefusals[] = {
    U"无法确定",       U"無法確定",       U"无法判断",     U"無法判斷",       U"无法回答",
    U"無法回答",       U"无法得知",       U"無法得知",     U"无法提供",       U"無法提供",
    U"无法看到",       U"無法看到",       U"我无法",       U"我無法",         U"不知道",
    U"抱歉",           U"对不起",         U"對不起",       U"不能确定",       U"不能確定",
    U"不确定",         U"不確定",         U"不能回答",     U"分かりません",   U"わかりません",
    U"申し訳",         U"判断できません", U"判断できない", U"回答できません", U"お答えできません",
    U"答えられません", U"特定できません", U"모르겠",       U"죄송",           U"알수없",
    U"확인할수없",     U"판단할수없",     U"답할수없",     U"답변할수없",
};

// One cue: a part of kCueTexts.
struct CjkCue {
  const char32_t* text = nullptr;
  int size = 0;
  Cue cue = Cue::kNone;
};
constexpr int kMostCues = 128;

struct CueTable {
  CjkCue cues[kMostCues] = {};
  int count = 0;
  // One bit for each last character of a cue, by its low six bits: most characters end none.
  std::uint64_t last_characters = 0;

  constexpr CueTable() {
    for (const CueTexts& entry : kCueTexts) {
      const char32_t* text = entry.texts;
      while (*text != 0) {
        CjkCue& added = cues[count++];
        added.text = text;
        added.cue = entry.cue;
        while (*text != U' ' && *text != 0) {
          ++text;
          ++added.size;
        }
        last_characters |= 1ull << (text[-1] & 63u);
        if (*text == U' ') ++text;
      }
    }
  }
};
constexpr CueTable kCues;

constexpr const char* kRefusals[] = {
    "i cannot",
    "i can't",
    "i can not",
    "we cannot",
    "we can't",
    "cannot determine",
    "can't determine",
    "cannot be determined",
    "can't be determined",
    "cannot identify",
    "can't identify",
    "cannot be identified",
    "can't be identified",
    "cannot tell",
    "can't tell",
    "cannot say",
    "can't say",
    "cannot answer",
    "can't answer",
    "cannot be answered",
    "can't be answered",
    "cannot provide",
    "can't provide",
    "cannot assist",
    "can't assist",
    "cannot help with",
    "can't help with",
    "cannot confirm",
    "can't confirm",
    "can not be determined",
    "could not determine",
    "couldn't determine",
    "could not be determined",
    "unable to determine",
    "not able to determine",
    "unable to answer",
    "not able to answer",
    "unable to identify",
    "not able to identify",
    "unable to tell",
    "not able to tell",
    "unable to provide",
    "not able to provide",
    "unable to view",
    "not able to view",
    "unable to access",
    "not able to access",
    "unable to process",
    "not able to process",
    "unable to assist",
    "not able to assist",
    "unable to say",
    "not able to say",
    "unable to confirm",
    "not able to confirm",
    "am unable to",
    "i'm unable to",
    "am not able to",
    "i'm not able to",
    "i'm sorry",
    "im sorry",
    "i am sorry",
    "i apologize",
    "i apologise",
    "i don't know",
    "i dont know",
    "i do not know",
    "i'm not sure",
    "i am not sure",
    "not enough information",
    "not enough context",
    "insufficient information",
    "insufficient context",
    "provide enough information",
    "cannot definitively",
    "impossible to determine",
    "impossible to tell",
    "impossible to say",
    "not possible to determine",
    "not possible to tell",
    "not possible to answer",
    "as an ai",
    "i don't have",
    "i do not have",
    "je ne peux pas",
    "je ne sais pas",
    "je suis désolé",
    "je suis désolée",
    "impossible de déterminer",
    "impossible de répondre",
    "impossible de dire",
    "pas possible de déterminer",
    "pas possible de répondre",
    "pas être déterminé",
    "pas être déterminée",
    "ich kann nicht",
    "ich kann die frage nicht",
    "ich weiß nicht",
    "ich weiß es nicht",
    "tut mir leid",
    "kann ich nicht",
    "nicht möglich zu",
    "nicht bestimmt werden",
    "nicht beantwortet werden",
    "no puedo",
    "no sé",
    "lo siento",
    "no es posible determinar",
    "no es posible responder",
    "no se puede determinar",
    "no se puede responder",
    "no se puede saber",
};

struct AnswerKey {
  const char32_t* text;
  int rank;
};
constexpr AnswerKey kAnswerKeys[] = {
    {U"letter", 3},
    {U"answerletter", 3},
    {U"optionletter", 3},
    {U"choiceletter", 3},
    {U"finalletter", 3},
    {U"answer", 2},
    {U"finalanswer", 2},
    {U"correctanswer", 2},
    {U"selectedanswer", 2},
    {U"bestanswer", 2},
    {U"predictedanswer", 2},
    {U"answerchoice", 2},
    {U"answeroption", 2},
    {U"ans", 2},
    {U"答案", 2},
    {U"最终答案", 2},
    {U"正确答案", 2},
    {U"正解", 2},
    {U"答え", 2},
    {U"정답", 2},
    {U"답", 2},
    {U"réponse", 2},
    {U"antwort", 2},
    {U"respuesta", 2},
    {U"choice", 1},
    {U"option", 1},
    {U"correctoption", 1},
    {U"correctchoice", 1},
    {U"selectedoption", 1},
    {U"selectedchoice", 1},
    {U"bestoption", 1},
    {U"bestchoice", 1},
    {U"finalchoice", 1},
    {U"prediction", 1},
    {U"pred", 1},
    {U"selection", 1},
    {U"response", 1},
    {U"选项", 1},
    {U"選項", 1},
    {U"選択肢", 1},
    {U"선택", 1},
};
constexpr const char32_t* kAnswerTags[] = {
    U"ans", U"answer", U"choice", U"final_answer", U"finalanswer", U"option",
};
constexpr const char32_t* kStyleCommands[] = {
    U"bf",     U"bm",     U"bold",   U"boldsymbol", U"displaystyle", U"emph", U"large",
    U"mathbf", U"mathit", U"mathrm", U"mathsf",     U"mathtt",       U"rm",   U"text",
    U"textbf", U"textit", U"textrm", U"texttt",     U"underline",
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

bool cjk_cue(const char32_t* run, int size, Cue* cue) {
  if ((kCues.last_characters >> (run[size - 1] & 63u) & 1u) == 0) return false;
  int longest = 0;
  for (int k = 0; k < kCues.count; ++k) {
    const CjkCue& entry = kCues.cues[k];
    if (entry.size <= longest || entry.size > size) continue;
    if (std::equal(entry.text, entry.text + entry.size, run + size - entry.size)) {
      longest = entry.size;
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
