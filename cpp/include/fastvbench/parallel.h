// Work split into blocks of rows over the process's thread pool.
#pragma once

#include <cstdint>

#include "fastvbench/run_context.h"
#include "fastvbench/status.h"

namespace fastvbench {

/// Threads that a call with this context uses for `block_count` blocks: at least 1.
std::int32_t thread_count(const RunContext& context, std::int64_t block_count);

/// One block of rows [begin, end), run by worker 0 .. thread_count-1; worker 0 is the caller.
using BlockFunction = Status (*)(void* data, std::int64_t begin, std::int64_t end,
                                 std::int32_t worker);

/// Runs `function` over [0, count) in blocks of `block_rows`, claimed dynamically in rising order.
/// The first failure (lowest row where several fail in blocks that ran) stops the rest and is
/// returned; the answer of blocks that ran is kept. Cancellation is polled on the calling thread.
Status parallel_blocks(const RunContext& context, std::int64_t count, std::int64_t block_rows,
                       BlockFunction function, void* data);

/// The same for a callable `Status body(begin, end, worker)`.
template <typename Body>
Status parallel_for(const RunContext& context, std::int64_t count, std::int64_t block_rows,
                    Body& body) {
  return parallel_blocks(
      context, count, block_rows,
      [](void* data, std::int64_t begin, std::int64_t end, std::int32_t worker) {
        return (*static_cast<Body*>(data))(begin, end, worker);
      },
      &body);
}

}  // namespace fastvbench
