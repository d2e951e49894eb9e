// Room for intervals, as they come.
#include <cstring>

#include "parse/timestamp_pairs.h"

namespace fastvbench::parse {

bool IntervalSink::grow() {
  const std::int64_t wanted = count_ + count_ / 8 + 256;
  const std::int64_t size = column_begin_ + wanted;
  if (!column_->values.resize(2 * size) || !column_->flags.resize(size) ||
      !column_->spans.resize(2 * size)) {
    out_of_memory_ = true;
    return false;
  }
  double* const values = column_->values.data() + 2 * column_begin_;
  std::uint16_t* const flags = column_->flags.data() + column_begin_;
  std::int64_t* const spans = column_->spans.data() + 2 * column_begin_;
  if (in_place_ && count_ > 0) {
    const std::size_t count = static_cast<std::size_t>(count_);
    std::memcpy(values, values_, 2 * count * sizeof(double));
    std::memcpy(flags, flags_, count * sizeof(std::uint16_t));
    std::memcpy(spans, spans_, 2 * count * sizeof(std::int64_t));
  }
  in_place_ = false;
  values_ = values;
  flags_ = flags;
  spans_ = spans;
  capacity_ = wanted;
  return true;
}

bool IntervalSink::finish() {
  if (out_of_memory_) return false;
  if (in_place_) return true;
  // Never beyond what has been reserved, so these can't fail where nothing did before.
  const std::int64_t size = column_begin_ + count_;
  return column_->values.resize(2 * size) && column_->flags.resize(size) &&
         column_->spans.resize(2 * size);
}

}  // namespace fastvbench::parse
