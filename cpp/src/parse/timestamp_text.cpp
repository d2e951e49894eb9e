#include "parse/timestamp_text.h"

namespace fastvbench::parse {

void Text::read_more_digits(DigitRun* run) const {
  for (; run->end < end; ++run->count) {
    unsigned digit;
    if (is_ascii_digit(*run->end)) {
      digit = static_cast<unsigned>(*run->end - '0');
      run->end += 1;
    } else if (*run->end == 0xEF && wide_digit_at(run->end) != 0) {
      digit = static_cast<unsigned>(run->end[2] - 0x90);
      run->end += 3;
    } else {
      break;
    }
    if (run->count == 0) run->begins_with_zero = digit == 0;
    if (run->count < 18) run->value = run->value * 10 + digit;
  }
}

Word Text::word_in_bytes(const Byte* p) const {
  std::uint64_t halves[2] = {0, 0};
  const Byte* after = p;
  bool is_ascii = true;
  while (const int size = letter_at(after)) {
    const std::int64_t index = after - p;
    if (size == 2) is_ascii = false;
    if (index < 16) halves[index >> 3] |= std::uint64_t{*after | 0x20u} << (8 * (index & 7));
    after += size;
  }
  const std::int64_t size = after - p;
  if (size == 0) return {nullptr, p};
  if (size == 2 && p[0] == 0xC3 && (p[1] == 0xA0 || p[1] == 0x80)) {  // French à
    return {&find_short_word('t' | 'o' << 8), after};
  }
  if (size > 16 || !is_ascii) return {&find_short_word('?'), after};  // not listed
  if (size > 8) return {&find_long_word(halves[0], halves[1]), after};
  return {&find_short_word(halves[0]), after};
}

}  // namespace fastvbench::parse
