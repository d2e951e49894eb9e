// The best of many, by one block: where to cut, and a sort of what is left.
//
// Entries are compared by an order (64 bits, 0 for an entry that does not count), then by a place
// (32 bits); larger is better in both. Keys become orders by their bits, rows become places by ~.
#pragma once

#include <cmath>
#include <cstdint>

#include "device.cuh"
#include "kernels/dot64.cuh"

namespace fastvbench {
namespace cuda {

/// Rises with the key; 0 for NaN and infinity, which no rankable row has as its key.
FASTVBENCH_DEVICE std::uint64_t order_of_key(double key) {
  if (!std::isfinite(key)) return 0;
  const auto bits = same_bits<std::uint64_t>(key);
  return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
}
FASTVBENCH_DEVICE double key_of_order(std::uint64_t order) {
  return same_bits<double>((order >> 63) != 0 ? order & ~(std::uint64_t{1} << 63) : ~order);
}
/// The same for bounds, infinite ones too; 0 for NaN.
FASTVBENCH_DEVICE std::uint64_t order_of_bound(float bound) {
  if (std::isnan(bound)) return 0;
  const auto bits = same_bits<std::uint32_t>(bound);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}
FASTVBENCH_DEVICE float bound_of_order(std::uint64_t order) {
  const auto bits = static_cast<std::uint32_t>(order);
  return same_bits<float>((bits >> 31) != 0 ? bits & 0x7FFFFFFFu : ~bits);
}

/// Everything at or above it is taken.
struct Cut {
  std::uint64_t order;
  std::uint32_t place;

