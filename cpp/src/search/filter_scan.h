// Takes panels of queries over the blocks of a filter, on all threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fastvbench/parallel.h"
#include "search/filter_rows.h"
#include "search/query_panels.h"

namespace fastvbench {

/// How a scan is split among threads. By queries: each thread takes whole groups of panels over all
/// rows, and nothing is shared. By rows: each thread takes stretches of rows with all queries.
struct ScanSplit {
  bool is_by_queries = false;
  std::int32_t workers = 1;
  std::int64_t chunk_blocks = 1;  // blocks that all panels of a group go over together
  std::int64_t group_panels = 1;  // panels that a thread takes at a time

  static ScanSplit choose(const RunContext& context, const FilterRows& rows,
                          std::int64_t query_count);
};

/// `handler.threshold(worker, query)` gives the least upper bound that still matters, and
/// `handler.take(worker, query, block, rows, middles, widths)` takes the rows that reach it (a bit
/// per row) and returns false where memory ran out.
template <typename Handler>
class FilterScan {
 public:
  FilterScan(const FilterRows& rows, const QueryPanels& panels, Handler& handler)
      : rows_(rows), panels_(panels), handler_(handler), blocks_(rows.blocks()) {}

  Status run(const RunContext& context, const ScanSplit& split) {
    RunContext limited = context;
    limited.threads = split.workers;
    const std::int64_t block_total = rows_.block_count();
    const std::int64_t panel_total = panels_.panel_count();
    auto by_queries = [&](std::int64_t first, std::int64_t last, std::int32_t worker) {
      return scan(worker, 0, block_total, first, last, split.chunk_blocks);
    };
    auto by_rows = [&](std::int64_t first, std::int64_t last, std::int32_t worker) {
      return scan(worker, first, last, 0, panel_total, split.chunk_blocks);
    };
    return split.is_by_queries ? parallel_for(limited, panel_total, split.group_panels, by_queries)
                               : parallel_for(limited, block_total, split.chunk_blocks, by_rows);
  }

 private:
  Status scan(std::int32_t worker, std::int64_t first_block, std::int64_t last_block,
              std::int64_t first_panel, std::int64_t last_panel, std::int64_t chunk_blocks) {
    for (std::int64_t begin = first_block; begin < last_block; begin += chunk_blocks) {
      const std::int64_t end = std::min(begin + chunk_blocks, last_block);
      for (std::int64_t p = first_panel; p < last_panel; ++p) {
        if (!scan_panel(worker, begin, end, p)) return Status::out_of_memory();
      }
    }
    return Status();
  }

  bool scan_panel(std::int32_t worker, std::int64_t begin, std::int64_t end, std::int64_t p) {
    const SearchKernels& kernels = search_kernels();
    const int count = panels_.queries_in(p);
    const ScanBlocks scan_blocks = rows_.width == CodeWidth::kByte ? kernels.scan_codes[count]
                                                                   : kernels.scan_wide_codes[count];
    const std::int64_t first_query = p * kPanelQueries;
    float thresholds[kPanelRoom] = {};
    for (int q = 0; q < count; ++q) thresholds[q] = handler_.threshold(worker, first_query + q);
    TileHits hits;
    for (std::int64_t block = begin; block < end; ++block) {
      block = scan_blocks(blocks_, block, end, panels_.panel(p), thresholds, &hits);
      if (block == end) break;
      for (std::uint32_t left = hits.queries; left != 0; left &= left - 1) {
        const int q = __builtin_ctz(left);
        if (!handler_.take(worker, first_query + q, block, hits.rows[q], hits.middles[q],
                           hits.widths[q])) {
          return false;
        }
        thresholds[q] = handler_.threshold(worker, first_query + q);
      }
    }
    return true;
  }

  const FilterRows& rows_;
  const QueryPanels& panels_;
  Handler& handler_;
  const FilterBlocks blocks_;
};

}  // namespace fastvbench
