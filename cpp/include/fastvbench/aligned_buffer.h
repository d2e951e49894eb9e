// A fixed array on cache-line boundaries, on huge pages where it is large; its allocation fails by
// returning false.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace fastvbench {

/// Owns `size()` uninitialised values of a trivially copyable type. `data()` is a multiple of 64
/// bytes, and kSpareBytes behind the last value may be read, so that kernels can load whole
/// registers.
template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable<T>::value, "values are never constructed");

 public:
  static constexpr std::int64_t kSpareBytes = 64;

  AlignedBuffer() = default;
  ~AlignedBuffer() { std::free(data_); }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;
  AlignedBuffer(AlignedBuffer&& other) noexcept { swap(other); }
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    swap(other);
    return *this;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  T& operator[](std::int64_t i) { return data_[i]; }
  const T& operator[](std::int64_t i) const { return data_[i]; }

  /// Room for `size` values; what was held is lost where the memory at hand is too small.
  bool allocate(std::int64_t size) {
    if (size <= capacity_) {
      size_ = size;
      return true;
    }
    if (size > (INT64_MAX - kHugePage - kSpareBytes) / static_cast<std::int64_t>(sizeof(T))) {
      return false;
    }
    std::int64_t bytes = size * static_cast<std::int64_t>(sizeof(T)) + kSpareBytes;
    const std::int64_t alignment = bytes >= 2 * kHugePage ? kHugePage : kCacheLine;
    bytes = (bytes + alignment - 1) / alignment * alignment;
    void* memory = nullptr;
    if (posix_memalign(&memory, static_cast<std::size_t>(alignment),
                       static_cast<std::size_t>(bytes)) != 0) {
      return false;
    }
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    // Fewer page faults on first touch; a kernel that refuses costs nothing.
    if (alignment == kHugePage) madvise(memory, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
#endif
    std::free(data_);
    data_ = static_cast<T*>(memory);
    size_ = capacity_ = size;
    return true;
  }
  void swap(AlignedBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  static constexpr std::int64_t kCacheLine = 64;
  static constexpr std::int64_t kHugePage = 2 << 20;
  T* data_ = nullptr;
  std::int64_t size_ = 0;
  std::int64_t capacity_ = 0;
};

}  // namespace fastvbench
