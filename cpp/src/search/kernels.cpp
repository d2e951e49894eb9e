#include "search/kernels.h"

#include "fastvbench/cpu_level.h"

namespace fastvbench {
namespace {

#define FASTVBENCH_BY_QUERY_COUNT(scan)                                    \
  {nullptr,  &scan<1>, &scan<2>, &scan<3>,  &scan<4>,  &scan<5>, &scan<6>, \
   &scan<7>, &scan<8>, &scan<9>, &scan<10>, &scan<11>, &scan<12>}
#define FASTVBENCH_SEARCH_TABLE(level, code_limit) \
  {&level::dot64_pairs,                            \
   &level::widen_halves,                           \
   &level::widen_brain_floats,                     \
   &level::centre_vector,                          \
   &level::encode_vector,                          \
   &level::interleave_codes,                       \
   &level::append_rows,                            \
   &level::keep_not_below,                         \
   &level::kth_largest,                            \
   code_limit,                                     \
   FASTVBENCH_BY_QUERY_COUNT(level::scan_codes),   \
   FASTVBENCH_BY_QUERY_COUNT(level::scan_floats)}

constexpr SearchKernels kTables[] = {
    FASTVBENCH_SEARCH_TABLE(level_scalar, 127),
#ifdef FASTVBENCH_X86_LEVELS
    // Two products of uint8 and int8 are added in int16 there: 2 * 255 * 63 fits.
    FASTVBENCH_SEARCH_TABLE(level_avx2, 63),
    FASTVBENCH_SEARCH_TABLE(level_avx512, 127),
#endif
};
#undef FASTVBENCH_SEARCH_TABLE
#undef FASTVBENCH_BY_QUERY_COUNT

}  // namespace

const SearchKernels& search_kernels() { return kTables[static_cast<int>(cpu_level())]; }

}  // namespace fastvbench
