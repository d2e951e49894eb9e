// Jumps between stacks are what the fortified longjmp forbids.
#undef _FORTIFY_SOURCE
#include "shim/block.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#ifdef FASTVBENCH_SHIM_ASAN
#include <sanitizer/common_interface_defs.h>
#else
#define __sanitizer_start_switch_fiber(fake_stack, bottom, bytes) ((void)0)
#define __sanitizer_finish_switch_fiber(fake_stack, bottom, bytes) ((void)0)
#endif

namespace fastvbench::shim {
namespace {
using cuda::kWarpSize;

constexpr std::size_t kYieldOneIn = 4;
constexpr std::size_t kStackBytes = 256 * 1024;
constexpr const char* kBarrier = "sync_block";

Block* current_block = nullptr;
std::vector<std::unique_ptr<unsigned char[]>> stacks;  // of fibers, kept for the next launch

std::string describe(const char* operation, Site site) {
  const char* name = std::strrchr(site.file, '/');
  return std::string(operation) + " (" + (name == nullptr ? site.file : name + 1) + ":" +
         std::to_string(site.line) + ")";
}
}  // namespace

Block::Block(cuda::Grid grid, int threads, std::size_t dynamic_shared_bytes, std::uint64_t seed)
    : grid_(grid),
      threads_(static_cast<std::size_t>(threads)),
      warps_(static_cast<std::size_t>((threads + kWarpSize - 1) / kWarpSize)),
      random_(seed) {
  while (stacks.size() < threads_.size()) stacks.emplace_back(new unsigned char[kStackBytes]);
  static_shared(nullptr, dynamic_shared_bytes);
}

Block& Block::current() { return *current_block; }

bool Block::run(std::int64_t index, const std::function<void()>& body) {
  index_ = index;
  body_ = &body;
  at_barrier_ = returned_ = 0;
  for (SharedArray& array : shared_) poison(&array);
  for (int i = 0; i < thread_count(); ++i) prepare(i);
  ready_.clear();
  release(0, thread_count());
  Block* const outer = std::exchange(current_block, this);
  while (!ready_.empty() && failure_.empty()) {
    std::swap(ready_[random_() % ready_.size()], ready_.back());
    const int next = ready_.back();
    ready_.pop_back();
    resume(next);
  }
  if (failure_.empty() && returned_ < thread_count()) failure_ = "deadlock: " + describe_threads();
  if (!failure_.empty()) stacks.clear();  // they hold what was never unwound
  current_block = outer;
  return failure_.empty();
}

void Block::prepare(int index) {
  ucontext_t& context = (thread(index) = Thread()).context;
  getcontext(&context);
  context.uc_stack.ss_sp = stacks[static_cast<std::size_t>(index)].get();
  context.uc_stack.ss_size = kStackBytes;
  makecontext(&context, &Block::entry, 0);
}

void Block::entry() {
  Block& block = *current_block;
  __sanitizer_finish_switch_fiber(nullptr, &block.scheduler_bottom_, &block.scheduler_bytes_);
  (*block.body_)();
  block.thread(block.running_).returned = true;
  ++block.returned_;
  block.leave(true);
}

void Block::resume(int index) {
  [[maybe_unused]] void* fake_stack = nullptr;
  running_ = index;
  __sanitizer_start_switch_fiber(&fake_stack, thread(index).context.uc_stack.ss_sp, kStackBytes);
  if (_setjmp(scheduler_) == 0) {
    if (thread(index).started) _longjmp(thread(index).place, 1);
    thread(index).started = true;
    setcontext(&thread(index).context);
  }
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
}

void Block::leave([[maybe_unused]] bool for_good) {
  Thread& self = thread(running_);
  __sanitizer_start_switch_fiber(for_good ? nullptr : &self.fake_stack, scheduler_bottom_,
                                 scheduler_bytes_);
  if (_setjmp(self.place) == 0) _longjmp(scheduler_, 1);
  __sanitizer_finish_switch_fiber(self.fake_stack, &scheduler_bottom_, &scheduler_bytes_);
}

void Block::release(int begin, int end) {
  for (int i = begin; i < end; ++i) {
    thread(i).waits_at = nullptr;
    ready_.push_back(i);
  }
}

void Block::sync_block(Site site) {
  thread(running_).waits_at = kBarrier;
  thread(running_).site = site;
  if (at_barrier_ == 0) barrier_ = site;
  if (!(barrier_ == site)) fail("divergent barrier: " + describe_threads());
  if (++at_barrier_ == thread_count()) {
    at_barrier_ = 0;
    release(0, thread_count());
  }
  leave(false);
}

const Payload* Block::exchange(const char* operation, Site site, const void* bytes,
                               std::size_t size) {
  const int first = running_ / kWarpSize * kWarpSize;
  if (first + kWarpSize > thread_count()) {
    fail(describe(operation, site) + " in a warp of fewer than 32 threads");
  }
  thread(running_).waits_at = operation;
  thread(running_).site = site;
  for (int i = first; i < first + kWarpSize; ++i) {
    const char* other = thread(i).waits_at;
    if (other == nullptr || other == kBarrier) continue;
    if (other == operation && thread(i).site == site) continue;
    fail("divergent warp: " + describe_threads());
  }
  Warp& warp = warps_[static_cast<std::size_t>(first / kWarpSize)];
  Payload* const payloads = warp.payloads[warp.buffer];
  if (size > 0) std::memcpy(payloads[running_ - first].data(), bytes, size);
  if (++warp.arrived == kWarpSize) {
    warp.arrived = 0;
    warp.buffer ^= 1;
    release(first, first + kWarpSize);
  }
  leave(false);
  return payloads;
}

void Block::maybe_yield() {
  if (random_() % kYieldOneIn != 0) return;
  ready_.push_back(running_);
  leave(false);
}

void* Block::static_shared(const void* tag, std::size_t bytes) {
  for (SharedArray& array : shared_) {
    if (array.tag == tag) return array.bytes.data();
  }
  shared_bytes_ += bytes;
  if (shared_bytes_ > kMostSharedBytes) fail("too much shared memory");
  shared_.push_back({tag, std::vector<unsigned char>(bytes)});
  poison(&shared_.back());
  return shared_.back().bytes.data();
}

// Every block finds other bytes, so that nothing right can come of reading them.
void Block::poison(SharedArray* array) {
  std::fill(array->bytes.begin(), array->bytes.end(), 128 + random_() % 128);
}

void Block::fail(std::string message) {
  failure_ = std::move(message);
  leave(false);
}

std::string Block::describe_threads() const {
  std::map<std::string, std::vector<int>> groups;  // by what they do
  for (int i = 0; i < thread_count(); ++i) {
    const Thread& one = threads_[static_cast<std::size_t>(i)];
    std::string what = one.returned ? "returned" : "can run";
    if (one.waits_at != nullptr) what = "at " + describe(one.waits_at, one.site);
    groups[what].push_back(i);
  }
  std::string text;
  for (const auto& [what, members] : groups) {
    text += (text.empty() ? "" : "; ") + std::to_string(members.size()) + " threads " + what +
            ", the first is " + std::to_string(members[0]);
  }
  return text;
}

}  // namespace fastvbench::shim
