#include "parse/timestamp_memo.h"

#include <cstring>

#include "parse/timestamp_reader.h"

namespace fastvbench::parse {
namespace {

constexpr int kBlockBytes = 16;
constexpr int kMostBlocks = 8;
constexpr std::int64_t kMostBytes = kBlockBytes * kMostBlocks;
constexpr int kSetBits = 8;
constexpr int kWays = 2;
constexpr std::int32_t kRestRows = 2048;
constexpr std::int32_t kTrialCredit = 64;
constexpr std::int32_t kMostCredit = 256;
constexpr std::int32_t kHitCredit = 4;  // a hit saves about four times what a miss costs

typedef unsigned char Block __attribute__((vector_size(kBlockBytes)));

Block without_digits(Block bytes) {
  const auto is_digit = reinterpret_cast<Block>(bytes - '0' < 10);
  return (bytes & ~is_digit) | ('0' & is_digit);
}

Block load(const char* data) {
  Block block;
  std::memcpy(&block, data, kBlockBytes);
  return block;
}

std::uint64_t load_half(const Byte* data) {
  std::uint64_t half;
  std::memcpy(&half, data, sizeof half);
  return half;
}

/// Eight bytes of the values 0 to 9, the first the greatest, as one number.
std::uint64_t join_digits(std::uint64_t digits) {
  constexpr std::uint64_t kPairs = 0x000000FF000000FFu;
  digits = digits * 10 + (digits >> 8);
  return ((digits & kPairs) * 0x000F424000000064u +
          (digits >> 16 & kPairs) * 0x0000271000000001u) >>
         32;
}

/// A number of a shape, by its place in the text.
struct PlacedNumber {
  static constexpr int kHalf = 8;

  std::uint8_t begin;
  std::uint8_t end;    // where it is short, and has eight bytes of text before its end; else 0
  std::uint8_t whole;  // then its digits before and behind the point
  std::uint8_t places;

  PlacedNumber() {}  // NOLINT: an entry sets what it uses
  PlacedNumber(const Text& text, const Byte* first)
      : begin(static_cast<std::uint8_t>(first - text.begin)), end(0), whole(0), places(0) {
    SimpleNumber number;
    if (!read_simple_number(text, first, &number) || number.kind != ItemKind::kNumber) return;
    if (number.end - first > kHalf || number.end - text.begin < kHalf) return;
    const Byte* p = first;
    while (p < number.end && is_ascii_digit(*p)) ++p;
    end = static_cast<std::uint8_t>(number.end - text.begin);
    whole = static_cast<std::uint8_t>(p - first);
    if (p < number.end) places = static_cast<std::uint8_t>(number.end - p - 1);
  }

  /// The value of read_simple_number, which is false where this is.
  bool read(const Text& text, double* value) const {
    if (end != 0) {
      // The digits at the upper end of a word, without the point and what stands before them.
      static constexpr std::uint64_t kAll = 0x0F0F0F0F0F0F0F0Fu;
      static constexpr std::uint64_t kUpper[kHalf + 1] = {0,          kAll << 56, kAll << 48,
                                                          kAll << 40, kAll << 32, kAll << 24,
                                                          kAll << 16, kAll << 8,  kAll};
      static constexpr double kPowers[kHalf] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
      const std::uint64_t bytes = load_half(text.begin + end - kHalf);
      const int behind = places != 0 ? 8 * (places + 1) : 0;
      const std::uint64_t digits =
          (bytes << behind & kUpper[whole]) >> 8 * places | (bytes & kUpper[places]);
      *value = static_cast<double>(join_digits(digits)) / kPowers[places];
      return true;
    }
    SimpleNumber number;
    if (!read_simple_number(text, text.begin + begin, &number)) return false;
    *value = number.value;
    return true;
  }
};

}  // namespace

/// The text in blocks, '0' for every digit. The last block ends with the text; of a text shorter
/// than a block it is filled up with zeros.
struct ShapeMemo::Shape {
  Block blocks[kMostBlocks];
  std::int64_t size;
  std::int64_t block_count;
  std::uint64_t hash;

  Shape(const char* data, std::int64_t size)
      : size(size), block_count((size + kBlockBytes - 1) / kBlockBytes) {
    // A sum of products with random odd factors, whose high bits are used.
    static constexpr std::uint64_t kFactors[2 * kMostBlocks] = {
        0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu,
        0xa0761d6478bd642fu, 0xe7037ed1a0b428dbu, 0x8ebc6af09c88c6e3u, 0x589965cc75374cc3u,
        0x1d8e4e27c47d124fu, 0xeb44accab455d165u, 0x9c6e6877736c46e3u, 0xc2b2ae3d27d4eb4fu,
        0x165667b19e3779f9u, 0x27d4eb2f165667c5u, 0xff51afd7ed558ccdu, 0xc4ceb9fe1a85ec53u};
    std::uint64_t sum = static_cast<std::uint64_t>(size) * 0x2545f4914f6cdd1du;
    for (std::int64_t i = 0; i < block_count; ++i) {
      Block block = {};
      if (size < kBlockBytes) {
        std::memcpy(&block, data, static_cast<std::size_t>(size));
      } else {
        const std::int64_t begin = i * kBlockBytes;
        block = load(data + (begin + kBlockBytes <= size ? begin : size - kBlockBytes));
      }
      blocks[i] = without_digits(block);
      std::uint64_t halves[2];
      std::memcpy(halves, &blocks[i], kBlockBytes);
      sum += halves[0] * kFactors[2 * i] + halves[1] * kFactors[2 * i + 1];
    }
    hash = sum;
  }
};

struct ShapeMemo::Entry {
  /// Offsets in the text.
  struct Pair {
    PlacedNumber first;
    PlacedNumber second;
    std::uint8_t begin;
    std::uint8_t until;
    std::uint16_t flags;
  };

