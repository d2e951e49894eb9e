// Turns what CUDA's runtime returns into a CudaStatus; included where its header is.
#pragma once

#include <cuda_runtime_api.h>

#include "runtime.h"

namespace fastvbench {
namespace cuda {

inline CudaStatus checked(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return {};
  // It is remembered as the thread's last error too, where the next launch would find it.
  static_cast<void>(cudaGetLastError());
  return {static_cast<std::int32_t>(error), call, cudaGetErrorString(error)};
}

/// Returns from the calling function where a call of the runtime failed.
#define FASTVBENCH_CUDA_CHECK(call) FASTVBENCH_CUDA_TRY(::fastvbench::cuda::checked(call, #call))

}  // namespace cuda
}  // namespace fastvbench
