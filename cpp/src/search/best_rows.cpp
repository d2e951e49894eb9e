#include "search/best_rows.h"

#include "fastvbench/parallel.h"

namespace fastvbench {

Status write_best(const RunContext& context, const QueryRows& queries, std::int64_t first,
                  std::int64_t count, Similarity similarity, std::int64_t k, BestRows* best,
                  std::int64_t* indices, double* scores) {
  constexpr std::int64_t kBlockQueries = 16;
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    for (std::int64_t q = begin; q < end; ++q) {
      best[q].sort();
      for (std::int64_t i = 0; i < k; ++i) {
        indices[(first + q) * k + i] = best[q][i].row;
        scores[(first + q) * k + i] = queries.score(first + q, best[q][i].key, similarity);
      }
    }
    return Status();
  };
  RunContext few = context;
  if (count * k < 4096) few.threads = 1;
  return parallel_for(few, count, kBlockQueries, body);
}

}  // namespace fastvbench
