// The public face: prepares, plans, and sends a call down the path that the plan names.
#include <algorithm>
#include <cmath>
#include <new>

#include "fastvbench/parallel.h"
#include "fastvbench/search.h"
#include "search/gallery_data.h"
#include "search/query_rows.h"
#include "search/relevant_keys.h"
#include "search/stream.h"

namespace fastvbench {

Gallery::~Gallery() { delete data_; }

Status Gallery::prepare(const RunContext& context, const EmbeddingRows& rows, Similarity similarity,
                        Preparation preparation) {
  delete data_;
  data_ = new (std::nothrow) GalleryData;
  if (data_ == nullptr) return Status::out_of_memory();
  data_->rows = rows;
  data_->similarity = similarity;
  data_->preparation = preparation;
  if (preparation == Preparation::kNone) return Status();
  if (!data_->faults.allocate(rows.count)) return Status::out_of_memory();
  return find_faults(context, rows, similarity, data_->faults.data(), &data_->fault_count);
}

const EmbeddingRows& Gallery::rows() const { return data_->rows; }
Similarity Gallery::similarity() const { return data_->similarity; }
std::int64_t Gallery::fault_count() const { return data_->fault_count; }
const std::uint8_t* Gallery::faults() const { return data_->faults.data(); }
std::int64_t Gallery::memory_bytes() const { return data_->faults.size(); }

SearchPlan Gallery::plan(std::int64_t, std::int64_t, SearchPath) const { return {}; }
SearchPlan Gallery::rank_plan(std::int64_t, SearchPath) const { return {}; }

Status Gallery::search(const RunContext& context, const EmbeddingRows& query_rows, std::int64_t k,
                       SearchPath, std::int64_t* indices, double* scores) const {
  QueryRows queries;
  const Status status = queries.load(context, query_rows, data_->similarity);
  if (!status.ok()) return status;
  return stream_search(context, *data_, queries, k, indices, scores);
}

Status Gallery::ranks(const RunContext& context, const EmbeddingRows& query_rows,
                      const RelevantRows& relevant, SearchPath, const RankColumns& out) const {
  QueryRows queries;
  Status status = queries.load(context, query_rows, data_->similarity);
  if (!status.ok()) return status;
  const std::int64_t items = relevant.offsets[queries.count];
  AlignedBuffer<double> keys;
  if (!keys.allocate(items)) return Status::out_of_memory();
  status = relevant_keys(context, *data_, queries, relevant, keys.data());
  if (!status.ok()) return status;
  for (std::int64_t i = 0; i < items; ++i) {
    out.above[i] = out.tied[i] = out.tied_before[i] = 0;
    if (out.tied_before_in_order != nullptr) out.tied_before_in_order[i] = 0;
  }
  return stream_ranks(context, *data_, queries, relevant, keys.data(), out);
}

}  // namespace fastvbench
