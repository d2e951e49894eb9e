#include "interval/kernels.h"

#include "fastvbench/cpu_level.h"

namespace fastvbench {
namespace {

#define FASTVBENCH_INTERVAL_TABLE(level) \
  {&level::temporal_iou_block, &level::set_iou_rows, &level::match_rows, &level::iou_with_each}

constexpr IntervalKernels kTables[] = {
    FASTVBENCH_INTERVAL_TABLE(level_scalar),
#ifdef FASTVBENCH_X86_LEVELS
    FASTVBENCH_INTERVAL_TABLE(level_avx2),
    FASTVBENCH_INTERVAL_TABLE(level_avx512),
#endif
};
#undef FASTVBENCH_INTERVAL_TABLE

}  // namespace

const IntervalKernels& interval_kernels() { return kTables[static_cast<int>(cpu_level())]; }

}  // namespace fastvbench
