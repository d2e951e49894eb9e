"""The words that the choice grammar knows, by class; see ``choices.py`` for what a class does.

Words are lower case (section 2 of ``choices.py``). A word may be in several classes.
"""

from __future__ import annotations

from enum import IntFlag, auto

__all__ = [
    "ANSWER_KEYS",
    "ANSWER_TAGS",
    "CJK_CUES",
    "CJK_GOOD",
    "CJK_REFUSALS",
    "CJK_STATED",
    "CJK_WRONG",
    "COMMANDS",
    "NUMBER_WORDS",
    "REFUSALS",
    "WORDS",
    "Cue",
    "Word",
]


class Word(IntFlag):
    """What a word does beside a letter."""

    NOUN = auto()  # names the answer: "answer C", "answer is C"
    OPTION = auto()  # names an option: "option C"
    ADJECTIVE = auto()  # praises one: "the best description is C"
    COPULA = auto()  # "is": arms a noun or an adjective
    FILLER = auto()  # may stand between a cue and its letter
    NOT = auto()  # denies what follows
    REJECTER = auto()  # rejects the next letter: "rather than A"
    HYPOTHESIS = auto()  # "if the answer is A": nothing is declared up to the comma
    VERB = auto()  # "choose C"
    GO_VERB = auto()  # with a particle: "go with C"
    PARTICLE = auto()
    WEAK = auto()  # "I think C"
    CONCLUSION = auto()  # weak, and ends an unfinished cue: "so C"
    CORRECTION = auto()  # "wait, C"
    DOUBT = auto()  # what follows corrects what came before
    CONTRAST = auto()  # "not A but C"
    SUBJECT = auto()  # before a copula, a weak cue: "it is C", "must be C"
    BECAUSE = auto()  # ends what is said of a letter
    GOES_ON = auto()  # after a lone A or lower-case letter: it is a letter, not an article
    GOES_ON_I = auto()  # the same for I, which is no pronoun then
    AND = auto()  # joins letters
    OR = auto()  # joins letters
    BE = auto()  # a verb whose subject a letter may be
    PLURAL = auto()  # a verb with several subjects
    WRONG = auto()  # "A is wrong"
    GOOD = auto()  # "A is correct"
    FITS = auto()  # "A fits"
    ADVERB = auto()  # skipped between a letter and what is said of it
    WELL = auto()  # may follow "fits"
    PLAUSIBLE = auto()  # "A is likely." is a verdict where the clause ends
    RELEASE = auto()  # ends a supposition: "if I had to guess I would say C"
    DENIAL = auto()  # "no", a denial before a Spanish verb, else a correction before a comma


