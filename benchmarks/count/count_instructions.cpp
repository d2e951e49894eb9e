// One fixed case of one kernel, for counting its instructions: count_instructions CASE.
// Only what runs inside `counted` is meant; data is made before. Without a case, lists the cases.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "fastvbench/choices.h"
#include "fastvbench/cpu_level.h"
#include "fastvbench/intervals.h"
#include "fastvbench/matching.h"
#include "fastvbench/search.h"
#include "fastvbench/timestamps.h"

namespace {

using namespace fastvbench;

// The same numbers with every compiler and library.
class Random {
 public:
  std::uint32_t below(std::uint32_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>((state_ >> 33) % limit);
  }
  float centred() { return static_cast<float>(below(1 << 20)) / (1 << 19) - 1.0f; }

 private:
  std::uint64_t state_ = 1;
};

RunContext one_thread() {
  RunContext context;
  context.threads = 1;
  return context;
}

class Case {
 public:
  virtual ~Case() = default;
  virtual Status run() = 0;
};

// ---- search
// --------------------------------------------------------------------------------------

class SearchCase : public Case {
 public:
  enum class Job { kPrepare, kSearch, kRanks };

  explicit SearchCase(Job job) : job_(job) {
    Random random;
    // Clusters of 50, as clips of a video are.
    std::vector<float> centre(kDimension);
    for (std::int64_t row = 0; row < kRows; ++row) {
      if (row % 50 == 0) {
        for (float& value : centre) value = random.centred();
      }
      for (float value : centre) gallery_.push_back(value + 0.5f * random.centred());
    }
    for (std::int64_t query = 0; query < kQueries; ++query) {
      relevant_.push_back(random.below(kRows));
      offsets_.push_back(query);
      for (std::int64_t i = 0; i < kDimension; ++i) {
        queries_.push_back(gallery_[relevant_.back() * kDimension + i] + random.centred());
      }
    }
    offsets_.push_back(kQueries);
    if (job_ != Job::kPrepare) prepared_ = prepare();
  }

  Status run() override {
    if (job_ == Job::kPrepare) return prepare();
    if (!prepared_.ok()) return prepared_;
    const EmbeddingRows queries{queries_.data(), kQueries, kDimension, ElementType::kFloat32};
    if (job_ == Job::kSearch) {
      return index_.search(one_thread(), queries, kNeighbours, SearchPath::kAuto, indices_,
                           scores_);
    }
    const RelevantRows relevant{relevant_.data(), offsets_.data(), nullptr};
    const RankColumns ranks{indices_, indices_ + kQueries, indices_ + 2 * kQueries, nullptr};
    return index_.ranks(one_thread(), queries, relevant, SearchPath::kAuto, ranks);
  }

 private:
  static constexpr std::int64_t kRows = 5000, kDimension = 128, kQueries = 8, kNeighbours = 10;

  Status prepare() {
    const EmbeddingRows rows{gallery_.data(), kRows, kDimension, ElementType::kFloat32};
    return index_.prepare(one_thread(), rows, Similarity::kCosine, Preparation::kCodes);
  }

  Job job_;
  Status prepared_;
  std::vector<float> gallery_, queries_;
  std::vector<std::int64_t> relevant_, offsets_;
  Gallery index_;
  std::int64_t indices_[kQueries * kNeighbours];
  double scores_[kQueries * kNeighbours];
};

// ---- texts
// ---------------------------------------------------------------------------------------

class TextCase : public Case {
 public:
  explicit TextCase(bool timestamps) : timestamps_(timestamps) {
    Random random;
    for (std::int64_t row = 0; row < kRows; ++row) {
      const std::string a = std::to_string(random.below(900)),
                        b = std::to_string(random.below(900));
      const std::string letter(1, static_cast<char>('A' + random.below(4)));
      const std::string forms[] = {
          timestamps ? "From " + a + ".5 seconds to " + b + " seconds."
                     : "The answer is (" + letter + ").",
          timestamps ? "The event happens between 1:0" + std::to_string(random.below(9)) +
                           " and 12:34 of the video"
                     : "A man walks in, so it must be " + letter + ", not the first one.",
          timestamps ? "[[" + a + ", " + b + "], [3.25, 4]]" : letter + ". a red car",
          timestamps ? "I cannot tell when that happens." : "I'm unable to determine that.",
      };
      texts_.push_back(forms[random.below(4)]);
    }
    for (const std::string& text : texts_) {
      views_.push_back({text.data(), static_cast<std::int64_t>(text.size())});
    }
  }

