// Search on the device against plain sums: every path, with the threads in several orders.
#include <cstdio>

#include "device_arrays.h"
#include "search.h"
#include "search_cases.h"

namespace fastvbench {
namespace cuda {
namespace {

using namespace search_cases;

// Vectors on the device, in their own type.
struct DeviceVectors {
  DeviceBuffer<float> values;
  DeviceBuffer<std::uint16_t> patterns;
  EmbeddingRows view;

  explicit DeviceVectors(const Vectors& from) : view(from.view()) {
    if (from.type == ElementType::kFloat32) {
      values = to_device(from.values);
      view.data = values.data();
    } else {
      patterns = to_device(from.patterns);
      view.data = patterns.data();
    }
  }
};

struct Answer {
  std::vector<std::int64_t> indices;
  std::vector<double> scores;
};

Answer search(DeviceGallery& gallery, const EmbeddingRows& queries, std::int64_t k,
              const SearchOptions& options) {
  auto indices = device_array<std::int64_t>(queries.count * k);
  auto scores = device_array<double>(queries.count * k);
  CHECK_CUDA(gallery.search(queries, k, options, nullptr, indices.data(), scores.data()));
  return {to_host(indices), to_host(scores)};
}

void check_answer(const Answer& answer, const PlainKeys& plain, std::int64_t queries,
                  std::int64_t k) {
  for (std::int64_t q = 0; q < queries; ++q) {
    const std::vector<std::int64_t> order = plain.order(q);
    for (std::int64_t i = 0; i < k; ++i) {
      const auto place = static_cast<std::size_t>(q * k + i);
      if (i >= static_cast<std::int64_t>(order.size())) {
        CHECK(answer.indices[place] == -1);
        CHECK(std::isnan(answer.scores[place]));
        continue;
      }
      const std::int64_t row = order[static_cast<std::size_t>(i)];
      CHECK(answer.indices[place] == row);
      CHECK(answer.scores[place] == plain.score(q, row));
    }
  }
}

struct Ranks {
  std::vector<std::int64_t> above, tied, before, before_in_order;
};

Ranks rank(DeviceGallery& gallery, const EmbeddingRows& queries,
           const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& offsets,
           const std::vector<std::int64_t>& order, const SearchOptions& options) {
  const auto count = static_cast<std::int64_t>(rows.size());
  auto device_rows = to_device(rows);
  auto device_offsets = to_device(offsets);  // null where there are none: one row for each query
  auto device_order = to_device(order);
  auto above = device_array<std::int64_t>(count);
  auto tied = device_array<std::int64_t>(count);
  auto before = device_array<std::int64_t>(count);
  auto in_order = device_array<std::int64_t>(count);
  CHECK_CUDA(gallery.ranks(
      queries, {device_rows.data(), device_offsets.data(), device_order.data()}, count, options,
      nullptr, {above.data(), tied.data(), before.data(), in_order.data()}));
  return {to_host(above), to_host(tied), to_host(before), to_host(in_order)};
}

// Some relevant rows of each query, and an order of the gallery that is not that of its rows.
void check_ranks(DeviceGallery& gallery, const EmbeddingRows& queries, const PlainKeys& plain,
                 const SearchOptions& options, std::mt19937_64& random) {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < plain.rows; ++i) order.push_back(i * 7919 % 65537);
  for (std::int64_t q = 0; q < queries.count; ++q) {
    const std::int64_t items = q % 5 == 4 ? 18 : 1 + q % 2;
    for (std::int64_t i = 0; i < items; ++i) {
      rows.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(plain.rows)));
    }
    offsets.push_back(static_cast<std::int64_t>(rows.size()));
  }
  rows.back() = plain.rows;  // there is no such row
  const Ranks got = rank(gallery, queries, rows, offsets, order, options);
  for (std::int64_t q = 0; q < queries.count; ++q) {
    for (auto item = static_cast<std::size_t>(offsets[static_cast<std::size_t>(q)]);
         item < static_cast<std::size_t>(offsets[static_cast<std::size_t>(q) + 1]); ++item) {
      const std::int64_t row = rows[item];
      std::int64_t want[4] = {-1, -1, -1, -1};
      if (row < plain.rows && plain.is_rankable[static_cast<std::size_t>(row)]) {
        std::fill(want, want + 4, 0);
        for (std::int64_t i = 0; i < plain.rows; ++i) {
          if (!plain.is_rankable[static_cast<std::size_t>(i)]) continue;
          want[0] += plain.key(q, i) > plain.key(q, row);
          if (plain.key(q, i) != plain.key(q, row)) continue;
          ++want[1];
          want[2] += i < row;
          want[3] += order[static_cast<std::size_t>(i)] < order[static_cast<std::size_t>(row)];
        }
      }
      CHECK(got.above[item] == want[0]);
      CHECK(got.tied[item] == want[1]);
      CHECK(got.before[item] == want[2]);
      CHECK(got.before_in_order[item] == want[3]);
    }
  }
}