_CLASSES: dict[Word, str] = {
    Word.NOUN: ("answer final_answer correct_answer ans answered réponse antwort respuesta"),
    Word.OPTION: "option choice opción opcion choix l'option",
    Word.ADJECTIVE: (
        "correct best appropriate accurate suitable closest correcta correcto correcte bonne"
        " meilleure richtig richtige richtigen beste besten mejor bon final letter letra lettre"
        " buchstabe"
        " solution lösung solución assistant conclusion verdict prediction response result"
    ),
    Word.COPULA: (
        "is be are was being remains est sera serait ist wäre lautet es sería seria será"
    ),
    Word.FILLER: (
        "is be are was est sera serait ist wäre lautet es sería seria será the option choice"
        " options opción opcion choix letter letra lettre buchstabe therefore thus hence clearly"
        " definitely likely most probably indeed to have of course correct best simply just only"
        " obviously it it's its that's la le l' el die der das den los las les un une eine ein una"
        " also donc daher doch en si wohl definitiv wahrscheinlich probablemente probablement"
        " claramente clairement número number labeled labelled answer answers réponse antwort"
        " respuesta i think believe would say"
    ),
    Word.NOT: (
        "not none never neither nor n't isn't aren't wasn't weren't can't cannot couldn't won't"
        " wouldn't shouldn't mustn't doesn't don't didn't isnt cant dont nicht kein keine weder pas"
        " n'est jamais ni tampoco"
    ),
    Word.REJECTER: (
        "than over except excluding exclude excludes excluded eliminate eliminates eliminated"
        " eliminating reject rejects rejected rejecting discard discarded discarding unlike außer"
        " excepto sauf"
    ),
    Word.HYPOTHESIS: "if whether unless suppose supposing wenn falls ob",
    Word.VERB: (
        "choose chose choosing chosen pick picked picking select selected selecting prefer choisis"
        " choisirais wähle waehle nehme elijo escojo selecciono elegiría"
    ),
    Word.GO_VERB: (
        "go going gone went stick sticking opt opting opted vote settle settling settled lean"
        " leaning"
    ),
    Word.PARTICLE: "with for on toward towards",
    Word.WEAK: (
        "think believe guess say probably likely definitely maybe perhaps suspect assume conclude"
        " suggests suggesting indicates indicating means it's its that's c'est finally obviously"
        " clearly must es glaube denke creo pense crois vermutlich wahrscheinlich probablemente"
        " probablement"
    ),
    Word.CONCLUSION: (
        "so therefore thus hence consequently accordingly also donc daher deshalb folglich somit"
        " luego entonces"
    ),
    Word.CORRECTION: "wait actually correction oops instead rather",
    Word.DOUBT: "wait correction oops reconsider scratch mistake",
    Word.CONTRAST: "but sondern sino mais however",
    Word.SUBJECT: "it that this one must should would will could might may das esto eso",
    Word.BECAUSE: (
        "because since as due given not instead rather based considering denn weil parce car"
        " puisque porque pues da per according which where from in with while whereas although"
        " though but so for"
    ),
    Word.GOES_ON: (
        "because since as due not and or nor but is are was were isn't aren't wasn't weren't"
        " seems appears does doesn't has could would should cannot can't couldn't over than"
        " rather instead though although whereas which weil denn parce porque pues puisque"
        " sondern sino mais ist est es sont sind son nicht pas n'est und oder et ou y o"
    ),
    Word.GOES_ON_I: (
        "because since as due and or nor but is isn't over than rather instead which weil und oder"
    ),
    Word.AND: "and und et y",
    Word.OR: "or nor oder ou o",
    Word.BE: (
        "is are was were be seems seem appears must can could would should might may does do did"
        " has have looks remains est sont ist sind es son sería"
    ),
    Word.PLURAL: (
        "are were both seem do have sont sind son can could would should might may must all"
    ),
    Word.WRONG: (
        "not incorrect wrong false never inaccurate unlikely eliminated impossible irrelevant ruled"
        " excluded invalid incorrectly mistaken nicht falsch pas faux fausse incorrecte incorrecta"
        " incorrecto falsa falso"
    ),
    Word.GOOD: (
        "correct right true best accurate appropriate answer better closest suitable valid richtig"
        " korrekt correcte correcta correcto bonne vrai vraie juste verdadera cierta antwort"
        " richtige réponse respuesta"
    ),
    Word.FITS: "fits matches fit match",
    Word.ADVERB: (
        "both all also likely clearly obviously probably therefore thus definitely alone the a an"
        " most very considered be being to have been la le die der el indeed certainly simply just"
        " only then too completely definitively more much far my our además aussi auch"
    ),
    Word.WELL: "best well the perfectly with most better this all here",
    Word.PLAUSIBLE: "likely plausible probable",
    Word.RELEASE: "would i'd i'll then",
    Word.DENIAL: "no",
}


def _split(words: str) -> tuple[str, ...]:
    """The words of a list that is written with spaces."""
    return tuple(words.split())


WORDS: dict[str, Word] = {}
for _word_class, _members in _CLASSES.items():
    for _member in _split(_members):
        WORDS[_member] = WORDS.get(_member, Word(0)) | _word_class


class Cue(IntFlag):
    """What the state of a clause says of the next letter; one at a time."""

    NONE = 0
    NOUN = 1  # an answer noun was named; a copula or colon arms it
    ADJECTIVE = 2  # a praising adjective was named; a copula or colon arms it
    OPTION = 3  # an option noun was named; a copula or colon arms it
    ARMED = 4  # the next letter is the answer
    WEAK = 5  # the next letter is the answer if the clause ends there
    CORRECTION = 6  # the same, and it corrects what came before
    REJECT = 7  # the next letter is rejected


