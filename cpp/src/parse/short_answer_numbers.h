// The number that a short answer gives (tests/reference/short_answer_numbers.py).
#pragma once

#include <cstdint>

#include "fastvbench/buffer.h"
#include "fastvbench/text_column.h"

namespace fastvbench::parse {

struct AnswerNumbers {
  double value = 0.0;  // NaN for none or several
  double scale = 1.0;
  double year = 0.0;
  bool percent = false;
  bool several = false;
};

/// Reads answer after answer in reused memory. False where memory ran out.
class AnswerNumberReader {
 public:
  bool read(TextView text, AnswerNumbers* result);

 private:
  Buffer<char32_t> raw_;
  Buffer<char32_t> codes_;
};

}  // namespace fastvbench::parse
