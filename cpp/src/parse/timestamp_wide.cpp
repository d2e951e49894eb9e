#include "parse/timestamp_wide.h"

namespace fastvbench::parse {

UnitAt wide_unit_at(const Text& text, const Byte* p) {
  const Character first = text.character_at(p);
  const Byte* after = p + first.size;
  const auto next = [&] { return text.character_at(after).code; };
  switch (first.code) {
    case U'毫':
      if (next() == U'秒') return {kUnitMillisecond, after + 3};
      return {kUnitNone, p};
    case U'秒':
    case U'分': {
      const std::uint32_t second = next();
      const bool longer = second == U'钟' || second == U'鐘' || second == U'間';
      return {first.code == U'秒' ? kUnitSecond : kUnitMinute, longer ? after + 3 : after};
    }
    case U'초':
    case U'″':
      return {kUnitSecond, after};
    case U'분':
    case U'′':
      return {kUnitMinute, after};
    case U'小':
      if (next() == U'时' || next() == U'時') return {kUnitHour, after + 3};
      return {kUnitNone, p};
    case U'時':
      return {kUnitHour, next() == U'間' ? after + 3 : after};
    case U'时':
      return {kUnitHour, after};
    case U'시':
      if (next() == U'간') return {kUnitHour, after + 3};
      return {kUnitNone, p};
    default:
      return {kUnitNone, p};
  }
}

WideWord wide_word_at(const Text& text, const Byte* p, const Character& first) {
  const auto at = [&](int characters) { return text.character_at(p + 3 * characters).code; };
  switch (first.code) {
    case U'整':
      if (at(1) == U'个' && at(2) == U'视' && at(3) == U'频') return {kWordWhole, 12};
      if (at(1) == U'個' && at(2) == U'視' && at(3) == U'頻') return {kWordWhole, 12};
      if (at(1) == U'段' && at(2) == U'视' && at(3) == U'频') return {kWordWhole, 12};
      break;
    case U'動':
      if (at(1) == U'画' && at(2) == U'全' && at(3) == U'体') return {kWordWhole, 12};
      break;
    case U'置':
      if (at(1) == U'信' && at(2) == U'度') return {kWordConfidence, 9};
      break;
    case U'开':
      if (at(1) == U'始') return {kWordStart, 6};
      break;
    case U'開':
      if (at(1) == U'始') return {kWordStart, 6};
      break;
    case U'起':
      if (at(1) == U'始') return {kWordStart, 6};
      break;
    case U'시':
      if (at(1) == U'작') return {kWordStart, 6};
      break;
    case U'结':
      if (at(1) == U'束' || at(1) == U'尾') return {kWordEndPoint, 6};
      break;
    case U'結':
      if (at(1) == U'束') return {kWordEndPoint, 6};
      break;
    case U'終':
      if (at(1) == U'了') return {kWordEndPoint, 6};
      break;
    case U'最':
      if (at(1) == U'后' || at(1) == U'後') return {kWordLast, 6};
      break;
    case U'持':
      if (at(1) == U'续' || at(1) == U'続') return {kWordLength, 6};
      break;
    case U'答':
      if (at(1) == U'案' || at(1) == U'え') return {kWordAnswer, 6};
      break;
    case U'정':
      if (at(1) == U'답') return {kWordAnswer, 6};
      break;
    case U'时':
    case U'時':
      if (at(1) == (first.code == U'时' ? U'间' : U'間')) return {kWordFiller, 6};
      break;
    case U'か':
      if (at(1) == U'ら') return {kWordRange, 6};
      break;
    case U'ま':
      if (at(1) == U'で') return {kWordFiller, 6};
      break;
    case U'부':
      if (at(1) == U'터') return {kWordRange, 6};
      break;
    case U'에':
      if (at(1) == U'서') return {kWordRange, 6};
      break;
    case U'까':
      if (at(1) == U'지') return {kWordFiller, 6};
      break;
    case U'之':
      if (at(1) == U'间' || at(1) == U'間') return {kWordBetweenBehind, 6};
      break;
    case U'사':
      if (at(1) == U'이') return {kWordBetweenBehind, 6};
      break;
    case U'の':
      if (at(1) == U'間') return {kWordBetweenBehind, 6};
      return {kWordFiller, 3};
    case U'和':
    case U'与':
    case U'與':
    case U'と':
      return {kWordAnd, 3};
    case U'到':
    case U'至':
      return {kWordRange, 3};
    case U'从':
    case U'從':
      return {kWordFrom, 3};
    case U'前':
      return {kWordFirst, 3};
    case U'帧':
    case U'幀':
      return {kWordNumberedMany, 3};
    case U'第':
    case U'约':
    case U'約':
    case U'大':
    case U'在':
    case U'是':
    case U'为':
    case U'為':
    case U'は':
    case U'に':
    case U'的':
    case U'於':
    case U'于':
      return {kWordFiller, 3};
    default:
      break;
  }
  return {kWordOther, first.size};
}

bool is_counter(std::uint32_t code) {
  switch (code) {
    case U'年':
    case U'月':
    case U'日':
    case U'号':
    case U'號':
    case U'个':
    case U'個':
    case U'次':
    case U'人':
    case U'帧':
    case U'幀':
    case U'回':
    case U'名':
    case U'場':
    case U'场':
    case U'步':
    case U'章':
    case U'集':
    case U'話':
    case U'话':
    case U'歳':
    case U'岁':
    case U'度':
    case U'倍':
    case U'位':
    case U'只':
    case U'条':
    case U'届':
    case U'명':
    case U'번':
    case U'개':
      return true;
    default:
      return false;
  }
}

bool is_dash(std::uint32_t code) {
  return code == '-' || (code >= 0x2010 && code <= 0x2015) || code == 0x2212 || code == 0xFF0D;
}

bool is_tilde(std::uint32_t code) {
  return code == '~' || code == 0x223C || code == 0x301C || code == 0xFF5E;
}

bool is_arrow(std::uint32_t code) {
  return code == 0x2192 || code == 0x21D2 || code == 0x27A1 || code == 0x2794 || code == 0x279C ||
         code == 0x27F6;
}

bool is_markup(std::uint32_t code) {
  switch (code) {
    case U'“':
    case U'”':
    case U'‘':
    case U'’':
    case U'„':
    case U'«':
    case U'»':
    case U'‹':
    case U'›':
    case U'「':
    case U'」':
    case U'『':
    case U'』':
    case U'《':
    case U'》':
    case U'〈':
    case U'〉':
    case 0x200D:
      return true;
    default:
      return false;
  }
}

bool is_bullet(std::uint32_t code) {
  return code == U'•' || code == U'·' || code == U'‣' || code == U'▪' || code == U'●' ||
         code == U'◦';
}

}  // namespace fastvbench::parse
