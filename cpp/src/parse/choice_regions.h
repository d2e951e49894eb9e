// Which part of an answer is read: answer tags and JSON (tests/reference/choice_regions.py).
#pragma once

#include <cstdint>

#include "parse/choice_tokens.h"

namespace fastvbench::parse::choice {

/// Tokens low to high, high not included.
struct Region {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// Line ends and tags say nothing.
bool is_blank(const Token& token);

/// False where a JSON object without an answer-like key is all there is.
bool answer_region(const char* text, const Token* tokens, std::int64_t count, Region* region);

}  // namespace fastvbench::parse::choice
