// Runs the threads of one block as fibers, one at a time, in a random order.
// See the README beside this folder for what that shows, and what it cannot show.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "device_constants.h"
#include "runtime.h"

namespace fastvbench::shim {

// Of compute capability 8.0, the smallest device that is built for.
constexpr std::size_t kMostSharedBytes = 163 * 1024;
constexpr int kMostThreads = 1024;

/// Where a kernel's source calls; filled in as a default argument.
struct Site {
  const char* file;
  int line;
  static Site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
  bool operator==(const Site& other) const { return line == other.line && file == other.file; }
};

using Random = std::mt19937_64;  // the same numbers on every machine, as no distribution is

/// What one lane brings to a warp operation; the others read it there.
using Payload = std::array<unsigned char, 32>;

class Block {
 public:
  Block(cuda::Grid grid, int threads, std::size_t dynamic_shared_bytes, std::uint64_t seed);

  /// Runs `body` once per thread. False where the threads got stuck; see failure().
  bool run(std::int64_t index, const std::function<void()>& body);
  const std::string& failure() const { return failure_; }

  // For the running thread.
  static Block& current();
  int thread_index() const { return running_; }
  int thread_count() const { return static_cast<int>(threads_.size()); }
  const cuda::Grid& grid() const { return grid_; }
  std::int32_t index_x() const { return static_cast<std::int32_t>(index_ % grid_.x); }
  std::int32_t index_y() const { return static_cast<std::int32_t>(index_ / grid_.x); }
  void sync_block(Site site);
  /// Waits for the warp's 32 lanes and returns what each of them brought.
  const Payload* exchange(const char* operation, Site site, const void* bytes, std::size_t size);
  void maybe_yield();  // lets other threads go first, now and then
  void* static_shared(const void* tag, std::size_t bytes);  // `tag` stands for the array
  void* dynamic_shared() { return shared_[0].bytes.data(); }
  /// Ends the launch with a message; does not return. Nothing is resumed, nor its stack unwound.
  void fail(std::string message);

 private:
  struct Thread {
    ucontext_t context;  // for the start
    jmp_buf place;       // afterwards: no system call is needed
    bool started = false;
    void* fake_stack = nullptr;      // AddressSanitizer's, while another fiber runs
    const char* waits_at = nullptr;  // null: it can run, or has returned
    Site site = {"", 0};
    bool returned = false;
  };
  struct Warp {
    int arrived = 0;
    int buffer = 0;  // the one being filled; lanes may still read the other
    Payload payloads[2][cuda::kWarpSize];
  };
  struct SharedArray {
    const void* tag;
    std::vector<unsigned char> bytes;
  };

  static void entry();
  Thread& thread(int index) { return threads_[static_cast<std::size_t>(index)]; }
  void prepare(int index);
  void resume(int index);
  void leave(bool for_good);  // back to the scheduler
  void release(int begin, int end);
  std::string describe_threads() const;

  void poison(SharedArray* array);

  cuda::Grid grid_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<SharedArray> shared_;  // the dynamic one first
  std::size_t shared_bytes_ = 0;
  std::vector<int> ready_;
  Random random_;
  const std::function<void()>* body_ = nullptr;
  jmp_buf scheduler_;
  const void* scheduler_bottom_ = nullptr;  // of its stack
  std::size_t scheduler_bytes_ = 0;
  int running_ = -1;
  int at_barrier_ = 0, returned_ = 0;  // threads
  Site barrier_ = {"", 0};             // where the first of them waits
  std::int64_t index_ = 0;
  std::string failure_;
};

}  // namespace fastvbench::shim
