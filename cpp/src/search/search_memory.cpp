#include "search/search_memory.h"

namespace fastvbench {
namespace {

// What is left of an unusually large search is not worth keeping.
constexpr std::int64_t kMostKeptBytes = std::int64_t{128} << 20;

}  // namespace

std::int64_t SearchMemory::memory_bytes() {
  std::int64_t bytes = pairs.size() * std::int64_t{sizeof(ExactPair)} + 8 * keys.size();
  for (std::int64_t i = 0; i < candidates.size(); ++i) bytes += candidates[i].memory_bytes();
  for (std::int64_t i = 0; i < scored.size(); ++i) bytes += scored[i].memory_bytes();
  for (std::int64_t i = 0; i < best.size(); ++i) bytes += best[i].memory_bytes();
  return bytes;
}

std::unique_ptr<SearchMemory> SearchMemoryPool::borrow() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (idle_ != nullptr) return std::move(idle_);
  }
  return std::unique_ptr<SearchMemory>(new (std::nothrow) SearchMemory);
}

void SearchMemoryPool::give_back(std::unique_ptr<SearchMemory> memory) {
  if (memory->memory_bytes() > kMostKeptBytes) return;
  std::lock_guard<std::mutex> lock(mutex_);
  idle_ = std::move(memory);
}

}  // namespace fastvbench
