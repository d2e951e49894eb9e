// Runs the threads of one block as fibers, one at a time, in a random order.
//
// A thread runs until it waits: at a barrier for its block, at a warp operation for its warp. After
// an atomic it sometimes lets others go first. What this shows:
//   - a missing barrier: the reader often runs before the writer and finds poison or an old value;
//   - a barrier or warp operation that not all threads reach, or that they reach at different
//   lines;
//   - reads and writes outside an array, and of device memory by host code, under AddressSanitizer.
// What it cannot show:
//   - memory ordering: every write is seen by everyone at once, so a missing fence goes unnoticed;
//   - races between blocks: blocks run one after another, in a random order;
//   - races within a block other than through the order of whole stretches between waits.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fastvbench {
namespace shim {

constexpr int kWarpLanes = 32;
constexpr std::size_t kMostPayloadBytes = 32;
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

/// SplitMix64: the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

 private:
  std::uint64_t state_;
};

/// What one lane brings to a warp operation; the others read it there.
struct Payload {
  unsigned char bytes[kMostPayloadBytes];
};

class Block {
 public:
  Block(int threads, std::size_t dynamic_shared_bytes, std::uint64_t seed);

  /// Runs `body` once per thread. False where the threads got stuck; see failure().
  bool run(std::int64_t index_x, std::int64_t index_y, const std::function<void()>& body);
  const std::string& failure() const { return failure_; }

  // For the running thread.
  static Block& current();
  int thread_index() const { return running_; }
  int thread_count() const { return static_cast<int>(threads_.size()); }
  std::int64_t index_x() const { return index_x_; }
  std::int64_t index_y() const { return index_y_; }
  void sync_block(Site site);
  /// Waits for the warp's 32 lanes and returns what each of them brought.
  const Payload* exchange(const char* operation, Site site, const void* bytes, std::size_t size);
  /// Lets other threads go first, now and then.
  void maybe_yield();
  /// `tag` is an address that stands for the array.
  void* static_shared(const void* tag, std::size_t bytes);
  void* dynamic_shared() { return shared_[0].memory.get(); }
  /// Ends the launch with a message; does not return.
  void fail(const char* message);

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
    Payload payloads[2][kWarpLanes];
  };
  struct SharedArray {
    const void* tag;
    std::size_t bytes;
    std::unique_ptr<unsigned char[]> memory;
  };

  static void entry();
  Thread& thread(int index) { return threads_[static_cast<std::size_t>(index)]; }
  void prepare(int index);
  void resume(int index);
  void leave(bool for_good);     // back to the scheduler
  void stop() { leave(false); }  // after a failure: nothing is resumed, nor its stack unwound
  void release(int begin, int end);
  std::string describe_threads() const;

  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<SharedArray> shared_;  // the dynamic one first
  std::size_t shared_bytes_ = 0;
  std::vector<int> ready_;
  Random random_;
  const std::function<void()>* body_ = nullptr;
  jmp_buf scheduler_;
  const void* scheduler_bottom_ = nullptr;
  std::size_t scheduler_bytes_ = 0;
  int running_ = -1;
  int at_barrier_ = 0;
  Site barrier_ = {"", 0};  // where the first of them waits
  int returned_ = 0;
  std::int64_t index_x_ = 0;
  std::int64_t index_y_ = 0;
  std::string failure_;
};

}  // namespace shim
}  // namespace fastvbench
