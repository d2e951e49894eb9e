// What surrounds a search: refusals that name a row, stops, several callers, forks, CPU levels that
// change between calls, and callers whose floating-point state is not the usual one.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <thread>

#ifdef FASTVBENCH_X86_LEVELS
#include <immintrin.h>
#endif

#include "check.h"
#include "fastvbench/cpu_level.h"
#include "search_cases.h"

namespace {

using fastvbench::Code;
using fastvbench::CpuLevel;
using fastvbench::Gallery;
using fastvbench::Preparation;
using fastvbench::RankColumns;
using fastvbench::RelevantRows;
using fastvbench::RowFault;
using fastvbench::RunContext;
using fastvbench::SearchPath;
using fastvbench::Status;
using namespace search_cases;

constexpr SearchPath kPaths[] = {SearchPath::kStream, SearchPath::kWide, SearchPath::kCoded};

RunContext on_threads(std::int32_t threads) {
  RunContext context;
  context.threads = threads;
  return context;
}

struct Answer {
  Status status;
  std::vector<std::int64_t> indices;
  std::vector<double> scores;

  bool operator==(const Answer& other) const {
    return status.code == other.status.code && indices == other.indices &&
           scores.size() == other.scores.size() &&
           std::memcmp(scores.data(), other.scores.data(), 8 * scores.size()) == 0;
  }
};

Answer search(const Gallery& gallery, const Vectors& queries, std::int64_t k, SearchPath path,
              const RunContext& context) {
  Answer answer;
  answer.indices.assign(static_cast<std::size_t>(queries.count * k), -1);
  answer.scores.assign(answer.indices.size(), -1.0);
  answer.status =
      gallery.search(context, queries.view(), k, path, answer.indices.data(), answer.scores.data());
  return answer;
}

struct RankAnswer {
  Status status;
  std::vector<std::int64_t> above, tied, before;

