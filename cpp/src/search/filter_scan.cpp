#include "search/filter_scan.h"

namespace fastvbench {

ScanSplit ScanSplit::choose(const RunContext& context, const FilterRows& rows,
                            std::int64_t query_count) {
  // A chunk stays in a core's second-level cache while the panels of a group go over it.
  constexpr std::int64_t kChunkBytes = 384 << 10;
  // Less is done by one thread before another would wake up. Few queries wait for memory, as if
  // they were more.
  constexpr std::int64_t kLeastProducts = std::int64_t{1} << 22;
  constexpr std::int64_t kMemoryQueries = 8;
  const std::int64_t blocks = rows.block_count();
  const std::int64_t panels = (query_count + kPanelQueries - 1) / kPanelQueries;
  ScanSplit split;
  split.chunk_blocks = std::clamp<std::int64_t>(kChunkBytes / rows.block_bytes(), 1, 256);
  const std::int64_t products = blocks * rows.block_bytes() * std::max(query_count, kMemoryQueries);
  const std::int64_t most = products < kLeastProducts ? 1 : std::max(blocks, panels);
  split.workers = thread_count(context, most);
  split.is_by_queries = panels >= 2 * split.workers;
  if (split.is_by_queries) {
    // Few groups, so that the codes are read from memory few times; enough to even out threads.
    constexpr std::int64_t kGroupPanels = 21;
    split.group_panels = std::clamp<std::int64_t>(panels / (2 * split.workers), 1, kGroupPanels);
  } else {
    // Enough chunks that a late thread still finds work.
    split.chunk_blocks =
        std::clamp<std::int64_t>(blocks / (8 * split.workers), 1, split.chunk_blocks);
  }
  return split;
}

}  // namespace fastvbench
