#include "search/kernels.h"

#include "fastvbench/cpu_level.h"

namespace fastvbench {
namespace {

#define FASTVBENCH_BY_QUERY_COUNT(scan, width)                                            \
  {nullptr,          &scan<width, 1>,  &scan<width, 2>, &scan<width, 3>, &scan<width, 4>, \
   &scan<width, 5>,  &scan<width, 6>,  &scan<width, 7>, &scan<width, 8>, &scan<width, 9>, \
   &scan<width, 10>, &scan<width, 11>, &scan<width, 12>}
#define FASTVBENCH_SEARCH_TABLE(level, code_limit)                 \
  {&level::dot64_pairs,                                            \
   &level::dot32_rows,                                             \
   &level::widen_halves,                                           \
   &level::widen_brain_floats,                                     \
   &level::largest_magnitude,                                      \
   &level::encode_vector,                                          \
   &level::encode_row,                                             \
   &level::interleave_codes,                                       \
   &level::interleave_rows,                                        \
   &level::append_rows,                                            \
   &level::keep_not_below,                                         \
   &level::kth_largest,                                            \
   code_limit,                                                     \
   FASTVBENCH_BY_QUERY_COUNT(level::scan_codes, CodeWidth::kByte), \
   FASTVBENCH_BY_QUERY_COUNT(level::scan_codes, CodeWidth::kWide)}

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
