// A growable array of plain values whose allocation fails by returning false.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

namespace fastvbench {

/// Owns `size()` values of a trivially copyable type. Growing may move them; growing by `resize`
/// leaves new values uninitialised. Every growing call returns false where memory ran out, and the
/// buffer is then as it was.
template <typename T>
class Buffer {
  static_assert(std::is_trivially_copyable<T>::value, "values are moved by memcpy");

 public:
  Buffer() = default;
  ~Buffer() { std::free(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  std::int64_t capacity() const { return capacity_; }
  T& operator[](std::int64_t i) { return data_[i]; }
  const T& operator[](std::int64_t i) const { return data_[i]; }
  void clear() { size_ = 0; }

  bool reserve(std::int64_t capacity) {
    if (capacity <= capacity_) return true;
    std::int64_t wanted = capacity_ + capacity_ / 2;
    if (wanted < capacity) wanted = capacity;
    if (wanted > kMostValues) return false;
    void* moved = std::realloc(data_, static_cast<std::size_t>(wanted) * sizeof(T));
    if (moved == nullptr) return false;
    data_ = static_cast<T*>(moved);
    capacity_ = wanted;
    return true;
  }
  bool resize(std::int64_t size) {
    if (!reserve(size)) return false;
    size_ = size;
    return true;
  }
  bool push_back(T value) {
    if (size_ == capacity_ && !reserve(size_ + 1 < 16 ? 16 : size_ + 1)) return false;
    data_[size_++] = value;
    return true;
  }
  bool append(const T* values, std::int64_t count) {
    if (!reserve(size_ + count)) return false;
    if (count > 0) std::memcpy(data_ + size_, values, static_cast<std::size_t>(count) * sizeof(T));
    size_ += count;
    return true;
  }
  /// Hands the memory (from malloc) to the caller; the buffer is empty afterwards.
  T* release() {
    T* data = data_;
    data_ = nullptr;
    size_ = capacity_ = 0;
    return data;
  }
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  static constexpr std::int64_t kMostValues =
      static_cast<std::int64_t>(INT64_MAX / static_cast<std::int64_t>(sizeof(T)));
  T* data_ = nullptr;
  std::int64_t size_ = 0;
  std::int64_t capacity_ = 0;
};

}  // namespace fastvbench