struct Case {
  const char* name;
  Similarity similarity;
  std::int64_t k;
  std::int64_t places = 1;  // for candidates of a query: as few as there may be
  bool with_codes = true;   // made beforehand
};

void check(const Case& one, const Vectors& rows, const Vectors& queries, std::mt19937_64& random) {
  const int failures = failure_count();
  const PlainKeys plain(rows, queries, one.similarity);
  const DeviceVectors device_rows(rows);
  const DeviceVectors device_queries(queries);
  DeviceGallery gallery;
  CHECK_CUDA(gallery.prepare(device_rows.view, one.similarity, one.with_codes, nullptr));
  if (one.with_codes) CHECK(gallery.rankable_count() == plain.rankable_count());
  for (const SearchPath path : {SearchPath::kStream, SearchPath::kCoded}) {
    SearchOptions options;
    options.path = path;
    options.candidate_places = one.places;
    check_answer(search(gallery, device_queries.view, one.k, options), plain, queries.count, one.k);
    options.workspace_bytes = 1;  // as little as there may be
    check_ranks(gallery, device_queries.view, plain, options, random);
  }
  if (failure_count() == failures) return;
  std::fprintf(stderr, "  %s: %d x %d, %d queries, k %d, similarity %d\n", one.name,
               static_cast<int>(rows.count), static_cast<int>(rows.dimension),
               static_cast<int>(queries.count), static_cast<int>(one.k),
               static_cast<int>(one.similarity));
}

struct Shape {
  std::int64_t rows;
  std::int64_t dimension;
  std::int64_t queries;
  std::int64_t k;
};

// Every kind of value, half of them in each order of threads.
void check_families(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  const Shape shapes[] = {{70, 17, 2, 5}, {33, 20, 3, 33}, {1, 1, 1, 1}, {100, 3, 1, 10}};
  for (int f = seed % 2; f < kFamilyCount; f += 2) {
    const Shape& shape = shapes[(f / 2 + seed) % 4];
    const auto family = static_cast<Family>(f);
    const Vectors rows = make_vectors(family, shape.rows, shape.dimension, random);
    const Vectors queries = make_vectors(family, shape.queries, shape.dimension, random);
    const Similarity similarity = (f / 2) % 2 == 0 ? Similarity::kDot : Similarity::kCosine;
    Case one{"family", similarity, shape.k};
    one.with_codes = f % 3 != 0;
    check(one, rows, queries, random);
  }
}

// As many queries as take two and four panels, and so many dimensions that no panel stays at hand.
void check_panels(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  for (const Shape& shape : {Shape{40, 5, 35, 2}, Shape{34, 3, 66, 1}, Shape{33, 4200, 2, 3}}) {
    const Vectors rows = make_vectors(Family::kClustered, shape.rows, shape.dimension, random);
    const Vectors queries =
        make_vectors(Family::kClustered, shape.queries, shape.dimension, random);
    check({"panels", Similarity::kCosine, shape.k}, rows, queries, random);
  }
}

// More rows than candidates have room for: several scans, thresholds that rise, queries done again.
void check_many_rows(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  const Vectors rows = make_vectors(Family::kClustered, 1000, 8, random);
  Vectors alike = rows;  // all but one the same, and nearly
  for (std::int64_t i = 1; i < rows.count; ++i) {
    std::copy_n(rows.row(0), 8, alike.row(i));
    if (i % 3 == 0) alike.row(i)[7] = std::nextafter(alike.row(i)[7], 10.0f);
  }
  const Vectors queries = make_vectors(Family::kClustered, seed % 2 == 0 ? 1 : 2, 8, random);
  check({"many rows", Similarity::kCosine, 3}, rows, queries, random);
  check({"rows alike", Similarity::kDot, 3}, alike, queries, random);
}

