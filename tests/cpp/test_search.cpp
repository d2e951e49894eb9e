// Every path of search and ranks against plain sums and a sort: all kinds of vectors, all shapes at
// the edges of blocks, panels and registers, prepared or not, on one and several threads.
#include <cstdio>
#include <string>

#include "check.h"
#include "search_cases.h"

namespace {

using fastvbench::Gallery;
using fastvbench::Preparation;
using fastvbench::RankColumns;
using fastvbench::RelevantRows;
using fastvbench::RunContext;
using fastvbench::SearchPath;
using fastvbench::Status;
using namespace search_cases;

struct Shape {
  std::int64_t dimension, rows, queries;
};
// Rows around a block of 32, queries around a panel of 12, dimensions around 16 lanes.
constexpr Shape kShapes[] = {{1, 1, 1},     {1, 467, 13},  {3, 31, 2},    {3, 3000, 5},
                             {16, 32, 12},  {16, 33, 11},  {17, 467, 25}, {64, 33, 1},
                             {64, 3000, 9}, {64, 467, 40}, {777, 31, 7},  {777, 467, 8},
                             {4097, 33, 2}};
constexpr SearchPath kPaths[] = {SearchPath::kStream, SearchPath::kWide, SearchPath::kCoded,
                                 SearchPath::kFloat, SearchPath::kAuto};
constexpr Preparation kPreparations[] = {Preparation::kNone, Preparation::kFaults,
                                         Preparation::kCodes};
constexpr std::int32_t kThreads[] = {1, 2, 5};

std::string now;  // what is being tested, for a failure's message

#define CHECK_HERE(condition)                                                \
  do {                                                                       \
    const int failures_before = failure_count();                             \
    CHECK(condition);                                                        \
    if (failure_count() != failures_before) std::puts(("  " + now).c_str()); \
  } while (false)

RunContext on_threads(std::int32_t threads) {
  RunContext context;
  context.threads = threads;
  return context;
}

void check_search(const Gallery& gallery, const Vectors& queries, const PlainKeys& plain,
                  std::int64_t k, SearchPath path, std::int32_t threads) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(queries.count * k), -1);
  std::vector<double> scores(indices.size(), -1.0);
  const Status status =
      gallery.search(on_threads(threads), queries.view(), k, path, indices.data(), scores.data());
  CHECK_HERE(status.ok());
  std::vector<std::int64_t> wanted_indices;
  std::vector<double> wanted_scores;
  for (std::int64_t q = 0; q < queries.count; ++q) {
    const std::vector<std::int64_t> order = plain.order(q);
    for (std::int64_t i = 0; i < k; ++i) {
      wanted_indices.push_back(order[static_cast<std::size_t>(i)]);
      wanted_scores.push_back(plain.score(q, wanted_indices.back()));
    }
  }
  CHECK_HERE(indices == wanted_indices);
  CHECK_HERE(std::memcmp(scores.data(), wanted_scores.data(), 8 * scores.size()) == 0);
}