# Longest match wins. Spaces between the characters don't count.
_CJK_CUES: dict[Cue, str] = {
    Cue.ARMED: (
        "答案 答案是 答案为 答案為 答案选 答案選 选 選 选择 選擇 选的是 正确的是 正確的是"
        " 正确选项是 正确选项为 正確選項是 是选项 选项是 選項是 选项为 選項為 为选项 是選項 為選項"
        " 选择选项 選擇選項 选选项 应该是 應該是 应为 應為 应是 應是 最佳选项是 最佳選項是 正解"
        " 正解は 答え 答えは 答えが 解答は 解答 回答は 回答 選択肢は 適切なのは 正しいのは 選ぶのは"
        " 정답 정답은 정답이 답 답은 답변은 선택은 선택"
    ),
    Cue.OPTION: "选项 選項 選択肢 선택지 옵션 보기",
    Cue.WEAK: (
        "是 为 為 因此 所以 故 综上 綜上 就是 我认为 我認為 我觉得 我覺得 可能是 它是 这是"
        " 這是 のは よって したがって つまり 따라서 그러므로 그래서"
    ),
    Cue.CORRECTION: "而是 等等 更正 ではなく じゃなく でなく 아니라 아니고",
    Cue.REJECT: "不是 不选 不選 并非 並非 不为 不為 排除 除了",
}
CJK_CUES: dict[str, Cue] = {text: cue for cue, texts in _CJK_CUES.items() for text in _split(texts)}
# What stands in the first characters after a letter; CJK_STATED right after it.
CJK_WRONG = _split(
    "不正 不对 不對 不是 不符 不合 不成立 不选 不選 错 錯 誤 違 ではな じゃな でな 아니 틀 排除"
)
CJK_STATED = _split("です だと思 입니다 이다 예요 이에요")
CJK_GOOD = _split(
    "正确 正確 正解 正しい 是对 是對 最合适 最合適 最符合 정답 맞 올바 を選 를선택 을선택 를고르"
    " 을고르"
)

ANSWER_TAGS = frozenset(_split("ans answer choice final_answer finalanswer option"))
COMMANDS = frozenset(
    _split(
        "bf bm bold boldsymbol displaystyle emph large mathbf mathit mathrm mathsf mathtt rm text"
        " textbf textit textrm texttt underline"
    )
)
# Keys of JSON objects, without spaces, underscores and hyphens; the higher rank is read.
_ANSWER_KEYS: dict[int, str] = {
    3: "letter answerletter optionletter choiceletter finalletter",
    2: (
        "answer finalanswer correctanswer selectedanswer bestanswer predictedanswer answerchoice"
        " answeroption ans 答案 最终答案 正确答案 正解 答え 정답 답 réponse antwort respuesta"
    ),
    1: (
        "choice option correctoption correctchoice selectedoption selectedchoice bestoption"
        " bestchoice finalchoice prediction pred selection response 选项 選項 選択肢 선택"
    ),
}
ANSWER_KEYS: dict[str, int] = {
    key: rank for rank, keys in _ANSWER_KEYS.items() for key in _split(keys)
}

_REFUSALS = (
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
)
REFUSALS: tuple[tuple[str, ...], ...] = tuple(_split(phrase) for phrase in _REFUSALS)
CJK_REFUSALS = _split(
    "无法确定 無法確定 无法判断 無法判斷 无法回答 無法回答 无法得知 無法得知 无法提供"
    " 無法提供 无法看到 無法看到 我无法 我無法 不知道 抱歉 对不起 對不起 不能确定 不能確定"
    " 不确定 不確定 不能回答 分かりません わかりません 申し訳 判断できません 判断できない"
    " 回答できません お答えできません 答えられません 特定できません 모르겠 죄송 알수없"
    " 확인할수없 판단할수없 답할수없 답변할수없"
)

_NUMBERS = _split(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
NUMBER_WORDS: dict[str, str] = {word: str(value) for value, word in enumerate(_NUMBERS)}