  Block blocks[kMostBlocks];
  std::uint8_t size;    // 0: free
  std::uint8_t latest;  // of the first entry of a set: the way that was used last
  std::uint8_t pair_count;
  std::uint8_t clock_count;  // of the clocks in no pair
  std::uint8_t clocks[ReadingTrace::kMostClocks];
  Pair pairs[ReadingTrace::kMostPairs];

  bool holds(const Shape& shape) const {
    if (size != shape.size) return false;
    Block differences = {};
    for (std::int64_t i = 0; i < shape.block_count; ++i) {
      differences |= blocks[i] ^ shape.blocks[i];
    }
    std::uint64_t halves[2];
    std::memcpy(halves, &differences, kBlockBytes);
    return (halves[0] | halves[1]) == 0;
  }

  void keep(const Shape& shape, const ReadingTrace& trace, const Text& text) {
    const auto offset = [&](const Byte* p) { return static_cast<std::uint8_t>(p - text.begin); };
    size = static_cast<std::uint8_t>(shape.size);
    for (std::int64_t i = 0; i < shape.block_count; ++i) blocks[i] = shape.blocks[i];
    pair_count = static_cast<std::uint8_t>(trace.pair_count);
    for (int i = 0; i < trace.pair_count; ++i) {
      const ReadingTrace::Pair& pair = trace.pairs[i];
      pairs[i].first = PlacedNumber(text, pair.first);
      pairs[i].second = PlacedNumber(text, pair.second);
      pairs[i].begin = offset(pair.begin);
      pairs[i].until = offset(pair.until);
      pairs[i].flags = static_cast<std::uint16_t>(pair.flags);
    }
    clock_count = 0;
    for (int i = 0; i < trace.clock_count; ++i) {
      bool paired = false;
      for (int k = 0; k < trace.pair_count; ++k) {
        paired |=
            trace.pairs[k].first == trace.clocks[i] || trace.pairs[k].second == trace.clocks[i];
      }
      if (!paired) clocks[clock_count++] = offset(trace.clocks[i]);
    }
  }

  /// Appends the intervals of a text of this shape; false, with none appended, where one of its
  /// values needs a reading of its own.
  bool read(const Text& text, double duration, IntervalSink* sink) const {
    const bool has_duration = is_duration(duration);
    for (int i = 0; i < clock_count; ++i) {
      SimpleNumber clock;
      if (!read_simple_number(text, text.begin + clocks[i], &clock)) return false;
    }
    for (int i = 0; i < pair_count; ++i) {
      Bounds bounds{0.0, 0.0, pairs[i].flags};
      if (!pairs[i].first.read(text, &bounds.start) || !pairs[i].second.read(text, &bounds.end) ||
          !settle(duration, has_duration, &bounds)) {
        sink->clear_row();
        return false;
      }
      sink->push(bounds.start, bounds.end, bounds.flags, pairs[i].begin, pairs[i].until);
    }
    return true;
  }
};

void ShapeMemo::open() {
  if (entries_ != nullptr) return;
  constexpr std::size_t kCount = std::size_t{kWays} << kSetBits;
  entries_ = static_cast<Entry*>(std::aligned_alloc(64, kCount * sizeof(Entry)));
  if (entries_ == nullptr) return;
  for (std::size_t i = 0; i < kCount; ++i) entries_[i].size = entries_[i].latest = 0;
  credit_ = kTrialCredit;
}

AnswerStatus ShapeMemo::read(const char* data, std::int64_t size, double duration,
                             IntervalSink* sink) {
  if (entries_ == nullptr || resting_ > 0 || size == 0 || size > kMostBytes) {
    if (resting_ > 0) --resting_;
    ReadingTrace trace;
    return read_timestamps(data, size, duration, sink, &trace);
  }
  const Shape shape(data, size);
  Entry* const ways = entries_ + kWays * (shape.hash >> (64 - kSetBits));
  const auto* bytes = reinterpret_cast<const Byte*>(data);
  for (int way = 0; way < kWays; ++way) {
    if (!ways[way].holds(shape)) continue;
    sink->begin_row();
    if (!ways[way].read({bytes, bytes + size}, duration, sink)) break;
    ways->latest = static_cast<std::uint8_t>(way);
    if (credit_ < kMostCredit) credit_ += kHitCredit;
    return AnswerStatus::kOk;
  }
  if (--credit_ <= 0) {
    resting_ = kRestRows;
    credit_ = kTrialCredit;
  }
  return read_anew(data, size, duration, sink, shape, ways);
}

AnswerStatus ShapeMemo::read_anew(const char* data, std::int64_t size, double duration,
                                  IntervalSink* sink, const Shape& shape, Entry* ways) {
  ReadingTrace trace;
  const AnswerStatus status = read_timestamps(data, size, duration, sink, &trace);
  if (status == AnswerStatus::kOk && !trace.depends_on_values &&
      trace.pair_count == sink->row_count()) {
    const auto* bytes = reinterpret_cast<const Byte*>(data);
    const std::uint8_t way = ways->latest ^ 1;
    ways[way].keep(shape, trace, {bytes, bytes + size});
    ways->latest = way;
  }
  return status;
}

}  // namespace fastvbench::parse
