#include "parse/thinking.h"

#include <cstring>

namespace fastvbench::parse {
namespace {

struct Mark {
  const char* text;
  std::int64_t size;
  bool closing;
};

template <std::size_t kSize>
constexpr Mark mark(const char (&text)[kSize], bool closing) {
  return {text, static_cast<std::int64_t>(kSize - 1), closing};
}

// In lower case; the first two bytes are '<' or those of U+25C1.
constexpr Mark kMarks[] = {
    mark("<think>", false),
    mark("</think>", true),
    mark("<thinking>", false),
    mark("</thinking>", true),
    mark("<thought>", false),
    mark("</thought>", true),
    mark("<reasoning>", false),
    mark("</reasoning>", true),
    mark("<seed:think>", false),
    mark("</seed:think>", true),
    mark("\u25c1think\u25b7", false),
    mark("\u25c1/think\u25b7", true),
    mark("<|begin_of_thought|>", false),
    mark("<|end_of_thought|>", true),
    mark("<|channel|>analysis<|message|>", false),
    mark("<|channel|>final<|message|>", true),
};

bool begins_with(const char* text, std::int64_t size, const Mark& mark) {
  if (size < mark.size) return false;
  for (std::int64_t i = 0; i < mark.size; ++i) {
    char c = text[i];
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    if (c != mark.text[i]) return false;
  }
  return true;
}

}  // namespace

// Marks begin with '<' or with U+25C1, which begins with this byte.
bool may_reason(const char* text, std::int64_t size) {
  const auto bytes = static_cast<std::size_t>(size);
  return size > 0 &&
         (std::memchr(text, '<', bytes) != nullptr || std::memchr(text, 0xE2, bytes) != nullptr);
}

Reasoning skip_reasoning(const char* text, std::int64_t size) {
  Reasoning result;
  for (std::int64_t i = 0; i < size; ++i) {
    if (text[i] != '<') {
      if (text[i] != '\xe2' || i + 2 >= size || text[i + 1] != '\x97') continue;
    }
    for (const Mark& mark : kMarks) {
      if (!begins_with(text + i, size - i, mark)) continue;
      result.truncated = !mark.closing;
      if (mark.closing) result.answer_begin = i + mark.size;
      i += mark.size - 1;
      break;
    }
  }
  if (result.truncated) result.answer_begin = size;
  return result;
}

}  // namespace fastvbench::parse
