// The public face: prepares, plans, and sends a call down the path that the plan names.
#include <algorithm>
#include <memory>
#include <new>

#include "fastvbench/search.h"
#include "search/faults.h"
#include "search/filter_ranks.h"
#include "search/filter_search.h"
#include "search/float_stream.h"
#include "search/gallery_data.h"
#include "search/plan.h"
#include "search/query_rows.h"
#include "search/relevant_keys.h"
#include "search/stream.h"
#include "support/float_state.h"

namespace fastvbench {
namespace {

// Codes of one width that were prepared for all rows, or null.
const FilterRows* prepared_rows(const GalleryData& gallery, CodeWidth width) {
  const FilterRows& rows = width == CodeWidth::kWide ? gallery.wide : gallery.coded;
  return gallery.preparation == Preparation::kCodes && rows.end > 0 ? &rows : nullptr;
}

// Calls use(rows) for every stretch of the gallery that a filter goes over: what was prepared, or
// tile after tile made on the way. `norms` takes the norms of tiles' rows; null where they are
// known or not needed.
template <typename Use>
Status over_filter_rows(const RunContext& context, const GalleryData& prepared,
                        const RowFrame& frame, CodeWidth width, const SearchPlan& plan,
                        double* norms, Use use) {
  if (const FilterRows* rows = prepared_rows(prepared, width)) return use(*rows);
  FilterRows tile;
  AlignedBuffer<std::uint8_t> faults;
  if (!faults.allocate(plan.tile_rows)) return Status::out_of_memory();
  for (std::int64_t begin = 0; begin < prepared.rows.count; begin += plan.tile_rows) {
    const std::int64_t end = std::min(begin + plan.tile_rows, prepared.rows.count);
    std::int64_t fault_count = 0;
    Status status =
        tile.build(context, prepared.rows, prepared.similarity, frame, width, begin, end,
                   faults.data(), norms == nullptr ? nullptr : norms + begin, &fault_count);
    if (!status.ok()) return status;
    if (fault_count > 0 && prepared.preparation == Preparation::kNone) {
      const std::uint8_t* first =
          std::find_if(faults.data(), faults.data() + (end - begin), [](auto f) { return f != 0; });
      return fault_status(static_cast<RowFault>(*first), begin + (first - faults.data()));
    }
    status = use(tile);
    if (!status.ok()) return status;
  }
  return Status();
}

// For a call without codes: what tiles need to know beforehand, and room for norms.
Status start_one_shot(const GalleryData& prepared, GalleryData* gallery) {
  gallery->rows = prepared.rows;
  gallery->similarity = prepared.similarity;
  gallery->preparation = prepared.preparation;
  if (prepared.similarity == Similarity::kCosine && !gallery->norms.allocate(prepared.rows.count)) {
    return Status::out_of_memory();
  }
  return gallery->frame.measure(prepared.rows, prepared.similarity);
}

double* norms_of(GalleryData& gallery) {
  return gallery.norms.size() == 0 ? nullptr : gallery.norms.data();
}

// Wide codes where byte codes leave so many rows in doubt that twice the work is sooner done: tried
// on a few of the queries, and where nothing is prepared on a few of the rows. Relevant rows deep
// in the ranking stand where rows are dense.
Status choose_rank_width(const RunContext& context, const GalleryData& prepared,
                         const GalleryData& gallery, const QueryRows& queries,
                         const RelevantRows& relevant, const double* keys, double* norms,
                         CodeWidth* width) {
  constexpr std::int64_t kTried = 24;
  constexpr std::int64_t kTriedRows = 8192;
  constexpr std::int64_t kWorthTrying = 16 * kTried;
  constexpr double kManyDoubts = 0.01;
  if (queries.count < kWorthTrying) return Status();
  const FilterRows* rows = prepared_rows(prepared, CodeWidth::kByte);
  FilterRows sample;
  if (rows == nullptr) {
    std::int64_t fault_count = 0;
    const Status status =
        sample.build(context, gallery.rows, gallery.similarity, gallery.frame, CodeWidth::kByte, 0,
                     std::min(gallery.rows.count, kTriedRows), nullptr, norms, &fault_count);
    if (!status.ok()) return status;
    rows = &sample;
  }
  const std::int64_t items = relevant.offsets[kTried];
  AlignedBuffer<std::int64_t> counts;
  if (!counts.allocate(4 * items)) return Status::out_of_memory();
  std::fill(counts.data(), counts.data() + 4 * items, std::int64_t{0});
  const RankColumns out{counts.data(), counts.data() + items, counts.data() + 2 * items,
                        relevant.order == nullptr ? nullptr : counts.data() + 3 * items};
  FilterRanks trial(gallery, queries, relevant, keys, out);
  const Status status = trial.add(context, *rows, gallery.frame, 0, kTried);
  const double row_count = static_cast<double>(rows->end - rows->begin);
  if (static_cast<double>(trial.doubt_count()) > kManyDoubts * row_count * kTried) {
    *width = CodeWidth::kWide;
  }
  return status;
}

}  // namespace

Gallery::~Gallery() { delete data_; }

Status Gallery::prepare(const RunContext& context, const EmbeddingRows& rows, Similarity similarity,
                        Preparation preparation) {
  const DefaultFloatState float_state;
  const Status status = prepare_rows(context, rows, similarity, preparation);
  if (!status.ok() && data_ != nullptr) data_->rows.count = 0;  // nothing that could be searched
  return status;
}

Status Gallery::prepare_rows(const RunContext& context, const EmbeddingRows& rows,
                             Similarity similarity, Preparation preparation) {
  if (data_ == nullptr) data_ = new (std::nothrow) GalleryData;
  if (data_ == nullptr) return Status::out_of_memory();
  GalleryData& data = *data_;
  data.rows = rows;
  data.similarity = similarity;
  data.preparation = preparation;
  data.fault_count = 0;
  data.wide.end = 0;
  // Memory of former rows stays, what it held does not; taking none never fails.
  data.faults.allocate(0);
  data.norms.allocate(0);
  if (preparation == Preparation::kNone) return Status();
  if (!data.faults.allocate(rows.count)) return Status::out_of_memory();
  if (preparation == Preparation::kFaults || !can_be_coded(rows)) {
    data.preparation = Preparation::kFaults;
    return find_faults(context, rows, similarity, data.faults.data(), &data.fault_count);
  }
  if (similarity == Similarity::kCosine && !data.norms.allocate(rows.count)) {
    return Status::out_of_memory();
  }
  Status status = data.frame.measure(rows, similarity);
  double* norms = data.norms.size() == 0 ? nullptr : data.norms.data();
  if (status.ok()) {
    status = data.coded.build(context, rows, similarity, data.frame, CodeWidth::kByte, 0,
                              rows.count, data.faults.data(), norms, &data.fault_count);
  }
  if (status.ok() && is_worth_wide_codes(rows)) {
    std::int64_t same_count = 0;
    status = data.wide.build(context, rows, similarity, data.frame, CodeWidth::kWide, 0, rows.count,
                             nullptr, nullptr, &same_count);
  }
  return status;
}

const EmbeddingRows& Gallery::rows() const { return data_->rows; }
Similarity Gallery::similarity() const { return data_->similarity; }
std::int64_t Gallery::fault_count() const { return data_->fault_count; }
const std::uint8_t* Gallery::faults() const {
  return data_->faults.size() == 0 ? nullptr : data_->faults.data();
}
std::int64_t Gallery::memory_bytes() const {
  return data_->faults.size() + 8 * data_->norms.size() + data_->coded.memory_bytes() +
         data_->wide.memory_bytes();
}

SearchPlan Gallery::plan(std::int64_t query_count, std::int64_t k, SearchPath wanted) const {
  return make_plan(*data_, query_count, k, wanted);
}
SearchPlan Gallery::rank_plan(std::int64_t query_count, SearchPath wanted) const {
  return make_plan(*data_, query_count, 0, wanted);
}

Status Gallery::search(const RunContext& context, const EmbeddingRows& query_rows, std::int64_t k,
                       SearchPath wanted, std::int64_t* indices, double* scores) const {
  const DefaultFloatState float_state;
  QueryRows queries;
  Status status = queries.load(context, query_rows, data_->similarity);
  if (!status.ok() || queries.count == 0) return status;
  const SearchPlan plan = make_plan(*data_, queries.count, k, wanted);
  if (plan.path == SearchPath::kStream) {
    return stream_search(context, *data_, queries, k, indices, scores);
  }
  if (plan.path == SearchPath::kFloat) {
    RowFrame frame;
    status = frame.measure(data_->rows, data_->similarity);
    if (!status.ok()) return status;
    return float_search(context, *data_, frame, queries, k, indices, scores);
  }
  GalleryData one_shot;
  const bool is_prepared = data_->preparation == Preparation::kCodes;
  if (!is_prepared) status = start_one_shot(*data_, &one_shot);
  if (!status.ok()) return status;
  const GalleryData& gallery = is_prepared ? *data_ : one_shot;
  std::unique_ptr<SearchMemory> memory = data_->memory.borrow();
  if (memory == nullptr) return Status::out_of_memory();
  // Tiles come one after the other, so that all queries keep their best rows to the end; a prepared
  // gallery is done with a batch when it has gone over it once.
  const std::int64_t kept = is_prepared ? plan.query_rows : queries.count;
  if (!memory->best.allocate(kept)) return Status::out_of_memory();
  BestRows* best = memory->best.data();
  for (std::int64_t q = 0; q < kept; ++q) best[q].start(k);
  FilterSearch filter(gallery, queries, k, *memory);
  const CodeWidth width = plan.path == SearchPath::kWide ? CodeWidth::kWide : CodeWidth::kByte;
  double* norms = is_prepared ? nullptr : norms_of(one_shot);
  auto add = [&](const FilterRows& rows) {
    for (std::int64_t begin = 0; begin < queries.count; begin += plan.query_rows) {
      const std::int64_t end = std::min(begin + plan.query_rows, queries.count);
      BestRows* own = is_prepared ? best : best + begin;
      Status added = filter.add(context, rows, gallery.frame, begin, end, own);
      if (added.ok() && is_prepared) {
        added = write_best(context, queries, begin, end - begin, data_->similarity, k, own, indices,
                           scores);
        for (std::int64_t q = 0; q < end - begin; ++q) own[q].start(k);
      }
      if (!added.ok()) return added;
    }
    return Status();
  };
  status = over_filter_rows(context, *data_, gallery.frame, width, plan, norms, add);
  if (status.ok() && !is_prepared) {
    status =
        write_best(context, queries, 0, queries.count, data_->similarity, k, best, indices, scores);
  }
  data_->memory.give_back(std::move(memory));
  return status;
}

Status Gallery::ranks(const RunContext& context, const EmbeddingRows& query_rows,
                      const RelevantRows& relevant, SearchPath wanted,
                      const RankColumns& out) const {
  const DefaultFloatState float_state;
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
  const SearchPlan plan = make_plan(*data_, queries.count, 0, wanted);
  if (plan.path == SearchPath::kStream) {
    return stream_ranks(context, *data_, queries, relevant, keys.data(), out);
  }
  GalleryData one_shot;
  const bool is_prepared = data_->preparation == Preparation::kCodes;
  if (!is_prepared) status = start_one_shot(*data_, &one_shot);
  if (!status.ok()) return status;
  const GalleryData& gallery = is_prepared ? *data_ : one_shot;
  double* norms = is_prepared ? nullptr : norms_of(one_shot);
  CodeWidth width = plan.path == SearchPath::kWide ? CodeWidth::kWide : CodeWidth::kByte;
  if (width == CodeWidth::kByte && wanted == SearchPath::kAuto) {
    status =
        choose_rank_width(context, *data_, gallery, queries, relevant, keys.data(), norms, &width);
    if (!status.ok()) return status;
  }
  FilterRanks filter(gallery, queries, relevant, keys.data(), out);
  auto add = [&](const FilterRows& rows) {
    for (std::int64_t begin = 0; begin < queries.count; begin += plan.query_rows) {
      const std::int64_t end = std::min(begin + plan.query_rows, queries.count);
      const Status added = filter.add(context, rows, gallery.frame, begin, end);
      if (!added.ok()) return added;
    }
    return Status();
  };
  return over_filter_rows(context, *data_, gallery.frame, width, plan, norms, add);
}

}  // namespace fastvbench