  Status run() override {
    const TextColumn column = TextColumn::of(views_.data(), kRows);
    if (timestamps_) return parse_timestamps(column, nullptr, one_thread(), &intervals_);
    ChoiceOptions options;
    options.uniform_count = 4;
    return parse_choice(column, options, one_thread(), {index_, status_, spans_});
  }

 private:
  static constexpr std::int64_t kRows = 2000;

  bool timestamps_;
  std::vector<std::string> texts_;
  std::vector<TextView> views_;
  ParsedIntervals intervals_;
  std::int8_t index_[kRows];
  std::uint8_t status_[kRows];
  std::int64_t spans_[2 * kRows];
};

// ---- intervals
// -----------------------------------------------------------------------------------

class IntervalCase : public Case {
 public:
  explicit IntervalCase(bool matching) : matching_(matching) {
    Random random;
    fill(&random, &pred_values_, &pred_offsets_);
    fill(&random, &gold_values_, &gold_offsets_);
    const std::size_t room = pred_values_.size();
    pred_index_.resize(room);
    gold_index_.resize(room);
    iou_.resize(room);
    out_offsets_.resize(kRows + 1);
  }

  Status run() override {
    const IntervalColumn pred{pred_values_.data(), pred_offsets_.data(), kRows};
    const IntervalColumn gold{gold_values_.data(), gold_offsets_.data(), kRows};
    if (!matching_) {
      return row_iou(one_thread(), IouConvention::kUnion, pred, gold, iou_.data());
    }
    const MatchedPairs pairs{pred_index_.data(), gold_index_.data(), iou_.data(),
                             out_offsets_.data()};
    return match_intervals(one_thread(), pred, gold, MatchMethod::kOptimal, 0.0, pairs);
  }

 private:
  static constexpr std::int64_t kRows = 2000;

  // One to five intervals a row.
  static void fill(Random* random, std::vector<double>* values,
                   std::vector<std::int64_t>* offsets) {
    offsets->push_back(0);
    for (std::int64_t row = 0; row < kRows; ++row) {
      const std::int64_t count = 1 + random->below(5);
      for (std::int64_t k = 0; k < count; ++k) {
        const double start = random->below(1000) / 8.0;
        values->push_back(start);
        values->push_back(start + random->below(200) / 8.0);
      }
      offsets->push_back(offsets->back() + count);
    }
  }

  bool matching_;
  std::vector<double> pred_values_, gold_values_, iou_;
  std::vector<std::int64_t> pred_offsets_, gold_offsets_, pred_index_, gold_index_, out_offsets_;
};

struct NamedCase {
  const char* name;
  Case* (*make)();
};

const NamedCase kCases[] = {
    {"prepare 5000x128", []() -> Case* { return new SearchCase(SearchCase::Job::kPrepare); }},
    {"search 5000x128 Q=8 K=10",
     []() -> Case* { return new SearchCase(SearchCase::Job::kSearch); }},
    {"ranks 5000x128 Q=8", []() -> Case* { return new SearchCase(SearchCase::Job::kRanks); }},
    {"timestamps 2000 texts", []() -> Case* { return new TextCase(true); }},
    {"choices 2000 texts", []() -> Case* { return new TextCase(false); }},
    {"set iou 2000 rows", []() -> Case* { return new IntervalCase(false); }},
    {"matching 2000 rows", []() -> Case* { return new IntervalCase(true); }},
};

}  // namespace

// Callgrind counts from the first instruction of this function to its last.
extern "C" __attribute__((noinline)) int counted(void* given) {
  const Status status = static_cast<Case*>(given)->run();
  if (!status.ok())
    std::fprintf(stderr, "failed: %s, row %lld\n", status.what, static_cast<long long>(status.row));
  return status.ok() ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc == 1) {
    for (const NamedCase& known : kCases) std::puts(known.name);
    return 0;
  }
  if (fastvbench::cpu_level_request_refused()) {
    std::fprintf(stderr, "this CPU lacks the level that FASTVBENCH_CPU_LEVEL asks for\n");
    return 3;
  }
  for (const NamedCase& known : kCases) {
    if (std::strcmp(known.name, argv[1]) != 0) continue;
    Case* const made = known.make();
    const int code = counted(made);
    delete made;
    return code;
  }
  std::fprintf(stderr, "no such case: %s\n", argv[1]);
  return 2;
}
