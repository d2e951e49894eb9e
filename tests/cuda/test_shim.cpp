// The shim itself: operations give what a device gives, and planted mistakes are found.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "device.cuh"
#include "device_arrays.h"

namespace fastvbench {
namespace cuda {
namespace {

constexpr int kThreads = 96;

// Sum over a block by a tree; the planted mistakes each leave out or move one thing.
enum class Mistake {
  kNone,
  kNoBarrier,
  kOffByOne,
  kBarrierInBranch,
  kReturnBeforeBarrier,
  kTwoBarriers
};

template <Mistake kMistake>
FASTVBENCH_KERNEL(block_sum)(const std::uint32_t* values, std::uint32_t* sums) {
  FASTVBENCH_SHARED(std::uint32_t, partial, kThreads);
  const std::int32_t thread = thread_index();
  const std::int32_t place = block_index() * kThreads + thread;
  partial[thread] = values[kMistake == Mistake::kOffByOne ? place + 1 : place];
  if (kMistake == Mistake::kReturnBeforeBarrier && thread == 70) return;
  if (kMistake == Mistake::kBarrierInBranch) {
    if (thread % 2 == 0) sync_block();
  } else if (kMistake == Mistake::kTwoBarriers) {
    if (thread % 2 == 0) {
      sync_block();
    } else {
      sync_block();
    }
  } else if (kMistake != Mistake::kNoBarrier) {
    sync_block();
  }
  for (std::int32_t half = kThreads / 2; half >= 3; half /= 2) {
    if (thread < half) partial[thread] += partial[thread + half];
    sync_block();
  }
  if (thread == 0) sums[block_index()] = partial[0] + partial[1] + partial[2];
}

constexpr int kBlocks = 5;

std::vector<std::uint32_t> some_values() {
  std::vector<std::uint32_t> values(kBlocks * kThreads);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(i * i);
  return values;
}

template <Mistake kMistake>
CudaStatus run_block_sum(std::vector<std::uint32_t>* sums) {
  const DeviceBuffer<std::uint32_t> values = to_device(some_values());
  DeviceBuffer<std::uint32_t> result = device_array<std::uint32_t>(kBlocks);
  const CudaStatus status = FASTVBENCH_LAUNCH(block_sum<kMistake>, kBlocks, kThreads, 0, nullptr,
                                              values.data(), result.data());
  *sums = to_host(result);
  return status;
}

std::vector<std::uint32_t> right_sums() {
  const std::vector<std::uint32_t> values = some_values();
  std::vector<std::uint32_t> sums(kBlocks);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i / kThreads] += values[i];
  return sums;
}

void a_right_kernel_gives_the_same_in_every_order() {
  in_several_orders(20, [](int) {
    std::vector<std::uint32_t> sums;
    CHECK_CUDA(run_block_sum<Mistake::kNone>(&sums));
    CHECK(sums == right_sums());
  });
}

void a_missing_barrier_is_found() {
  int wrong = 0;
  in_several_orders(20, [&](int) {
    std::vector<std::uint32_t> sums;
    CHECK_CUDA(run_block_sum<Mistake::kNoBarrier>(&sums));
    wrong += sums != right_sums() ? 1 : 0;
  });
  CHECK(wrong == 20);
}

// Runs in a process of its own, which the sanitizer ends.
void an_off_by_one_is_found() {
#ifdef FASTVBENCH_SHIM_ASAN
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    std::vector<std::uint32_t> sums;
    run_block_sum<Mistake::kOffByOne>(&sums);
    _exit(0);
  }
  close(ends[1]);
  std::string report;
  char text[4096];
  for (ssize_t got; (got = read(ends[0], text, sizeof text)) > 0;) {
    report.append(text, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(!(WIFEXITED(status) && WEXITSTATUS(status) == 0));
  CHECK(report.find("heap-buffer-overflow") != std::string::npos);
  CHECK(report.find("READ of size 4") != std::string::npos);
#else
  std::fprintf(stderr,
               "built without AddressSanitizer: the planted off-by-one was not looked for\n");
#endif
}

template <Mistake kMistake>
void is_reported_as(const char* text) {
  in_several_orders(5, [&](int) {
    std::vector<std::uint32_t> sums;
    const CudaStatus status = run_block_sum<kMistake>(&sums);
    CHECK(!status.ok());
    CHECK(std::strstr(status.message, text) != nullptr);
    CHECK(std::strstr(status.call, "block_sum") != nullptr);
  });
}

FASTVBENCH_KERNEL(warp_operations)(std::int64_t* out) {
  const std::int32_t lane = lane_index();
  std::int64_t* mine = out + 8 * thread_index();
  mine[0] = shuffle_xor(std::int64_t{1} << lane, 5);
  mine[1] = shuffle_down(lane, 3);
  mine[2] = shuffle(10 * lane, 7);
  mine[3] = ballot(lane % 3 == 0);
  mine[4] = (any(lane == 31) ? 1 : 0) + (all(lane < 31) ? 2 : 0) + (all(lane < 32) ? 4 : 0);
  mine[5] = bit_count(0xF0F0u) + 100 * lowest_bit(0x50u) + 10000 * leading_zeros(0x00FFu);
  sync_warp();
  mine[6] = dot4(0x80FF017Fu, 0x80027F7Fu, -1);
  mine[7] = warp_index() + 10 * thread_count();
}

void warp_operations_give_what_a_device_gives() {
  in_several_orders(5, [](int) {
    DeviceBuffer<std::int64_t> out = device_array<std::int64_t>(64 * 8);
    CHECK_CUDA(FASTVBENCH_LAUNCH(warp_operations, 1, 64, 0, nullptr, out.data()));
    const std::vector<std::int64_t> values = to_host(out);
    for (int thread = 0; thread < 64; ++thread) {
      const int lane = thread % 32;
      const std::int64_t* mine = values.data() + 8 * thread;
      CHECK(mine[0] == std::int64_t{1} << (lane ^ 5));
      CHECK(mine[1] == (lane + 3 < 32 ? lane + 3 : lane));
      CHECK(mine[2] == 70);
      CHECK(mine[3] == 0x49249249);
      CHECK(mine[4] == 5);
      CHECK(mine[5] == 8 + 400 + 240000);
      CHECK(mine[6] == 16384 - 2 + 127 + 16129 - 1);
      CHECK(mine[7] == thread / 32 + 640);
    }
  });
}

FASTVBENCH_KERNEL(divergent_warp)(std::int32_t* out) {
  if (lane_index() < 16) {
    out[thread_index()] = shuffle_xor(lane_index(), 1);
  } else {
    out[thread_index()] = shuffle_xor(lane_index(), 2);
  }
}

FASTVBENCH_KERNEL(absent_lane)(std::int32_t* out) {
  if (lane_index() == 9) return;
  out[thread_index()] = shuffle_xor(lane_index(), 1);
}

void lanes_that_stay_away_are_reported() {
  in_several_orders(5, [](int) {
    DeviceBuffer<std::int32_t> out = device_array<std::int32_t>(32);
    CudaStatus status = FASTVBENCH_LAUNCH(divergent_warp, 1, 32, 0, nullptr, out.data());
    CHECK(!status.ok() && std::strstr(status.message, "divergent warp") != nullptr);
    status = FASTVBENCH_LAUNCH(absent_lane, 1, 32, 0, nullptr, out.data());
    CHECK(!status.ok() &&
          std::strstr(status.message, "deadlock: 31 threads at shuffle") != nullptr);
    CHECK(!status.ok() &&
          std::strstr(status.message, "1 threads returned, the first is 9") != nullptr);
    status = FASTVBENCH_LAUNCH(absent_lane, 1, 31, 0, nullptr, out.data());
    CHECK(!status.ok() && std::strstr(status.message, "fewer than 32") != nullptr);
  });
}

FASTVBENCH_KERNEL(multiply_tile)
(const std::int8_t* a, const std::int8_t* b, std::int32_t* d) {
  const std::int32_t group = lane_index() / 4;
  const std::int32_t member = lane_index() % 4;
  std::uint32_t a_words[4], b_words[2];
  for (int i = 0; i < 4; ++i) {
    std::memcpy(&a_words[i], a + 32 * (group + 8 * (i % 2)) + 4 * member + 16 * (i / 2), 4);
  }
  for (int i = 0; i < 2; ++i) std::memcpy(&b_words[i], b + 32 * group + 4 * member + 16 * i, 4);
  std::int32_t sums[4];
  for (int i = 0; i < 4; ++i) sums[i] = 1000 * i;
  mma_m16n8k32_s8(sums, a_words, b_words);
  for (int i = 0; i < 4; ++i) d[8 * (group + 8 * (i / 2)) + 2 * member + i % 2] = sums[i];
}

// a by rows, b by columns, as lanes read them.
void mma_multiplies_tiles() {
  std::mt19937 random(7);
  std::vector<std::int8_t> a(16 * 32), b(8 * 32);
  for (std::int8_t& value : a) value = static_cast<std::int8_t>(random());
  for (std::int8_t& value : b) value = static_cast<std::int8_t>(random());
  in_several_orders(3, [&](int) {
    const DeviceBuffer<std::int8_t> left = to_device(a), right = to_device(b);
    DeviceBuffer<std::int32_t> d = device_array<std::int32_t>(16 * 8);
    CHECK_CUDA(
        FASTVBENCH_LAUNCH(multiply_tile, 1, 32, 0, nullptr, left.data(), right.data(), d.data()));
    const std::vector<std::int32_t> tile = to_host(d);
    for (int row = 0; row < 16; ++row) {
      for (int column = 0; column < 8; ++column) {
        std::int32_t sum = 1000 * (2 * (row / 8) + column % 2);
        for (int k = 0; k < 32; ++k) {
          sum += a[static_cast<std::size_t>(32 * row + k)] *
                 b[static_cast<std::size_t>(32 * column + k)];
        }
        CHECK(tile[static_cast<std::size_t>(8 * row + column)] == sum);
      }
    }
  });
}

template <typename T>
FASTVBENCH_KERNEL(atomics)(T* out) {
  const T value = static_cast<T>(block_index() * thread_count() + thread_index() + 1);
  atomic_add(out, value);
  atomic_max(out + 1, value);
  atomic_min(out + 2, value);
  atomic_or(out + 3, value);
  dynamic_shared<T>()[thread_index()] = value;
  sync_block();
  if (thread_index() == 0) atomic_add(out + 4, dynamic_shared<T>()[thread_count() - 1]);
}

template <typename T>
void atomics_count_every_thread() {
  in_several_orders(3, [](int) {
    DeviceBuffer<T> out = to_device(std::vector<T>{0, 0, 99, 0, 0});
    CHECK_CUDA(FASTVBENCH_LAUNCH(atomics<T>, Grid(3), 40, 40 * sizeof(T), nullptr, out.data()));
    CHECK(to_host(out) == (std::vector<T>{7260, 120, 1, 127, 240}));
  });
}

FASTVBENCH_KERNEL(grid_places)(std::int32_t* out) {
  atomic_add(out + block_index_y() * block_count() + block_index(), block_count_y());
}

void grids_have_two_dimensions() {
  DeviceBuffer<std::int32_t> out = to_device(std::vector<std::int32_t>(6, 0));
  CHECK_CUDA(FASTVBENCH_LAUNCH(grid_places, Grid(3, 2), 1, 0, nullptr, out.data()));
  CHECK(to_host(out) == std::vector<std::int32_t>(6, 2));
  CHECK_CUDA(FASTVBENCH_LAUNCH(grid_places, Grid(3, 0), 1, 0, nullptr, out.data()));
  CHECK(!FASTVBENCH_LAUNCH(grid_places, Grid(3, 65536), 1, 0, nullptr, out.data()).ok());
  CHECK(!FASTVBENCH_LAUNCH(grid_places, 3, 1025, 0, nullptr, out.data()).ok());
}

void a_copy_to_the_host_arrives_when_its_stream_is_done() {
  const DeviceBuffer<std::int32_t> one = to_device(std::vector<std::int32_t>{1});
  std::int32_t value = 0;
  const auto other_stream = reinterpret_cast<Stream>(std::uintptr_t{8});
  CHECK_CUDA(copy_to_host(&value, one.data(), sizeof value, other_stream));
  CHECK_CUDA(synchronize(nullptr));
  CHECK(value == 0);
  CHECK_CUDA(synchronize(other_stream));
  CHECK(value == 1);
}

}  // namespace
}  // namespace cuda
}  // namespace fastvbench

int main() {
  using namespace fastvbench::cuda;  // NOLINT
  a_right_kernel_gives_the_same_in_every_order();
  a_missing_barrier_is_found();
  an_off_by_one_is_found();
  is_reported_as<Mistake::kBarrierInBranch>("sync_block");
  is_reported_as<Mistake::kTwoBarriers>("divergent barrier");
  is_reported_as<Mistake::kReturnBeforeBarrier>("1 threads returned, the first is 70");
  warp_operations_give_what_a_device_gives();
  lanes_that_stay_away_are_reported();
  mma_multiplies_tiles();
  atomics_count_every_thread<std::int32_t>();
  atomics_count_every_thread<std::uint32_t>();
  atomics_count_every_thread<std::int64_t>();
  atomics_count_every_thread<std::uint64_t>();
  grids_have_two_dimensions();
  a_copy_to_the_host_arrives_when_its_stream_is_done();
  return failure_count() != 0;
}
