// Why a row has the answer it has. The numbers are part of the file format: append, never renumber.
#pragma once

#include <cstdint>

namespace fastvbench {

/// One per row, exclusive; only kOk carries a value.
enum class AnswerStatus : std::uint8_t {
  kOk = 0,
  kMissing = 1,
  kEmpty = 2,
  kTruncated = 3,
  kRefused = 4,
  kNoAnswer = 5,
  kAmbiguous = 6,
  kNotAnOption = 7,
  kNoNumber = 8,
  kOneNumber = 9,
  kNoDuration = 10,
  kOutOfRange = 11,
  kNotFinite = 12,
  kNeedsJudge = 13,
  kError = 14,
};

/// What was done to one interval on the way from text to seconds; bits of a uint16.
enum IntervalFlag : std::uint16_t {
  kFlagSwapped = 1,
  kFlagClampedStart = 2,
  kFlagClampedEnd = 4,
  kFlagZeroLength = 8,
  kFlagFromPercent = 16,
  kFlagFromClock = 32,
  kFlagToEnd = 64,
};

}  // namespace fastvbench