// No, one or several relevant rows per query; the first of them its best row.
void check_ranks(const Gallery& gallery, const Vectors& queries, const PlainKeys& plain,
                 SearchPath path, std::int32_t threads) {
  std::mt19937_64 random(17);
  std::vector<std::int64_t> values, offsets{0}, owners;
  for (std::int64_t q = 0; q < queries.count; ++q) {
    const std::vector<std::int64_t> order = plain.order(q);
    const std::size_t count = q % 4 == 3 ? 0 : 1 + static_cast<std::size_t>(q % 4) * 2;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(i == 0 ? order[0] : order[random() % order.size()]);
      owners.push_back(q);
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  std::vector<std::int64_t> positions(static_cast<std::size_t>(plain.rows));
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::int64_t>(i);
  std::shuffle(positions.begin(), positions.end(), random);
  for (const bool has_order : {false, true}) {
    const std::size_t items = values.size();
    std::vector<std::int64_t> above(items, -1), tied(items, -1), before(items, -1),
        in_order(items, -1);
    const RelevantRows relevant{values.data(), offsets.data(),
                                has_order ? positions.data() : nullptr};
    const RankColumns out{above.data(), tied.data(), before.data(),
                          has_order ? in_order.data() : nullptr};
    CHECK_HERE(gallery.ranks(on_threads(threads), queries.view(), relevant, path, out).ok());
    for (std::size_t item = 0; item < items; ++item) {
      const std::int64_t row = values[item];
      const double key = plain.key(owners[item], row);
      std::int64_t counts[4] = {};
      for (std::int64_t i = 0; i < plain.rows; ++i) {
        if (!plain.is_rankable[static_cast<std::size_t>(i)]) continue;
        const double other = plain.key(owners[item], i);
        counts[0] += other > key;
        counts[1] += other == key;
        counts[2] += other == key && i < row;
        counts[3] += other == key && positions[static_cast<std::size_t>(i)] <
                                         positions[static_cast<std::size_t>(row)];
      }
      CHECK_HERE(above[item] == counts[0]);
      CHECK_HERE(tied[item] == counts[1]);
      CHECK_HERE(before[item] == counts[2]);
      CHECK_HERE(!has_order || in_order[item] == counts[3]);
    }
  }
}

void check_all(const Vectors& rows, const Vectors& queries, Similarity similarity,
               const char* title) {
  const PlainKeys plain(rows, queries, similarity);
  const std::int64_t rankable = plain.rankable_count();
  const bool has_faults = rankable < rows.count;
  std::size_t turn = 0;
  for (const Preparation preparation : kPreparations) {
    if (has_faults && preparation == Preparation::kNone) continue;
    Gallery gallery;
    CHECK_HERE(gallery.prepare(on_threads(2), rows.view(), similarity, preparation).ok());
    CHECK_HERE(gallery.rankable_count() == rankable);
    for (const SearchPath path : kPaths) {
      for (const std::int64_t k :
           {std::int64_t{1}, std::min<std::int64_t>(10, rankable), rankable}) {
        const std::int32_t threads = kThreads[turn++ % 3];
        now = std::string(title) + " D " + std::to_string(rows.dimension) + " N " +
              std::to_string(rows.count) + " Q " + std::to_string(queries.count) + " K " +
              std::to_string(k) + " similarity " + std::to_string(static_cast<int>(similarity)) +
              " preparation " + std::to_string(static_cast<int>(preparation)) + " path " +
              std::to_string(static_cast<int>(path)) + " threads " + std::to_string(threads);
        check_search(gallery, queries, plain, k, path, threads);
        if (k == 1) check_ranks(gallery, queries, plain, path, threads);
      }
    }
  }
}

void check_families() {
  static const char* const kNames[kFamilyCount] = {
      "gaussian",  "clustered",   "ties",       "one huge", "wild scales",
      "subnormal", "whole codes", "half steps", "float16",  "bfloat16"};
  for (int f = 0; f < kFamilyCount; ++f) {
    std::mt19937_64 random(static_cast<std::uint64_t>(100 + f));
    for (std::size_t s = 0; s < sizeof kShapes / sizeof kShapes[0]; ++s) {
      const Shape& shape = kShapes[s];
      const auto family = static_cast<Family>(f);
      const Vectors rows = make_vectors(family, shape.rows, shape.dimension, random);
      // Queries of the same kind, and of another one.
      const auto other = s % 2 == 0 ? family : Family::kGaussian;
      Vectors queries = make_vectors(other, shape.queries, shape.dimension, random);
      if (s % 3 == 1 && other == family) {  // a query that is in the gallery
        std::copy_n(rows.row(rows.count - 1), shape.dimension, queries.row(0));
        if (!rows.patterns.empty()) {
          std::copy_n(rows.patterns.end() - shape.dimension, shape.dimension,
                      queries.patterns.begin());
        }
      }
      check_all(rows, queries, s % 2 == 0 ? Similarity::kCosine : Similarity::kDot, kNames[f]);
    }
  }
}

// Every key is the same, so that only row numbers decide and no filter can drop a row.
void check_queries_that_tie_everything() {
  std::mt19937_64 random(7);
  const Vectors rows = make_vectors(Family::kGaussian, 9001, 5, random);
  check_all(rows, empty_vectors(2, 5), Similarity::kDot, "zero query");
  Vectors same = empty_vectors(9001, 5);
  std::fill(same.values.begin(), same.values.end(), -0.7f);
  check_all(same, make_vectors(Family::kGaussian, 2, 5, random), Similarity::kCosine, "same rows");
}

void check_faults_are_left_out() {
  std::mt19937_64 random(8);
  for (const Family family : {Family::kGaussian, Family::kHalf, Family::kBrain}) {
    Vectors rows = make_vectors(family, 500, 33, random);
    const Vectors queries = make_vectors(family, 14, 33, random);
    const auto put = [&](std::int64_t row, std::int64_t d, std::uint16_t half, std::uint16_t brain,
                         float value) {
      rows.row(row)[d] = value;
      if (rows.patterns.empty()) return;
      rows.patterns[static_cast<std::size_t>(row * 33 + d)] =
          family == Family::kHalf ? half : brain;
    };
    for (std::int64_t row : {0, 31, 32, 130, 499}) put(row, row % 33, 0x7C01, 0x7FC1, NAN);
    for (std::int64_t row : {7, 200, 201}) put(row, 32, 0xFC00, 0xFF80, -HUGE_VALF);
    for (std::int64_t d = 0; d < 33; ++d) put(300, d, 0x8000, 0x8000, -0.0f);
    check_all(rows, queries, Similarity::kDot, "faults");
    check_all(rows, queries, Similarity::kCosine, "faults");
  }
}

// Large enough that rows are split among threads and codes are made tile by tile.
void check_many_rows() {
  std::mt19937_64 random(9);
  Vectors rows = make_vectors(Family::kClustered, 70001, 16, random);
  for (std::int64_t i = 0; i < 300; ++i) std::copy_n(rows.row(5), 16, rows.row(70000 - 7 * i));
  Vectors queries = make_vectors(Family::kClustered, 3, 16, random);
  std::copy_n(rows.row(5), 16, queries.row(1));
  check_all(rows, queries, Similarity::kCosine, "many rows");
}

// So many queries that ranks try on a few of them how wide codes should be.
void check_ranks_of_many_queries() {
  std::mt19937_64 random(10);
  const Vectors rows = make_vectors(Family::kGaussian, 3000, 24, random);
  const Vectors queries = make_vectors(Family::kGaussian, 400, 24, random);
  for (const Similarity similarity : {Similarity::kDot, Similarity::kCosine}) {
    const PlainKeys plain(rows, queries, similarity);
    for (const Preparation preparation : kPreparations) {
      Gallery gallery;
      CHECK(gallery.prepare(on_threads(2), rows.view(), similarity, preparation).ok());
      now = "many queries, preparation " + std::to_string(static_cast<int>(preparation));
      check_ranks(gallery, queries, plain, SearchPath::kAuto, 2);
    }
  }
}

}  // namespace

int main() {
  check_families();
  check_queries_that_tie_everything();
  check_faults_are_left_out();
  check_many_rows();
  check_ranks_of_many_queries();
  return failure_count() != 0;
}
