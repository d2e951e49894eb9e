// The loops of this room that exist once per CPU level, and the table that picks a level's.
#pragma once

#include <cstdint>

namespace fastvbench {

struct SearchKernels {
  /// out[i] = dot64(a[i], b[i]).
  void (*dot64_pairs)(const float* const* a, const float* const* b, std::int64_t count,
                      std::int64_t dimension, double* out);
  void (*widen_halves)(const std::uint16_t* from, std::int64_t count, float* to);
  void (*widen_brain_floats)(const std::uint16_t* from, std::int64_t count, float* to);
};

/// The table of the CPU level in use.
const SearchKernels& search_kernels();

#define FASTVBENCH_DECLARE_SEARCH_LEVEL(level)                                       \
  namespace level {                                                                  \
  void dot64_pairs(const float* const* a, const float* const* b, std::int64_t count, \
                   std::int64_t dimension, double* out);                             \
  void widen_halves(const std::uint16_t* from, std::int64_t count, float* to);       \
  void widen_brain_floats(const std::uint16_t* from, std::int64_t count, float* to); \
  }
FASTVBENCH_DECLARE_SEARCH_LEVEL(level_scalar)
#ifdef FASTVBENCH_X86_LEVELS
FASTVBENCH_DECLARE_SEARCH_LEVEL(level_avx2)
FASTVBENCH_DECLARE_SEARCH_LEVEL(level_avx512)
#endif
#undef FASTVBENCH_DECLARE_SEARCH_LEVEL

}  // namespace fastvbench
