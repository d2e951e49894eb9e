// Floats that threads read and raise without locks.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

namespace fastvbench {

/// One rising value per query. A reader may see an older, lower one: it then keeps a row too many.
class SharedFloats {
 public:
  SharedFloats() = default;
  ~SharedFloats() { delete[] values_; }
  SharedFloats(const SharedFloats&) = delete;
  SharedFloats& operator=(const SharedFloats&) = delete;

  bool allocate(std::int64_t count) {
    if (count <= capacity_) return true;
    delete[] values_;
    values_ = new (std::nothrow) std::atomic<float>[static_cast<std::size_t>(count)];
    capacity_ = values_ == nullptr ? 0 : count;
    return values_ != nullptr;
  }
  float operator[](std::int64_t i) const { return values_[i].load(std::memory_order_relaxed); }
  void set(std::int64_t i, float value) { values_[i].store(value, std::memory_order_relaxed); }
  void raise(std::int64_t i, float value) {
    float seen = values_[i].load(std::memory_order_relaxed);
    while (seen < value &&
           !values_[i].compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<float>* values_ = nullptr;
  std::int64_t capacity_ = 0;
};

}  // namespace fastvbench
