// Words that decline to answer (tests/reference/choice_words.py).
#pragma once

#include "parse/choice_letters.h"
#include "parse/choice_regions.h"
#include "parse/choice_tokens.h"

namespace fastvbench::parse::choice {

/// The first words of the region that decline to answer; `first` is -1 where none do.
Found find_refusal(const char* text, const Token* tokens, Region region);

}  // namespace fastvbench::parse::choice
