// Answers of one shape are read once. Models word many answers alike, so what reading one of them
// found is kept under its bytes with every digit taken for the same; the next of that shape needs
// its numbers alone. A reading that asked more of a value than ReadingTrace holds is not kept.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "parse/timestamp_pairs.h"

namespace fastvbench::parse {

/// For one thread. Without memory it reads every answer anew.
class ShapeMemo {
 public:
  /// Fewer answers are not worth the memory.
  static constexpr std::int64_t kLeastRows = 128;

  ShapeMemo() = default;
  ~ShapeMemo() { std::free(entries_); }
  ShapeMemo(const ShapeMemo&) = delete;
  ShapeMemo& operator=(const ShapeMemo&) = delete;

  /// Gets the memory, once.
  void open();

  /// The same as read_timestamps.
  AnswerStatus read(const char* data, std::int64_t size, double duration, IntervalSink* sink);

 private:
  struct Shape;
  struct Entry;

  AnswerStatus read_anew(const char* data, std::int64_t size, double duration, IntervalSink* sink,
                         const Shape& shape, Entry* ways);

  Entry* entries_ = nullptr;
  std::int32_t credit_ = 0;   // falls with every miss; none left: rest
  std::int32_t resting_ = 0;  // answers until shapes are looked at again
};

}  // namespace fastvbench::parse
