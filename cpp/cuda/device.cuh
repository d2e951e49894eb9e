// The whole of CUDA that kernels of this project use, under names of its own.
//
// nvcc gets the real thing; any other compiler gets the shim of the tests, which runs the same
// kernel bodies as fibers on the CPU. Kernels live in kernels/*.cuh, include this and nothing of
// CUDA's, and use only what is listed here:
//
//   FASTVBENCH_KERNEL(name)(parameters) {...}               a kernel; may be a template
//   FASTVBENCH_KERNEL_BOUNDED(name, threads, blocks)(...)   the same with launch bounds
//   FASTVBENCH_DEVICE                                       an inlined function of kernels
//   FASTVBENCH_SHARED(type, name, size)                     static shared array, uninitialised
//   dynamic_shared<T>()                                     the launch's dynamic shared array
//   FASTVBENCH_LAUNCH(kernel, grid, threads, dynamic_shared_bytes, stream, arguments...)
//                                                           -> CudaStatus; a template with commas
//                                                           in parentheses: (kernel<A, B>)
//   block_index block_count block_index_y block_count_y thread_index thread_count
//   warp_index lane_index                                   threads are one-dimensional
//   sync_block sync_warp                                    every thread of the block, of the warp
//   shuffle shuffle_xor shuffle_down ballot any all         all 32 lanes take part, always
//   atomic_add atomic_max atomic_min atomic_or              (u)int32, (u)int64; give what was there
//   dot4 mma_m16n8k32_s8                                    int8 products, exact in int32
//   bit_count lowest_bit leading_zeros                      of 32-bit words
//   Words4 load_words4 store_words4                         16 bytes at an address divisible by 16
//   FASTVBENCH_UNROLL                                       before a loop
//
// A kernel with warp operations has a multiple of 32 threads, and no lane returns before them. No
// thread returns before a sync_block of the others.
#pragma once

#include <cstdint>

#include "device_constants.h"
#include "fastvbench/host_device.h"
#include "runtime.h"

#ifndef __CUDACC__

#include "shim/device_shim.h"

#else

#include <cuda_runtime.h>

#define FASTVBENCH_DEVICE __device__ __forceinline__
#define FASTVBENCH_KERNEL(name) __global__ void name
#define FASTVBENCH_KERNEL_BOUNDED(name, threads, blocks) \
  __global__ void __launch_bounds__(threads, blocks) name
#define FASTVBENCH_SHARED(type, name, size) __shared__ type name[size]
#define FASTVBENCH_UNROLL _Pragma("unroll")
#define FASTVBENCH_LAUNCH(kernel, ...) ::fastvbench::cuda::launch(#kernel, kernel, __VA_ARGS__)

