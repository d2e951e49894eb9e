// Rows that a filter could not rule out for one query, as columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "fastvbench/aligned_buffer.h"
#include "search/kernels.h"

namespace fastvbench {

class Candidates {
 public:
  void start(std::int64_t wanted) {
    wanted_ = wanted;
    clear();
  }
  void clear() {
    size_ = 0;
    limit_ = first_limit();
  }
  bool is_full() const { return size_ >= limit_; }

  /// Adds the rows of one block whose bit is set. False where memory ran out.
  bool add(const SearchKernels& kernels, std::uint32_t block_row, std::uint32_t rows,
           const float* middles, const float* widths) {
    if (!reserve(size_ + kBlockRows)) return false;
    size_ += kernels.append_rows(middles, widths, rows, block_row, lowers_.data() + size_,
                                 uppers_.data() + size_, rows_.data() + size_);
    return true;
  }
  bool take_over(const Candidates& other) {
    if (!reserve(size_ + other.size_)) return false;
    std::copy_n(other.lowers_.data(), other.size_, lowers_.data() + size_);
    std::copy_n(other.uppers_.data(), other.size_, uppers_.data() + size_);
    std::copy_n(other.rows_.data(), other.size_, rows_.data() + size_);
    size_ += other.size_;
    return true;
  }

  /// The best lower bound that `wanted` rows reach; minus infinity where there are fewer.
  float best_floor(const SearchKernels& kernels) const {
    return size_ < wanted_ ? -HUGE_VALF : kernels.kth_largest(lowers_.data(), size_, wanted_);
  }
  /// Drops what is below the threshold, and gives what is left room to grow.
  void drop_below(const SearchKernels& kernels, float threshold) {
    drop_below(kernels, threshold, 0);
    limit_ = std::max(first_limit(), 2 * size_ + 64);
  }
  /// The same from place `first` on.
  void drop_below(const SearchKernels& kernels, float threshold, std::int64_t first) {
    size_ = first + kernels.keep_not_below(lowers_.data() + first, uppers_.data() + first,
                                           rows_.data() + first, size_ - first, threshold);
  }
  /// Brings the rows whose lower bound is `floor` or more to the front; returns how many they are.
  std::int64_t bring_forward(float floor) {
    std::int64_t front = 0;
    for (std::int64_t i = 0; i < size_; ++i) {
      if (!(lowers_[i] >= floor)) continue;
      std::swap(lowers_[i], lowers_[front]);
      std::swap(uppers_[i], uppers_[front]);
      std::swap(rows_[i], rows_[front]);
      ++front;
    }
    return front;
  }
  /// Whether more rows stay than a filter's candidates should: they can only be told apart exactly.
  bool is_crowded() const { return size_ > 16 * wanted_ + 4096; }

  std::int64_t size() const { return size_; }
  std::uint32_t row(std::int64_t i) const { return rows_[i]; }
  std::int64_t memory_bytes() const { return 12 * capacity_; }

 private:
  std::int64_t first_limit() const { return std::max<std::int64_t>(4 * wanted_, 128); }
  bool reserve(std::int64_t size) {
    // Kernels write whole registers: one block more than is counted.
    const std::int64_t needed = size + kBlockRows;
    if (needed <= capacity_) return true;
    const std::int64_t wanted = std::max(needed, capacity_ + capacity_ / 2);
    if (!grow(lowers_, wanted) || !grow(uppers_, wanted) || !grow(rows_, wanted)) return false;
    capacity_ = wanted;
    return true;
  }
  template <typename T>
  bool grow(AlignedBuffer<T>& column, std::int64_t capacity) {
    AlignedBuffer<T> larger;
    if (!larger.allocate(capacity)) return false;
    std::copy_n(column.data(), size_, larger.data());
    column.swap(larger);
    return true;
  }

  std::int64_t wanted_ = 0;
  std::int64_t limit_ = 0;
  std::int64_t size_ = 0;
  std::int64_t capacity_ = 0;
  AlignedBuffer<float> lowers_;        // never NaN or +infinity
  AlignedBuffer<float> uppers_;        // never NaN
  AlignedBuffer<std::uint32_t> rows_;  // within the filter's rows
};

}  // namespace fastvbench
