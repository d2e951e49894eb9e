#include "search/stream.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <new>

#include "fastvbench/parallel.h"
#include "search/best_rows.h"
#include "search/faults.h"
#include "search/key_stream.h"
#include "search/tie_count.h"

namespace fastvbench {
namespace {

// Best rows of one pass, over all workers and queries, take at most this much.
constexpr std::int64_t kPassBytes = 256 << 20;
constexpr std::int64_t kChunksPerBlock = 4;

// A dot key that is not finite, where nobody looked for faults before.
Status refused_row(const GalleryData& gallery, std::int64_t row) {
  RowReader reader(gallery.rows, search_kernels());
  if (!reader.reserve(1)) return Status::out_of_memory();
  const float* values = reader.read(row, row + 1);
  return fault_status(fault_of(values, gallery.rows.dimension, gallery.similarity), row);
}

// Calls visit(worker, begin, end, stream) for every chunk of rows.
template <typename Visit>
Status over_chunks(const RunContext& context, const GalleryData& gallery, std::int32_t workers,
                   Visit visit) {
  const std::int64_t chunk = KeyStream::chunk_rows(gallery.rows.dimension);
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
    KeyStream stream(gallery);
    if (!stream.reserve()) return Status::out_of_memory();
    for (std::int64_t first = begin; first < end; first += chunk) {
      const std::int64_t last = std::min(first + chunk, end);
      Status status = stream.open(first, last);
      if (status.ok()) status = visit(worker, first, last, stream);
      if (!status.ok()) return status;
    }
    return Status();
  };
  RunContext limited = context;
  limited.threads = workers;
  return parallel_for(limited, gallery.rows.count, chunk * kChunksPerBlock, body);
}

std::int32_t workers_for(const RunContext& context, const GalleryData& gallery,
                         std::int64_t query_count) {
  const std::int64_t products = gallery.rows.count * gallery.rows.dimension * query_count;
  if (products < (1 << 18)) return 1;
  const std::int64_t chunk = KeyStream::chunk_rows(gallery.rows.dimension);
  return thread_count(context, gallery.rows.count / (chunk * kChunksPerBlock) + 1);
}

}  // namespace

Status stream_search(const RunContext& context, const GalleryData& gallery,
                     const QueryRows& queries, std::int64_t k, std::int64_t* indices,
                     double* scores) {
  const std::int32_t workers = workers_for(context, gallery, queries.count);
  const std::int64_t held_bytes = workers * (2 * k + 64) * std::int64_t{sizeof(ScoredRow)};
  const std::int64_t pass = std::clamp<std::int64_t>(kPassBytes / held_bytes, 1, queries.count);
  BestRows* best = new (std::nothrow) BestRows[static_cast<std::size_t>(workers * pass)];
  if (best == nullptr) return Status::out_of_memory();
  const bool checks_keys =
      gallery.preparation == Preparation::kNone && gallery.similarity == Similarity::kDot;
  Status status;
  for (std::int64_t first = 0; first < queries.count && status.ok(); first += pass) {
    const std::int64_t count = std::min(pass, queries.count - first);
    for (std::int64_t i = 0; i < workers * pass; ++i) best[i].start(k);
    status = over_chunks(
        context, gallery, workers,
        [&](std::int32_t worker, std::int64_t begin, std::int64_t end, KeyStream& stream) {
          for (std::int64_t q = 0; q < count; ++q) {
            const double* keys = stream.keys(queries.row(first + q));
            BestRows& rows = best[worker * pass + q];
            for (std::int64_t i = 0; i < end - begin; ++i) {
              if (checks_keys && q == 0 && !std::isfinite(keys[i])) {
                return refused_row(gallery, begin + i);
              }
              if (!stream.is_rankable(i)) continue;
              if (!rows.offer(keys[i], begin + i)) return Status::out_of_memory();
            }
          }
          return Status();
        });
    for (std::int64_t q = 0; q < count && status.ok(); ++q) {
      for (std::int32_t worker = 1; worker < workers; ++worker) {
        if (!best[q].take_over(best[worker * pass + q])) status = Status::out_of_memory();
      }
    }
    if (status.ok()) {
      status =
          write_best(context, queries, first, count, gallery.similarity, k, best, indices, scores);
    }
  }
  delete[] best;
  return status;
}

Status stream_ranks(const RunContext& context, const GalleryData& gallery, const QueryRows& queries,
                    const RelevantRows& relevant, const double* keys, const RankColumns& out) {
  const std::int32_t workers = workers_for(context, gallery, queries.count);
  const bool checks_keys =
      gallery.preparation == Preparation::kNone && gallery.similarity == Similarity::kDot;
  std::mutex merging;
  return over_chunks(context, gallery, workers,
                     [&](std::int32_t, std::int64_t begin, std::int64_t end, KeyStream& stream) {
                       for (std::int64_t q = 0; q < queries.count; ++q) {
                         const double* row_keys = stream.keys(queries.row(q));
                         if (checks_keys && q == 0) {
                           for (std::int64_t i = 0; i < end - begin; ++i) {
                             if (!std::isfinite(row_keys[i]))
                               return refused_row(gallery, begin + i);
                           }
                         }
                         for (std::int64_t item = relevant.offsets[q];
                              item < relevant.offsets[q + 1]; ++item) {
                           TieCount count(relevant, item, keys[item]);
                           for (std::int64_t i = 0; i < end - begin; ++i) {
                             if (stream.is_rankable(i)) count.add(row_keys[i], begin + i);
                           }
                           if (count.is_empty()) continue;
                           std::lock_guard<std::mutex> lock(merging);
                           count.add_to(out);
                         }
                       }
                       return Status();
                     });
}

}  // namespace fastvbench
