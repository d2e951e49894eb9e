// A column of texts, wherever its bytes live.
#pragma once

#include <cstdint>

namespace fastvbench {

/// UTF-8 bytes of one row (lone surrogates may appear as three bytes). size -1: no text (null).
struct TextView {
  const char* data = nullptr;
  std::int64_t size = -1;
};

/// `size` rows, fetched one at a time so that no copy of the column's pointers is needed.
/// `at` must be safe to call from several threads.
struct TextColumn {
  TextView (*at)(const void* source, std::int64_t row) = nullptr;
  const void* source = nullptr;
  std::int64_t size = 0;

  TextView operator[](std::int64_t row) const { return at(source, row); }

  /// A column over an array of views, which must outlive it.
  static TextColumn of(const TextView* views, std::int64_t size) {
    return {[](const void* source, std::int64_t row) {
              return static_cast<const TextView*>(source)[row];
            },
            views, size};
  }
};

}  // namespace fastvbench
