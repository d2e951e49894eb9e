// Marks functions that the CUDA compiler builds for both sides.
#pragma once

#ifdef __CUDACC__
#define FASTVBENCH_HOST_DEVICE __host__ __device__
#define FASTVBENCH_HOST_DEVICE_INLINE __host__ __device__ __forceinline__
#else
#define FASTVBENCH_HOST_DEVICE
/// Never emitted on its own, so a CPU level can use it without another level's copy being linked.
#define FASTVBENCH_HOST_DEVICE_INLINE inline __attribute__((always_inline))
#endif