// Rows and queries that cannot be ranked are left out, whatever they hold.
void check_faults() {
  std::mt19937_64 random(5);
  Vectors rows = make_vectors(Family::kGaussian, 40, 20, random);
  Vectors queries = make_vectors(Family::kGaussian, 4, 20, random);
  rows.row(3)[19] = NAN;
  rows.row(17)[0] = -HUGE_VALF;
  std::fill_n(rows.row(39), 20, 0.0f);
  check({"faults", Similarity::kDot, 40, 0}, rows, queries, random);
  check({"faults", Similarity::kCosine, 40, 1, false}, rows, queries, random);
  const DeviceVectors device_rows(rows);
  DeviceGallery gallery;
  CHECK_CUDA(gallery.prepare(device_rows.view, Similarity::kCosine, true, nullptr));
  CHECK(gallery.fault_count() == 3);
  std::vector<std::uint8_t> faults(40);
  CHECK_CUDA(gallery.read_faults(faults.data(), nullptr));
  CHECK(faults[3] == static_cast<std::uint8_t>(RowFault::kNan));
  CHECK(faults[17] == static_cast<std::uint8_t>(RowFault::kInfinite));
  CHECK(faults[39] == static_cast<std::uint8_t>(RowFault::kZero));

  queries.row(1)[4] = HUGE_VALF;
  std::fill_n(queries.row(2), 20, 0.0f);
  const DeviceVectors bad(queries);
  std::int64_t fault_count = -1;
  faults.resize(4);
  CHECK_CUDA(find_faults(bad.view, Similarity::kCosine, nullptr, faults.data(), &fault_count));
  CHECK(fault_count == 2);
  CHECK(faults == (std::vector<std::uint8_t>{0, 2, 3, 0}));
  for (const SearchPath path : {SearchPath::kStream, SearchPath::kCoded}) {
    SearchOptions options;
    options.path = path;
    const Answer answer = search(gallery, bad.view, 2, options);
    for (const std::size_t place : {2, 3, 4, 5}) {
      CHECK(answer.indices[place] == -1);
      CHECK(std::isnan(answer.scores[place]));
    }
    CHECK(answer.indices[0] >= 0 && answer.indices[6] >= 0);
    const Ranks ranks = rank(gallery, bad.view, {0, 0, 0, 3}, {}, {}, options);
    CHECK(ranks.tied == (std::vector<std::int64_t>{1, -1, -1, -1}));
  }
}

// Memory that runs out is an answer like any other, and nothing is lost.
void check_out_of_memory() {
  std::mt19937_64 random(6);
  const Vectors rows = make_vectors(Family::kGaussian, 40, 20, random);
  const DeviceVectors device_rows(rows);
  const EmbeddingRows query = device_rows.view.part(0, 1);
  int refused = 0;
  for (std::int64_t count = 0; count < 40; ++count) {
    auto indices = device_array<std::int64_t>(1);
    auto scores = device_array<double>(1);
    DeviceGallery gallery;
    SearchOptions options;
    options.path = SearchPath::kCoded;
    options.candidate_places = 1;
    shim::fail_allocation_after(count);
    CudaStatus status = gallery.prepare(device_rows.view, Similarity::kDot, true, nullptr);
    if (status.ok()) {
      status = gallery.search(query, 1, options, nullptr, indices.data(), scores.data());
    }
    shim::fail_allocation_after(-1);
    CHECK(status.ok() || status.is_out_of_memory());
    refused += status.is_out_of_memory() ? 1 : 0;
  }
  CHECK(refused > 10 && refused < 40);
}

}  // namespace
}  // namespace cuda
}  // namespace fastvbench

int main() {
  using namespace fastvbench::cuda;
  in_several_orders(2, [](int seed) { check_families(seed); });
  in_several_orders(1, [](int seed) { check_panels(seed); });
  in_several_orders(2, [](int seed) { check_many_rows(seed); });
  check_faults();
  check_out_of_memory();
  return failure_count() != 0;
}