namespace fastvbench {
namespace cuda {

FASTVBENCH_DEVICE std::int32_t block_index() { return static_cast<std::int32_t>(blockIdx.x); }
FASTVBENCH_DEVICE std::int32_t block_count() { return static_cast<std::int32_t>(gridDim.x); }
FASTVBENCH_DEVICE std::int32_t block_index_y() { return static_cast<std::int32_t>(blockIdx.y); }
FASTVBENCH_DEVICE std::int32_t block_count_y() { return static_cast<std::int32_t>(gridDim.y); }
FASTVBENCH_DEVICE std::int32_t thread_index() { return static_cast<std::int32_t>(threadIdx.x); }
FASTVBENCH_DEVICE std::int32_t thread_count() { return static_cast<std::int32_t>(blockDim.x); }
FASTVBENCH_DEVICE std::int32_t lane_index() { return thread_index() % kWarpSize; }

FASTVBENCH_DEVICE void sync_block() { __syncthreads(); }
FASTVBENCH_DEVICE void sync_warp() { __syncwarp(); }

// T has 4 or 8 bytes.
template <typename T>
FASTVBENCH_DEVICE T shuffle(T value, std::int32_t lane) {
  return __shfl_sync(kAllLanes, value, lane);
}
template <typename T>
FASTVBENCH_DEVICE T shuffle_xor(T value, std::int32_t mask) {
  return __shfl_xor_sync(kAllLanes, value, mask);
}
/// Lanes without a partner keep their own value.
template <typename T>
FASTVBENCH_DEVICE T shuffle_down(T value, std::int32_t distance) {
  return __shfl_down_sync(kAllLanes, value, static_cast<unsigned>(distance));
}
FASTVBENCH_DEVICE std::uint32_t ballot(bool condition) {
  return __ballot_sync(kAllLanes, condition);
}
FASTVBENCH_DEVICE bool any(bool condition) { return __any_sync(kAllLanes, condition) != 0; }
FASTVBENCH_DEVICE bool all(bool condition) { return __all_sync(kAllLanes, condition) != 0; }

// CUDA's own functions take (unsigned) int and (unsigned) long long.
static_assert(sizeof(long long) == sizeof(std::int64_t), "64-bit atomics are on long long");
#define FASTVBENCH_ATOMIC(name, type, cuda_name, cuda_type)                             \
  FASTVBENCH_DEVICE type name(type* place, type value) {                                \
    return static_cast<type>(                                                           \
        cuda_name(reinterpret_cast<cuda_type*>(place), static_cast<cuda_type>(value))); \
  }
FASTVBENCH_ATOMIC(atomic_add, std::int32_t, atomicAdd, int)
FASTVBENCH_ATOMIC(atomic_add, std::uint32_t, atomicAdd, unsigned)
FASTVBENCH_ATOMIC(atomic_add, std::int64_t, atomicAdd, unsigned long long)
FASTVBENCH_ATOMIC(atomic_add, std::uint64_t, atomicAdd, unsigned long long)
FASTVBENCH_ATOMIC(atomic_max, std::int32_t, atomicMax, int)
FASTVBENCH_ATOMIC(atomic_max, std::uint32_t, atomicMax, unsigned)
FASTVBENCH_ATOMIC(atomic_max, std::int64_t, atomicMax, long long)
FASTVBENCH_ATOMIC(atomic_max, std::uint64_t, atomicMax, unsigned long long)
FASTVBENCH_ATOMIC(atomic_min, std::int32_t, atomicMin, int)
FASTVBENCH_ATOMIC(atomic_min, std::uint32_t, atomicMin, unsigned)
FASTVBENCH_ATOMIC(atomic_min, std::int64_t, atomicMin, long long)
FASTVBENCH_ATOMIC(atomic_min, std::uint64_t, atomicMin, unsigned long long)
FASTVBENCH_ATOMIC(atomic_or, std::int32_t, atomicOr, int)
FASTVBENCH_ATOMIC(atomic_or, std::uint32_t, atomicOr, unsigned)
FASTVBENCH_ATOMIC(atomic_or, std::int64_t, atomicOr, unsigned long long)
FASTVBENCH_ATOMIC(atomic_or, std::uint64_t, atomicOr, unsigned long long)
#undef FASTVBENCH_ATOMIC

/// sum + the four products of signed bytes.
FASTVBENCH_DEVICE std::int32_t dot4(std::uint32_t a, std::uint32_t b, std::int32_t sum) {
  return __dp4a(static_cast<int>(a), static_cast<int>(b), sum);
}

/// d += a * b of a whole warp: a is 16 x 32, b 32 x 8, d 16 x 8. With g = lane / 4 and t = lane %
/// 4, a word holds four consecutive k: a = rows g, g + 8, g, g + 8 at k = 4 t, 4 t, 4 t + 16, 4 t +
/// 16; b = column g at k = 4 t, 4 t + 16; d = rows g, g, g + 8, g + 8 at columns 2 t, 2 t + 1 by
/// turns.
FASTVBENCH_DEVICE void mma_m16n8k32_s8(std::int32_t (&d)[4], const std::uint32_t (&a)[4],
                                       const std::uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

FASTVBENCH_DEVICE std::int32_t bit_count(std::uint32_t word) { return __popc(word); }
/// Position of the lowest 1; `word` is not 0.
FASTVBENCH_DEVICE std::int32_t lowest_bit(std::uint32_t word) {
  return __ffs(static_cast<int>(word)) - 1;
}
/// 32 where `word` is 0.
FASTVBENCH_DEVICE std::int32_t leading_zeros(std::uint32_t word) {
  return __clz(static_cast<int>(word));
}

FASTVBENCH_DEVICE Words4 load_words4(const void* from) {
  const uint4 words = *static_cast<const uint4*>(from);
  return {{words.x, words.y, words.z, words.w}};
}
FASTVBENCH_DEVICE void store_words4(void* to, const Words4& words) {
  *static_cast<uint4*>(to) = make_uint4(words.word[0], words.word[1], words.word[2], words.word[3]);
}

template <typename T>
FASTVBENCH_DEVICE T* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char fastvbench_dynamic_shared[];
  return reinterpret_cast<T*>(fastvbench_dynamic_shared);
}

/// Use FASTVBENCH_LAUNCH. Arguments are converted to the kernel's own types first.
template <typename... Parameters, typename... Arguments>
CudaStatus launch(const char* name, void (*kernel)(Parameters...), Grid grid, std::int32_t threads,
                  std::int64_t dynamic_shared_bytes, Stream stream, Arguments... arguments) {
  constexpr std::int64_t kBytesWithoutAsking = 48 * 1024;
  if (grid.is_empty()) return {};
  if (!grid.fits()) return {CudaStatus::kInvalidValue, name, "the grid is too large"};
  if (dynamic_shared_bytes > kBytesWithoutAsking) {
    const cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(dynamic_shared_bytes));
    if (error != cudaSuccess) {
      return {static_cast<std::int32_t>(error), name, cudaGetErrorString(error)};
    }
  }
  const dim3 blocks(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y));
  const auto block_threads = static_cast<unsigned>(threads);
  const auto shared_bytes = static_cast<std::size_t>(dynamic_shared_bytes);
  // clang-format off
  kernel<<<blocks, block_threads, shared_bytes, stream>>>(static_cast<Parameters>(arguments)...);
  // clang-format on
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return {};
  return {static_cast<std::int32_t>(error), name, cudaGetErrorString(error)};
}

}  // namespace cuda
}  // namespace fastvbench

#endif

namespace fastvbench {
namespace cuda {

FASTVBENCH_DEVICE std::int32_t warp_index() { return thread_index() / kWarpSize; }

}  // namespace cuda
}  // namespace fastvbench