  FASTVBENCH_DEVICE bool takes(std::uint64_t other, std::uint32_t other_place) const {
    return other > order || (other == order && other_place >= place);
  }
};

constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;

/// Shared memory of a selection.
struct SelectMemory {
  std::uint64_t least;
  std::uint64_t largest;
  std::uint32_t present;
  std::uint32_t digit;
  std::uint32_t wanted;  // of the chosen digit
  std::uint32_t held;    // entries with the chosen digit
  std::uint32_t counts[kDigits];
};

/// By the first warp: the digit at which `wanted` entries are reached from the largest digit down.
FASTVBENCH_DEVICE void choose_digit(SelectMemory* memory, std::uint32_t wanted) {
  constexpr int kPerLane = kDigits / kWarpSize;
  const int first = kDigits - 1 - kPerLane * lane_index();
  std::uint32_t own = 0;
  for (int i = 0; i < kPerLane; ++i) own += memory->counts[first - i];
  std::uint32_t up_to_here = own;
  FASTVBENCH_UNROLL
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    const std::uint32_t other = shuffle(up_to_here, lane_index() - distance);
    if (lane_index() >= distance) up_to_here += other;
  }
  std::uint32_t before = up_to_here - own;
  if (!(before < wanted && wanted <= up_to_here)) return;
  for (int i = 0; i < kPerLane; ++i) {
    const std::uint32_t held = memory->counts[first - i];
    if (wanted <= before + held) {
      memory->digit = static_cast<std::uint32_t>(first - i);
      memory->wanted = wanted - before;
      memory->held = held;
      return;
    }
    before += held;
  }
}

/// Lowers `open_bits` and fills in bits of `cut` until it is the `wanted`-th largest of value(i)
/// over the entries that count(i); or, where `may_stop`, until everything at or above it is wanted.
/// Returns how many entries that equal the cut are wanted; 0 where it stopped before.
template <typename Counts, typename Value>
FASTVBENCH_DEVICE std::uint32_t narrow(Counts counts, Value value, std::int32_t entry_count,
                                       std::uint32_t wanted, bool may_stop, int open_bits,
                                       std::uint64_t* cut, SelectMemory* memory) {
  while (open_bits > 0) {
    const int bits = open_bits < kDigitBits ? open_bits : kDigitBits;
    const int shift = open_bits - bits;
    for (int i = thread_index(); i < kDigits; i += thread_count()) memory->counts[i] = 0;
    sync_block();
    for (std::int32_t i = thread_index(); i < entry_count; i += thread_count()) {
      if (!counts(i)) continue;
      const std::uint64_t own = value(i);
      if (open_bits < 64 && ((own ^ *cut) >> open_bits) != 0) continue;
      atomic_add(&memory->counts[(own >> shift) & ((1u << bits) - 1)], std::uint32_t{1});
    }
    sync_block();
    if (warp_index() == 0) choose_digit(memory, wanted);
    sync_block();
    *cut |= std::uint64_t{memory->digit} << shift;
    wanted = memory->wanted;
    open_bits = shift;
    if (may_stop && wanted == memory->held) return 0;
  }
  return wanted;
}

/// Where to cut so that the `wanted` best of order(i), place(i) are taken: all of them where fewer
/// count. With `may_stop` false the cut's order is that of the last entry taken. Every thread of
/// the block calls it and gets the answer.
template <typename Order, typename Place>
FASTVBENCH_DEVICE Cut find_cut(Order order, Place place, std::int32_t entry_count,
                               std::int64_t wanted, bool may_stop, SelectMemory* memory) {
  sync_block();  // whoever still reads an earlier selection's numbers
  if (thread_index() == 0) {
    memory->least = ~std::uint64_t{0};
    memory->largest = 0;
    memory->present = 0;
  }
  sync_block();
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t largest = 0;
  std::uint32_t present = 0;
  for (std::int32_t i = thread_index(); i < entry_count; i += thread_count()) {
    const std::uint64_t own = order(i);
    if (own == 0) continue;
    least = own < least ? own : least;
    largest = own > largest ? own : largest;
    ++present;
  }
  FASTVBENCH_UNROLL
  for (int width = kWarpSize / 2; width > 0; width /= 2) {
    const std::uint64_t other_least = shuffle_xor(least, width);
    const std::uint64_t other_largest = shuffle_xor(largest, width);
    least = other_least < least ? other_least : least;
    largest = other_largest > largest ? other_largest : largest;
    present += shuffle_xor(present, width);
  }
  if (lane_index() == 0) {
    atomic_min(&memory->least, least);
    atomic_max(&memory->largest, largest);
    atomic_add(&memory->present, present);
  }
  sync_block();
  if (memory->present <= wanted) {
    return {memory->present == 0 ? ~std::uint64_t{0} : memory->least, 0};
  }
  // Bits in which all agree are known.
  const std::uint64_t differing = memory->least ^ memory->largest;
  const auto high = static_cast<std::uint32_t>(differing >> 32);
  const int open_bits = high != 0 ? 64 - leading_zeros(high)
                                  : 32 - leading_zeros(static_cast<std::uint32_t>(differing));
  std::uint64_t cut = open_bits == 64 ? 0 : memory->largest >> open_bits << open_bits;
  auto counts = [&](std::int32_t i) { return order(i) != 0; };
  std::uint32_t left = narrow(counts, order, entry_count, static_cast<std::uint32_t>(wanted),
                              may_stop, open_bits, &cut, memory);
  if (open_bits == 0) left = static_cast<std::uint32_t>(wanted);
  if (left == 0 || !may_stop) return {cut, 0};
  // Some entries of the last order only: those of the best places.
  auto ties = [&](std::int32_t i) { return order(i) == cut; };
  auto places = [&](std::int32_t i) { return std::uint64_t{place(i)}; };
  std::uint64_t last_place = 0;
  narrow(ties, places, entry_count, left, true, 32, &last_place, memory);
  return {cut, static_cast<std::uint32_t>(last_place)};
}

/// Sorts `count` entries, a power of two, best first. By the whole block.
FASTVBENCH_DEVICE void sort_best_first(std::uint64_t* orders, std::uint32_t* places,
                                       std::int64_t count) {
  for (std::int64_t size = 2; size <= count; size *= 2) {
    for (std::int64_t stride = size / 2; stride > 0; stride /= 2) {
      sync_block();
      for (std::int64_t i = thread_index(); i < count / 2; i += thread_count()) {
        const std::int64_t first = 2 * i - (i & (stride - 1));
        const std::int64_t second = first + stride;
        const bool is_worse = orders[first] < orders[second] ||
                              (orders[first] == orders[second] && places[first] < places[second]);
        if (is_worse != ((first & size) == 0)) continue;
        const std::uint64_t order = orders[first];
        orders[first] = orders[second];
        orders[second] = order;
        const std::uint32_t place = places[first];
        places[first] = places[second];
        places[second] = place;
      }
    }
  }
  sync_block();
}

}  // namespace cuda
}  // namespace fastvbench
