#include "search/key_stream.h"

#include <algorithm>
#include <cmath>

#include "search/faults.h"

namespace fastvbench {

std::int64_t KeyStream::chunk_rows(std::int64_t dimension) {
  constexpr std::int64_t kChunkBytes = 96 << 10;
  return std::clamp<std::int64_t>(kChunkBytes / (4 * std::max<std::int64_t>(dimension, 1)), 4, 256);
}

bool KeyStream::reserve() {
  const std::int64_t rows = chunk_rows(gallery_.rows.dimension);
  return reader_.reserve(rows) && rows_.allocate(rows) && query_.allocate(rows) &&
         keys_.allocate(rows) && norms_.allocate(rows) && rankable_.allocate(rows);
}

Status KeyStream::open(std::int64_t begin, std::int64_t end) {
  begin_ = begin;
  count_ = end - begin;
  const std::int64_t dimension = gallery_.rows.dimension;
  const float* first = reader_.read(begin, end);
  for (std::int64_t i = 0; i < count_; ++i) rows_[i] = first + i * dimension;
  const bool is_cosine = gallery_.similarity == Similarity::kCosine;
  if (gallery_.preparation != Preparation::kNone) {
    for (std::int64_t i = 0; i < count_; ++i) rankable_[i] = !gallery_.has_fault(begin + i);
    if (!is_cosine || gallery_.norms.size() > 0) {
      for (std::int64_t i = 0; is_cosine && i < count_; ++i) norms_[i] = gallery_.norms[begin + i];
      return Status();
    }
  }
  // Dot keys are checked as they come: a value that is not finite makes any key not finite.
  if (!is_cosine) {
    std::fill(rankable_.data(), rankable_.data() + count_, std::uint8_t{1});
    return Status();
  }
  kernels_.dot64_pairs(rows_.data(), rows_.data(), count_, dimension, norms_.data());
  for (std::int64_t i = 0; i < count_; ++i) {
    if (gallery_.preparation == Preparation::kNone) {
      rankable_[i] = 1;
      if (needs_look(norms_[i], gallery_.similarity)) {
        return fault_status(fault_of(rows_[i], dimension, gallery_.similarity), begin + i);
      }
    }
    norms_[i] = std::sqrt(norms_[i]);
  }
  return Status();
}

const double* KeyStream::keys(const float* query) {
  for (std::int64_t i = 0; i < count_; ++i) query_[i] = query;
  kernels_.dot64_pairs(rows_.data(), query_.data(), count_, gallery_.rows.dimension, keys_.data());
  if (gallery_.similarity == Similarity::kCosine) {
    for (std::int64_t i = 0; i < count_; ++i) keys_[i] /= norms_[i];
  }
  return keys_.data();
}

}  // namespace fastvbench
