// What stands between two items, as marks: section 3 of the timestamp grammar.
#pragma once

#include <cstdint>

#include "parse/timestamp_words.h"

namespace fastvbench::parse {

using Gap = std::uint32_t;

enum GapMark : Gap {
  kTouch = 1u << 0,  // only spaces, markup and closing brackets since the last item
  kClean = 1u << 1,  // only those and list separators
  kNear = 1u << 2,   // the last word is a filler or a cue
  kRange = 1u << 3,  // a range sign, and only fillers since
  kUntil = 1u << 4,
  kBetween = 1u << 5,
  kFrom = 1u << 6,
  kStart = 1u << 7,
  kEnd = 1u << 8,
  kLength = 1u << 9,
  kFor = 1u << 10,
  kName = 1u << 11,       // the next number is a name or a count
  kNames = 1u << 12,      // so are both of a range
  kAfterName = 1u << 13,  // behind the first of them
  kConfidence = 1u << 14,
  kDate = 1u << 15,
  kFirst = 1u << 16,
  kLast = 1u << 17,
  kFinal = 1u << 18,
  kWhole = 1u << 19,
  kAnswer = 1u << 20,
  kProse = 1u << 21,  // the line holds words
  kLine = 1u << 22,   // nothing yet on this line
  kTable = 1u << 23,  // the line began with a bar
  kMinus = 1u << 24,
  kScore = 1u << 27,  // the last word but fillers is one of confidence
  kVideo = 1u << 26,  // the last word but fillers is "video" or "clip"
  kUnit = 1u << 25,   // a unit word stands right before
};

/// What a token does to the marks: keeps some, then sets some.
struct GapEffect {
  Gap keep;
  Gap set;
};

constexpr Gap kSentenceMarks = kUntil | kBetween | kStart | kEnd;  // kept until the sentence ends
constexpr Gap kRowMarks = kSentenceMarks | kTable;
constexpr Gap kFilledMarks = kRowMarks | kRange | kFrom | kLength | kFor | kConfidence | kWhole |
                             kAnswer | kAfterName | kFirst | kLast | kVideo | kScore;
constexpr Gap kWordMarks = kProse | kNear;

/// In the order of WordKind.
constexpr GapEffect kWordEffects[kWordKindCount] = {
    {kRowMarks | kConfidence, kProse},                                         // other
    {kFilledMarks, kWordMarks},                                                // filler
    {kRowMarks | kConfidence | kAfterName, kWordMarks | kRange},               // range
    {kRowMarks | kConfidence | kAfterName, kWordMarks | kUntil},               // until
    {kRowMarks | kConfidence, kWordMarks},                                     // and
    {kStart | kEnd | kTable, kWordMarks | kBetween},                           // between
    {kStart | kEnd | kTable, kWordMarks | kFrom},                              // from
    {(kRowMarks & ~Gap{kEnd}) | kRange | kConfidence, kWordMarks | kStart},    // start
    {(kRowMarks & ~Gap{kEnd}) | kRange | kConfidence, kWordMarks | kStart},    // start point
    {kRowMarks | kRange | kConfidence, kWordMarks | kEnd},                     // end
    {kRowMarks | kRange | kConfidence, kWordMarks | kEnd},                     // end point
    {kRowMarks & ~Gap{kUntil}, kWordMarks | kLength},                          // length
    {kRowMarks | kConfidence, kWordMarks | kFor},                              // for
    {kRowMarks | kRange | kConfidence | kAfterName, kProse | kName},           // numbered
    {kRowMarks | kRange | kConfidence | kAfterName, kProse | kName | kNames},  // numbered many
    {kRowMarks, kProse | kConfidence | kScore},                                // confidence
    {kRowMarks | kRange | kConfidence, kProse | kDate},                        // date
    {kRowMarks | kConfidence, kWordMarks | kFirst},                            // first
    {kRowMarks | kConfidence, kWordMarks | kLast},                             // last
    {kRowMarks | kConfidence, kWordMarks | kLast | kFinal},                    // final
    {kFilledMarks, kWordMarks | kWhole},                                       // whole
    {kRowMarks | kConfidence, kProse | kVideo},                                // video
    {kRowMarks | kConfidence, kWordMarks | kAnswer},                           // answer
    {0, 0},                             // not finite: an item
    {kRowMarks | kConfidence, kProse},  // onward
    {kFilledMarks, kWordMarks},         // unit
    {kRowMarks | kConfidence, kProse},  // between, behind
};

constexpr GapEffect kColonEffect = {kRowMarks | kRange | kLength | kScore | kConfidence | kLine,
                                    kNear};
constexpr GapEffect kSeparatorEffect = {kRowMarks | kClean | kNear | kProse, 0};
constexpr GapEffect kBarEffect = {kRowMarks | kClean, kNear};
constexpr GapEffect kSlashEffect = {kRowMarks | kNear | kProse, 0};
constexpr GapEffect kOpeningEffect = {
    kRowMarks | kRange | kLength | kScore | kConfidence | kNear | kLine, 0};
constexpr GapEffect kClosingEffect = {kRowMarks | kRange | kTouch | kNear | kProse | kAfterName, 0};
constexpr GapEffect kStopEffect = {kProse | kTable, kNear};
constexpr GapEffect kLineEndEffect = {kSentenceMarks | kRange | kClean | kFrom | kAnswer,
                                      kLine | kNear};
constexpr GapEffect kRangeSignEffect = {kRowMarks | kConfidence | kProse | kAfterName,
                                        kRange | kNear};
constexpr GapEffect kSignEffect = {~Gap{kTouch | kClean | kLine}, 0};
constexpr GapEffect kItemEffect = {kProse | kTable | kBetween, kTouch | kClean | kNear};
constexpr GapEffect kStartItemEffect = {kProse | kTable | kBetween | kEnd, kTouch | kClean | kNear};
constexpr GapEffect kVoidEffect = {kRowMarks, kProse | kTouch};
constexpr Gap kTextBegins = kLine | kNear;

}  // namespace fastvbench::parse
