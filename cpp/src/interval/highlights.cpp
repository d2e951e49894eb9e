#include "fastvbench/highlights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>

#include "fastvbench/buffer.h"
#include "fastvbench/parallel.h"

namespace fastvbench {
namespace {

constexpr std::int64_t kBlockRows = 256;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kLast = -std::numeric_limits<double>::infinity();

struct RankedClip {
  double score;
  std::int64_t clip;
};

// Where a group of equal scores ends, for one annotator.
struct Group {
  std::int64_t right_count;
  double precision;
};

struct Workspace {
  Buffer<RankedClip> ranked;
  Buffer<std::int64_t> ends;  // of each group
  Buffer<Group> groups;
};

bool rank(const ClipColumn& clips, std::int64_t row, Workspace* work) {
  const std::int64_t first = clips.offsets[row];
  const std::int64_t count = clips.count(row);
  if (!work->ranked.resize(count) || !work->ends.resize(count) || !work->groups.resize(count)) {
    return false;
  }
  RankedClip* ranked = work->ranked.data();
  for (std::int64_t i = 0; i < count; ++i) {
    const double score = clips.scores[first + i];
    ranked[i] = {std::isfinite(score) ? score : kLast, first + i};
  }
  // The order inside a group doesn't matter: all that is read of it are counts.
  std::sort(ranked, ranked + count,
            [](const RankedClip& a, const RankedClip& b) { return a.score > b.score; });
  std::int64_t group_count = 0;
  for (std::int64_t i = 1; i <= count; ++i) {
    if (i < count && ranked[i].score == ranked[i - 1].score) continue;
    work->ends[group_count++] = i;
  }
  return work->ends.resize(group_count);
}

// NaN where no clip is right for this annotator.
double average_precision_of(const std::int8_t* grades, std::int32_t stride, std::int8_t minimum,
                            Workspace& work) {
  std::int64_t found = 0;
  std::int64_t seen = 0;
  for (std::int64_t g = 0; g < work.ends.size(); ++g) {
    const std::int64_t before = found;
    for (; seen < work.ends[g]; ++seen) {
      found += grades[work.ranked[seen].clip * stride] >= minimum ? 1 : 0;
    }
    work.groups[g] = {found - before, static_cast<double>(found) / static_cast<double>(seen)};
  }
  if (found == 0) return kNone;
  double total = 0.0;
  double best = 0.0;
  for (std::int64_t g = work.ends.size() - 1; g >= 0; --g) {
    best = std::max(best, work.groups[g].precision);
    total += static_cast<double>(work.groups[g].right_count) * best;
  }
  return total / static_cast<double>(found);
}

bool is_right_for_any(const ClipColumn& clips, std::int64_t clip, std::int8_t minimum) {
  const std::int8_t* grades = clips.grades + clip * clips.annotator_count;
  return std::any_of(grades, grades + clips.annotator_count,
                     [minimum](std::int8_t grade) { return grade >= minimum; });
}

struct RowScores {
  double average_precision;
  double hit;
};

RowScores scores_of_row(const ClipColumn& clips, std::int8_t minimum, Workspace& work) {
  double total = 0.0;
  std::int64_t annotators = 0;
  for (std::int32_t a = 0; a < clips.annotator_count; ++a) {
    const double precision =
        average_precision_of(clips.grades + a, clips.annotator_count, minimum, work);
    if (std::isnan(precision)) continue;
    total += precision;
    ++annotators;
  }
  if (annotators == 0) return {kNone, kNone};
  if (work.ranked[0].score == kLast) return {0.0, 0.0};
  std::int64_t hits = 0;
  for (std::int64_t i = 0; i < work.ends[0]; ++i) {
    hits += is_right_for_any(clips, work.ranked[i].clip, minimum) ? 1 : 0;
  }
  return {total / static_cast<double>(annotators),
          static_cast<double>(hits) / static_cast<double>(work.ends[0])};
}

}  // namespace

Status highlight_scores(const RunContext& context, const ClipColumn& clips,
                        const std::int8_t* minimums, std::int64_t minimum_count,
                        double* average_precision, double* hit) {
  const std::int64_t block_count = (clips.size + kBlockRows - 1) / kBlockRows;
  std::unique_ptr<Workspace[]> workspaces(new (std::nothrow)
                                              Workspace[thread_count(context, block_count)]);
  if (workspaces == nullptr) return Status::out_of_memory();
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
    Workspace& work = workspaces[worker];
    for (std::int64_t row = begin; row < end; ++row) {
      if (!rank(clips, row, &work)) return Status::out_of_memory();
      for (std::int64_t m = 0; m < minimum_count; ++m) {
        const RowScores scores = scores_of_row(clips, minimums[m], work);
        average_precision[m * clips.size + row] = scores.average_precision;
        hit[m * clips.size + row] = scores.hit;
      }
    }
    return Status();
  };
  return parallel_for(context, clips.size, kBlockRows, body);
}

}  // namespace fastvbench
