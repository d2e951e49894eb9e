// What of a model's text is its answer and what is reasoning; meaning: tests/reference/thinking.py.
#pragma once

#include <cstdint>

namespace fastvbench::parse {

struct Reasoning {
  std::int64_t answer_begin = 0;  // the size of the text where it is truncated
  bool truncated = false;         // reasoning that never ended
};

/// False where a text surely holds no mark of reasoning: it is all answer.
bool may_reason(const char* text, std::int64_t size);

/// Linear in `size`.
Reasoning skip_reasoning(const char* text, std::int64_t size);

}  // namespace fastvbench::parse
