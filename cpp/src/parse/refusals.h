// Texts in which a model declines; meaning and phrases: tests/reference/refusals.py.
#pragma once

#include <cstdint>

namespace fastvbench::parse {

/// Whether a text that gave no answer declines to give one. Linear in `size`.
bool is_refusal(const char* text, std::int64_t size);

}  // namespace fastvbench::parse
