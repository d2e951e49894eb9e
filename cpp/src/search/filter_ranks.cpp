#include "search/filter_ranks.h"

#include <cmath>
#include <new>

namespace fastvbench {
namespace {

constexpr std::int32_t kMostWorkers = 256;
constexpr std::int64_t kMostDoubts = 1 << 18;  // a worker settles them when it has as many

}  // namespace

bool FilterRanks::take(std::int32_t worker, std::int64_t query, std::int64_t block,
                       std::uint32_t rows, const float* middles, const float* widths) {
  Worker& own = workers_[worker];
  const std::int64_t first = first_row_ + block * kBlockRows;
  const std::int64_t* offsets = relevant_.offsets + first_query_ + query;
  for (std::int64_t item = offsets[0]; item < offsets[1]; ++item) {
    const std::int64_t place = item - first_item_;
    const float floor = item_floors_[place];
    const float ceiling = item_ceilings_[place];
    std::int64_t above = 0;
    for (std::uint32_t left = rows; left != 0; left &= left - 1) {
      const int i = __builtin_ctz(left);
      const float lower = middles[i] - widths[i];
      const float upper = middles[i] + widths[i];
      // An infinite lower bound may be an overflow; NaN answers no to both.
      if (lower > ceiling && lower < HUGE_VALF) {
        ++above;
      } else if (!(upper < floor)) {
        if (!own.doubts.push_back({first + i, first_query_ + query, item})) return false;
      }
    }
    own.above[place] += above;
  }
  if (own.doubts.size() < kMostDoubts) return true;
  RunContext alone;
  alone.threads = 1;
  return settle(alone, &own.doubts).ok();
}

Status FilterRanks::settle(const RunContext& context, Buffer<Doubt>* doubts) {
  const std::int64_t count = doubts->size();
  if (count == 0) return Status();
  AlignedBuffer<ExactPair> pairs;
  AlignedBuffer<double> keys;
  if (!pairs.allocate(count) || !keys.allocate(count)) return Status::out_of_memory();
  for (std::int64_t i = 0; i < count; ++i) pairs[i] = {(*doubts)[i].row, (*doubts)[i].query};
  PairOrder order;
  const Status status =
      exact_keys(context, gallery_, queries_, pairs.data(), count, order, keys.data());
  if (!status.ok()) return status;
  std::lock_guard<std::mutex> lock(merging_);
  doubt_count_ += count;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t item = (*doubts)[i].item;
    TieCount one(relevant_, item, keys_[item]);
    one.add(keys[i], (*doubts)[i].row);
    one.add_to(out_);
  }
  doubts->clear();
  return Status();
}

Status FilterRanks::add(const RunContext& context, const FilterRows& rows, const RowFrame& frame,
                        std::int64_t begin, std::int64_t end) {
  first_query_ = begin;
  first_item_ = relevant_.offsets[begin];
  first_row_ = rows.begin;
  const std::int64_t item_count = relevant_.offsets[end] - first_item_;
  Status status =
      panels_.load(context, queries_, begin, end, frame, gallery_.similarity, rows.width);
  if (!status.ok()) return status;
  if (!floors_.allocate(end - begin) || !item_floors_.allocate(item_count) ||
      !item_ceilings_.allocate(item_count)) {
    return Status::out_of_memory();
  }
  for (std::int64_t q = 0; q < end - begin; ++q) {
    floors_[q] = HUGE_VALF;
    for (std::int64_t i = relevant_.offsets[begin + q]; i < relevant_.offsets[begin + q + 1]; ++i) {
      item_floors_[i - first_item_] = panels_.scale(q).threshold(keys_[i]);
      item_ceilings_[i - first_item_] = panels_.scale(q).ceiling(keys_[i]);
      floors_[q] = std::min(floors_[q], item_floors_[i - first_item_]);
    }
  }
  if (workers_ == nullptr) workers_.reset(new (std::nothrow) Worker[kMostWorkers]);
  if (workers_ == nullptr) return Status::out_of_memory();
  const ScanSplit split = ScanSplit::choose(context, rows, end - begin);
  for (std::int32_t w = 0; w < split.workers; ++w) {
    if (!workers_[w].above.resize(item_count)) return Status::out_of_memory();
    std::fill(workers_[w].above.data(), workers_[w].above.data() + item_count, std::int64_t{0});
    workers_[w].doubts.clear();
  }
  FilterScan<FilterRanks> scan(rows, panels_, *this);
  status = scan.run(context, split);
  for (std::int32_t w = 0; w < split.workers && status.ok(); ++w) {
    for (std::int64_t i = 0; i < item_count; ++i)
      out_.above[first_item_ + i] += workers_[w].above[i];
    status = settle(context, &workers_[w].doubts);
  }
  return status;
}

}  // namespace fastvbench
