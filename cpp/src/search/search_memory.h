// What a search needs beside the gallery and the queries, kept from call to call: fresh pages would
// cost more than many searches.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <new>

#include "search/best_rows.h"
#include "search/candidates.h"
#include "search/exact_pairs.h"
#include "search/query_panels.h"
#include "search/shared_floats.h"

namespace fastvbench {

/// A row of objects that keep their memory when the row is used again.
template <typename T>
class KeptRow {
 public:
  bool allocate(std::int64_t count) {
    if (count <= count_) return true;
    values_.reset(new (std::nothrow) T[static_cast<std::size_t>(count)]);
    count_ = values_ == nullptr ? 0 : count;
    return values_ != nullptr;
  }
  T& operator[](std::int64_t i) { return values_[static_cast<std::size_t>(i)]; }
  T* data() { return values_.get(); }
  std::int64_t size() const { return count_; }

 private:
  std::unique_ptr<T[]> values_;
  std::int64_t count_ = 0;
};

struct SearchMemory {
  QueryPanels panels;
  SharedFloats thresholds;
  KeptRow<Candidates> candidates;      // by slot: a query, or a query and a worker
  KeptRow<BestRows> scored;            // by slot: rows that had to be scored on the way
  KeptRow<BestRows> best;              // by query of a batch
  AlignedBuffer<std::int64_t> rounds;  // two columns by query: candidates scored in each round
  AlignedBuffer<std::int64_t> starts;  // by query: where its pairs begin
  AlignedBuffer<ExactPair> pairs;
  AlignedBuffer<double> keys;
  PairOrder order;

  std::int64_t memory_bytes();
};

/// Lends one SearchMemory at a time; callers that come meanwhile get one of their own.
class SearchMemoryPool {
 public:
  std::unique_ptr<SearchMemory> borrow();
  void give_back(std::unique_ptr<SearchMemory> memory);

 private:
  std::mutex mutex_;
  std::unique_ptr<SearchMemory> idle_;
};

}  // namespace fastvbench