  bool operator==(const RankAnswer& other) const {
    return status.code == other.status.code && above == other.above && tied == other.tied &&
           before == other.before;
  }
};

// One relevant row per query: row (7 q) modulo the gallery.
RankAnswer ranks(const Gallery& gallery, const Vectors& queries, SearchPath path,
                 const RunContext& context) {
  const auto count = static_cast<std::size_t>(queries.count);
  std::vector<std::int64_t> values(count), offsets(count + 1);
  for (std::size_t q = 0; q < count; ++q) {
    values[q] = static_cast<std::int64_t>(7 * q) % gallery.rows().count;
    offsets[q + 1] = static_cast<std::int64_t>(q + 1);
  }
  RankAnswer answer;
  answer.above.assign(count, -1);
  answer.tied.assign(count, -1);
  answer.before.assign(count, -1);
  const RelevantRows relevant{values.data(), offsets.data(), nullptr};
  const RankColumns out{answer.above.data(), answer.tied.data(), answer.before.data(), nullptr};
  answer.status = gallery.ranks(context, queries.view(), relevant, path, out);
  return answer;
}

void check_faults_are_named() {
  std::mt19937_64 random(1);
  const Vectors good = make_vectors(Family::kGaussian, 2000, 40, random);
  const Vectors queries = make_vectors(Family::kGaussian, 20, 40, random);
  struct Bad {
    float value;
    RowFault fault;
  };
  for (const Bad bad : {Bad{NAN, RowFault::kNan}, Bad{HUGE_VALF, RowFault::kInfinite},
                        Bad{-HUGE_VALF, RowFault::kInfinite}, Bad{0.0f, RowFault::kZero}}) {
    Vectors rows = good;
    for (const std::int64_t row : {777, 1500, 1999}) {
      if (bad.fault == RowFault::kZero) std::fill_n(rows.row(row), 40, -0.0f);
      rows.row(row)[39] = bad.value;
    }
    for (const Similarity similarity : {Similarity::kDot, Similarity::kCosine}) {
      const bool is_fault = bad.fault != RowFault::kZero || similarity == Similarity::kCosine;
      std::vector<std::uint8_t> faults(2000, 99);
      std::int64_t fault_count = -1;
      CHECK(find_faults(on_threads(2), rows.view(), similarity, faults.data(), &fault_count).ok());
      CHECK(fault_count == (is_fault ? 3 : 0));
      CHECK(faults[777] == static_cast<std::uint8_t>(is_fault ? bad.fault : RowFault::kNone));
      CHECK(faults[776] == 0);
      for (const std::int32_t threads : {1, 2, 5}) {
        Gallery unprepared, prepared;
        CHECK(unprepared.prepare({}, rows.view(), similarity, Preparation::kNone).ok());
        CHECK(prepared.prepare({}, rows.view(), similarity, Preparation::kCodes).ok());
        CHECK(prepared.fault_count() == fault_count);
        CHECK(std::equal(faults.begin(), faults.end(), prepared.faults()));
        for (const SearchPath path : kPaths) {
          const Status status = search(unprepared, queries, 3, path, on_threads(threads)).status;
          const Status ranked = ranks(unprepared, queries, path, on_threads(threads)).status;
          CHECK(status.code == (is_fault ? Code::kInvalidArgument : Code::kOk));
          CHECK(ranked.code == status.code);
          CHECK(!is_fault || (status.row == 777 && ranked.row == 777));
          CHECK(search(prepared, queries, 3, path, on_threads(threads)).status.ok());
        }
        // A query with the same fault is refused by its own number.
        Vectors asked = queries;
        std::copy_n(rows.row(1500), 40, asked.row(13));
        const Status status = search(prepared, asked, 3, SearchPath::kAuto, {}).status;
        CHECK(status.code == (is_fault ? Code::kInvalidArgument : Code::kOk));
        CHECK(!is_fault || status.row == 13);
      }
    }
  }
}

void check_no_queries() {
  std::mt19937_64 random(2);
  const Vectors rows = make_vectors(Family::kGaussian, 50, 8, random);
  const Vectors none = empty_vectors(0, 8);
  Gallery gallery;
  CHECK(gallery.prepare({}, rows.view(), Similarity::kDot, Preparation::kCodes).ok());
  CHECK(search(gallery, none, 3, SearchPath::kAuto, {}).status.ok());
  CHECK(ranks(gallery, none, SearchPath::kAuto, {}).status.ok());
}

// Whatever was prepared before, in a gallery smaller or larger: nothing of it is left.
void check_a_gallery_is_prepared_again() {
  std::mt19937_64 random(8);
  const Vectors queries = make_vectors(Family::kGaussian, 20, 24, random);
  std::vector<Vectors> galleries;
  for (const std::int64_t count : {300, 3000, 40}) {
    galleries.push_back(make_vectors(Family::kGaussian, count, 24, random));
    galleries.back().row(count / 2)[3] = NAN;
  }
  Gallery used;
  for (int turn = 0; turn < 60; ++turn) {
    const Vectors& rows = galleries[random() % galleries.size()];
    const auto similarity = static_cast<Similarity>(random() % 2);
    const auto preparation = static_cast<Preparation>(random() % 3);
    Gallery fresh;
    CHECK(fresh.prepare({}, rows.view(), similarity, preparation).ok());
    CHECK(used.prepare({}, rows.view(), similarity, preparation).ok());
    CHECK(used.fault_count() == fresh.fault_count());
    CHECK((used.faults() == nullptr) == (preparation == Preparation::kNone));
    for (const SearchPath path : kPaths) {
      CHECK(search(used, queries, 5, path, on_threads(1)) ==
            search(fresh, queries, 5, path, on_threads(1)));
      CHECK(ranks(used, queries, path, on_threads(1)) ==
            ranks(fresh, queries, path, on_threads(1)));
    }
  }
}

void check_stops_are_heard() {
  std::mt19937_64 random(3);
  const Vectors rows = make_vectors(Family::kGaussian, 20000, 48, random);
  const Vectors queries = make_vectors(Family::kGaussian, 60, 48, random);
  for (const Preparation preparation : {Preparation::kNone, Preparation::kCodes}) {
    Gallery gallery;
    CHECK(gallery.prepare({}, rows.view(), Similarity::kCosine, preparation).ok());
    for (const SearchPath path : kPaths) {
      const Answer whole = search(gallery, queries, 5, path, on_threads(2));
      bool is_finished = false;
      // Stopped wherever it polls: at once, in the middle, and behind the last poll.
      for (int allowed = 0; !is_finished; allowed = 2 * allowed + 1) {
        int left = allowed;
        RunContext context = on_threads(2);
        context.poll = [](void* data) { return --*static_cast<int*>(data) < 0; };
        context.poll_data = &left;
        const Answer answer = search(gallery, queries, 5, path, context);
        is_finished = answer.status.ok();
        CHECK(is_finished || answer.status.code == Code::kCancelled);
        CHECK(allowed > 0 || !is_finished);
        CHECK(!is_finished || answer == whole);
        left = allowed;
        const Code ranked = ranks(gallery, queries, path, context).status.code;
        CHECK(ranked == Code::kCancelled || (allowed > 0 && ranked == Code::kOk));
      }
      // Nothing is left over from a search that was stopped.
      CHECK(search(gallery, queries, 5, path, on_threads(2)) == whole);
    }
  }
  int left = 0;
  RunContext context = on_threads(1);
  context.poll = [](void* data) { return --*static_cast<int*>(data) < 0; };
  context.poll_data = &left;
  Gallery gallery;
  const Status status =
      gallery.prepare(context, rows.view(), Similarity::kCosine, Preparation::kCodes);
  CHECK(status.code == Code::kCancelled);
}

void check_callers_share_a_gallery() {
  std::mt19937_64 random(4);
  const Vectors rows = make_vectors(Family::kClustered, 5000, 32, random);
  Gallery gallery;
  CHECK(gallery.prepare({}, rows.view(), Similarity::kCosine, Preparation::kCodes).ok());
  std::vector<Vectors> queries;
  std::vector<Answer> answers;
  std::vector<RankAnswer> rank_answers;
  for (const std::int64_t count : {1, 13, 40}) {
    queries.push_back(make_vectors(Family::kClustered, count, 32, random));
    answers.push_back(search(gallery, queries.back(), 7, SearchPath::kStream, on_threads(1)));
    rank_answers.push_back(ranks(gallery, queries.back(), SearchPath::kStream, on_threads(1)));
  }
  std::atomic<int> wrong{0};
  const auto call = [&](std::size_t first) {
    for (std::size_t turn = first; turn < first + 60; ++turn) {
      const std::size_t i = turn % queries.size();
      wrong += !(search(gallery, queries[i], 7, SearchPath::kCoded, on_threads(2)) == answers[i]);
      wrong += !(ranks(gallery, queries[i], SearchPath::kCoded, on_threads(2)) == rank_answers[i]);
    }
  };
  std::thread one(call, 0), two(call, 1);
  one.join();
  two.join();
  CHECK(wrong == 0);
}

void check_a_fork_searches_too() {
  std::mt19937_64 random(5);
  const Vectors rows = make_vectors(Family::kGaussian, 30000, 32, random);
  const Vectors queries = make_vectors(Family::kGaussian, 30, 32, random);
  Gallery gallery;
  CHECK(gallery.prepare(on_threads(2), rows.view(), Similarity::kDot, Preparation::kCodes).ok());
  const Answer answer = search(gallery, queries, 9, SearchPath::kCoded, on_threads(2));
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a child that waits for its parent's threads is a failure, not a long test
    const bool is_same = search(gallery, queries, 9, SearchPath::kCoded, on_threads(2)) == answer &&
                         search(gallery, queries, 9, SearchPath::kStream, on_threads(2)) == answer;
    _exit(is_same ? 0 : 1);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// A gallery prepared at one level is searched at any other.
void check_levels_share_a_gallery() {
  std::mt19937_64 random(6);
  const Vectors rows = make_vectors(Family::kWholeCodes, 3000, 50, random);
  const Vectors queries = make_vectors(Family::kGaussian, 14, 50, random);
  const CpuLevel before = fastvbench::cpu_level();
  const int best = static_cast<int>(fastvbench::best_cpu_level());
  Answer first;
  for (int made = 0; made <= best; ++made) {
    CHECK(fastvbench::set_cpu_level(static_cast<CpuLevel>(made)));
    Gallery gallery;
    CHECK(gallery.prepare({}, rows.view(), Similarity::kCosine, Preparation::kCodes).ok());
    for (int level = 0; level <= best; ++level) {
      CHECK(fastvbench::set_cpu_level(static_cast<CpuLevel>(level)));
      for (const SearchPath path : kPaths) {
        const Answer answer = search(gallery, queries, 11, path, on_threads(1));
        if (first.indices.empty()) first = answer;
        CHECK(answer == first);
      }
    }
  }
  fastvbench::set_cpu_level(before);
}

// Runs `body` as a caller whose thread rounds upwards and, where there is a way to say so, takes
// subnormal numbers for zero.
template <typename Body>
void in_an_odd_float_state(Body body) {
  std::fenv_t before;
  CHECK(std::fegetenv(&before) == 0);
  std::fesetround(FE_UPWARD);
#ifdef FASTVBENCH_X86_LEVELS
  _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
  const int rounding = std::fegetround();
  body();
  CHECK(std::fegetround() == rounding);  // the caller has its own state back
#ifdef FASTVBENCH_X86_LEVELS
  CHECK((_mm_getcsr() & 0x8040) == 0x8040);
#endif
  std::fesetenv(&before);
}

void check_the_callers_float_state_is_no_matter() {
  std::mt19937_64 random(7);
  for (const Family family : {Family::kSubnormal, Family::kBrain, Family::kGaussian}) {
    const Vectors rows = make_vectors(family, 3000, 20, random);
    const Vectors queries = make_vectors(family, 14, 20, random);
    for (const Similarity similarity : {Similarity::kDot, Similarity::kCosine}) {
      Gallery usual, odd;
      CHECK(usual.prepare({}, rows.view(), similarity, Preparation::kCodes).ok());
      in_an_odd_float_state([&] {
        CHECK(odd.prepare({}, rows.view(), similarity, Preparation::kCodes).ok());
        std::vector<std::uint8_t> faults(3000);
        std::int64_t fault_count = -1;
        CHECK(find_faults({}, rows.view(), similarity, faults.data(), &fault_count).ok());
        CHECK(fault_count == 0);
      });
      CHECK(odd.fault_count() == 0);
      if (odd.fault_count() != 0) continue;
      const Answer answer = search(usual, queries, 9, SearchPath::kStream, on_threads(1));
      const RankAnswer ranked = ranks(usual, queries, SearchPath::kStream, on_threads(1));
      for (const SearchPath path : kPaths) {
        for (const std::int32_t threads : {1, 3}) {
          CHECK(search(odd, queries, 9, path, on_threads(threads)) == answer);
          Answer odd_answer;
          RankAnswer odd_ranked;
          in_an_odd_float_state([&] {
            odd_answer = search(usual, queries, 9, path, on_threads(threads));
            odd_ranked = ranks(usual, queries, path, on_threads(threads));
          });
          CHECK(odd_answer == answer);
          CHECK(odd_ranked == ranked);
        }
      }
    }
  }
}

}  // namespace

int main() {
  // First, so that helper threads are started by the caller with the odd state.
  check_the_callers_float_state_is_no_matter();
  check_faults_are_named();
  check_no_queries();
  check_a_gallery_is_prepared_again();
  check_stops_are_heard();
  check_callers_share_a_gallery();
  check_a_fork_searches_too();
  check_levels_share_a_gallery();
  return failure_count() != 0;
}
