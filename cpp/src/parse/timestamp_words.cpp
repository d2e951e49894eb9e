#include "parse/timestamp_words.h"

#include <cstddef>

#include "parse/timestamp_gap.h"

namespace fastvbench::parse {
namespace {

struct KindList {
  WordKind kind;
  const char* words;
};
constexpr KindList kKindLists[] = {
    {kWordFiller,
     "at about around approximately approx roughly near nearly almost circa ca is are was "
     "were be the a an time times timestamp timestamps mark point moment of in on by just "
     "exactly precisely probably maybe perhaps only equals all way position very um environ "
     "vers alrededor t"},
    {kWordRange, "to through thru upto bis hasta rightarrow"},
    {kWordUntil, "until till til"},
    {kWordAnd, "and und et"},
    {kWordBetween, "between zwischen entre"},
    {kWordFrom, "from von desde"},
    {kWordStart,
     "starts started starting begin begins began begun onset commence commences commenced "
     "starttime startsec beginnt comienza"},
    {kWordStartPoint, "start beginning"},
    {kWordEnd,
     "ends ended finishes finished stop stops stopped conclude concludes concluded endtime "
     "endsec endet termina"},
    {kWordEndPoint, "end ending finish"},
    {kWordLength, "lasts lasting lasted duration length takes"},
    {kWordFor, "for"},
    {kWordNumbered,
     "scene event step shot chapter episode season option question figure player camera "
     "person number level round lap page image picture item row phase stage rank top every "
     "each example case choice"},
    {kWordNumberedMany,
     "frame frames scenes events steps shots chapters episodes seasons options questions "
     "figures players cameras levels rounds laps pages images pictures items rows phases "
     "stages"},
    {kWordConfidence,
     "confidence confident certainty probability likelihood score scores accuracy iou"},
    {kWordDate,
     "january february march april may june july august september october november december "
     "jan feb mar apr jun jul aug sep sept oct nov dec year copyright"},
    {kWordFirst, "first initial opening"},
    {kWordLast, "last closing"},
    {kWordFinal, "final"},
    {kWordWhole, "whole entire full throughout complete"},
    {kWordVideo, "video clip footage film movie recording"},
    {kWordAnswer, "answer answers"},
    {kWordNotFinite, "nan inf infinity"},
    {kWordOnward, "onward onwards"},
};

struct UnitList {
  Unit unit;
  const char* words;
};
constexpr UnitList kUnitLists[] = {
    {kUnitMillisecond, "ms msec msecs millisecond milliseconds"},
    {kUnitSecond,
     "s sec secs second seconds sek sekunde sekunden seconde secondes segundo segundos seg"},
    {kUnitMinute, "m min mins minute minutes minuten minuto minutos"},
    {kUnitHour, "h hr hrs hour hours stunde stunden heure heures hora horas"},
};

struct KeyList {
  KeyKind key;
  const char* words;
};
constexpr KeyList kKeyLists[] = {
    {kKeyTime,
     "time times timestamp timestamps interval intervals segment segments span spans window "
     "windows range ranges moment moments result results answer answers temporal period "
     "periods prediction predictions output response grounding relevant seconds second sec "
     "secs minutes clip clips final"},
    {kKeyStart, "start starts starting begin begins beginning from onset starttime startsec"},
    {kKeyEnd, "end ends ending stop finish to until endtime endsec"},
    {kKeyLength, "duration length"},
    {kKeyNotTime,
     "frame frames confidence score scores probability id index idx count number fps video "
     "total"},
};

struct RoleList {
  WordRole role;
  const char* words;
};
constexpr RoleList kRoleLists[] = {
    {kRoleCounted,
     "times people persons men women children kids players goals points cars dogs cats balls "
     "hands fingers frames frame fps hz khz km kg cm mm meters metres feet inches miles "
     "years year days day weeks months degrees dollars steps rounds laps clips segments "
     "videos events shots scenes objects items parts sections intervals moments instances "
     "occurrences places ways things colors colours pieces bottles cups plates books boxes "
     "stars votes options questions answers chapters episodes pages images pictures photos "
     "lines words letters characters attempts repetitions reps sets rows levels january "
     "february april june july august september october november december jan feb apr jun "
     "jul aug sep sept oct nov dec bc ad"},
    {kRoleConfident,
     "accuracy certain certainty chance confidence confident likely probability sure"},
    {kRoleEnding, "ago apart earlier later long"},
    {kRolePercent, "pct percent prozent"},
    {kRoleLeadingUnit, "hour hours minute minutes second seconds"},
    {kRoleMark, "mark point timestamp moment"},
    {kRoleDayHalf, "am pm oclock"},
    {kRoleOrdinal, "st nd rd th"},
    {kRoleIs, "is"},
    {kRoleDayLetter, "a p"},
    {kRoleOclock, "o"},
    {kRoleClock, "clock"},
    {kRoleSingleUnit, "second minute hour"},
};

struct WordTableBuilder {
  WordTable table = {};

