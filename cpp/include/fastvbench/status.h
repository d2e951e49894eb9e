// How the core reports: a code, and the row and value that it is about. Nothing in the core throws.
#pragma once

#include <cstdint>

namespace fastvbench {

enum class Code : std::int32_t {
  kOk = 0,
  kInvalidArgument,  // a row holds a value that the contract refuses
  kOutOfMemory,
  kCancelled,  // the caller's poll asked to stop
};

/// Result of a kernel. `what` is a string literal; `row` is -1 where no single row is at fault.
struct Status {
  Code code = Code::kOk;
  const char* what = "";
  std::int64_t row = -1;
  double value = 0.0;

  bool ok() const { return code == Code::kOk; }

  static Status out_of_memory() { return {Code::kOutOfMemory, "out of memory", -1, 0.0}; }
  static Status cancelled() { return {Code::kCancelled, "cancelled", -1, 0.0}; }
  static Status invalid(const char* what, std::int64_t row, double value) {
    return {Code::kInvalidArgument, what, row, value};
  }
};

}  // namespace fastvbench
