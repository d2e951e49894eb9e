#include "search/kernels.h"

#include "fastvbench/cpu_level.h"

namespace fastvbench {
namespace {

#define FASTVBENCH_SEARCH_TABLE(level) \
  {&level::dot64_pairs, &level::widen_halves, &level::widen_brain_floats}

constexpr SearchKernels kTables[] = {
    FASTVBENCH_SEARCH_TABLE(level_scalar),
#ifdef FASTVBENCH_X86_LEVELS
    FASTVBENCH_SEARCH_TABLE(level_avx2),
    FASTVBENCH_SEARCH_TABLE(level_avx512),
#endif
};
#undef FASTVBENCH_SEARCH_TABLE

}  // namespace

const SearchKernels& search_kernels() { return kTables[static_cast<int>(cpu_level())]; }

}  // namespace fastvbench