  static constexpr WordEntry free_entry() {
    WordEntry entry = {};
    entry.keep = kWordEffects[kWordOther].keep;
    entry.set = kWordEffects[kWordOther].set;
    return entry;
  }

  constexpr WordEntry& add(std::uint64_t low, std::uint64_t high) {
    if (high == 0) {
      std::uint32_t slot = short_slot(low);
      while (table.short_words[slot].low != low && table.short_words[slot].low != 0) {
        slot = (slot + 1) & ((1u << WordTable::kShortBits) - 1);
      }
      table.short_words[slot].low = low;
      return table.short_words[slot];
    }
    std::uint32_t slot = long_slot(low, high);
    while (table.long_words[slot].low != 0 &&
           (table.long_words[slot].low != low || table.long_high[slot] != high)) {
      slot = (slot + 1) & ((1u << WordTable::kLongBits) - 1);
    }
    table.long_words[slot].low = low;
    table.long_high[slot] = high;
    return table.long_words[slot];
  }

  /// Calls `set(entry)` for each word of a list with single spaces.
  template <typename Set>
  constexpr void add_list(const char* words, Set set) {
    while (*words != '\0') {
      std::uint64_t low = 0;
      std::uint64_t high = 0;
      for (int i = 0; *words != '\0' && *words != ' '; ++i, ++words) {
        const std::uint64_t byte = static_cast<unsigned char>(*words);
        if (i < 8) {
          low |= byte << (8 * i);
        } else {
          high |= byte << (8 * (i - 8));
        }
      }
      set(add(low, high));
      if (*words == ' ') ++words;
    }
  }

  constexpr void finish(WordEntry* entry) {
    constexpr std::uint32_t kMovingKinds =
        1u << kWordNotFinite | 1u << kWordRange | 1u << kWordUntil | 1u << kWordFrom |
        1u << kWordBetween | 1u << kWordAnd | 1u << kWordBetweenBehind | 1u << kWordStartPoint |
        1u << kWordEndPoint | 1u << kWordEnd | 1u << kWordOnward | 1u << kWordWhole |
        1u << kWordVideo | 1u << kWordAnswer;
    if (entry->low == 0) return;
    entry->keep = kWordEffects[entry->kind].keep;
    entry->set = kWordEffects[entry->kind].set;
    if ((kMovingKinds >> entry->kind & 1) != 0) {
      entry->roles = static_cast<std::uint16_t>(entry->roles | kRoleMoves);
    }
    const std::uint32_t letter = 1u << ((entry->low & 0xFF) - 'a');
    if ((entry->roles & kRoleEnding) != 0) table.ending_letters |= letter;
    if (entry->kind == kWordVideo) table.video_letters |= letter;
    if (entry->kind == kWordAnd) table.and_letters |= letter;
  }

  constexpr WordTableBuilder() {
    for (WordEntry& entry : table.short_words) entry = free_entry();
    for (WordEntry& entry : table.long_words) entry = free_entry();
    for (const KindList& list : kKindLists) {
      add_list(list.words, [&](WordEntry& entry) { entry.kind = list.kind; });
    }
    for (const UnitList& list : kUnitLists) {
      add_list(list.words, [&](WordEntry& entry) {
        entry.unit = list.unit;
        entry.kind = kWordUnit;
      });
    }
    for (const KeyList& list : kKeyLists) {
      add_list(list.words, [&](WordEntry& entry) { entry.key = list.key; });
    }
    for (const RoleList& list : kRoleLists) {
      add_list(list.words, [&](WordEntry& entry) {
        entry.roles = static_cast<std::uint16_t>(entry.roles | list.role);
      });
    }
    for (WordEntry& entry : table.short_words) finish(&entry);
    for (WordEntry& entry : table.long_words) finish(&entry);
  }
};

constexpr WordTableBuilder kBuilt;

}  // namespace

constexpr WordTable kWordTable = kBuilt.table;

const WordEntry& find_long_word(std::uint64_t low, std::uint64_t high) {
  constexpr std::uint32_t kMask = (1u << WordTable::kLongBits) - 1;
  std::uint32_t slot = long_slot(low, high);
  while (kWordTable.long_words[slot].low != 0 &&
         (kWordTable.long_words[slot].low != low || kWordTable.long_high[slot] != high)) {
    slot = (slot + 1) & kMask;
  }
  return kWordTable.long_words[slot];
}

}  // namespace fastvbench::parse
