// How a kernel call runs: on how many threads, and how it hears that it should stop.
#pragma once

#include <cstdint>

namespace fastvbench {

/// Passed to every kernel. Kernels call `should_stop` between blocks of work, on the calling thread
/// only, so a binding may look at pending signals there.
struct RunContext {
  std::int32_t threads = 0;            // 0: as many as the machine has
  bool (*poll)(void* data) = nullptr;  // true: stop now, the result is discarded
  void* poll_data = nullptr;

  bool should_stop() const { return poll != nullptr && poll(poll_data); }
};

}  // namespace fastvbench
