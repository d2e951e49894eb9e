// Which instruction sets this process uses. Files named *_level.cpp are compiled once per level.
#pragma once

namespace fastvbench {

enum class CpuLevel : int {
  kScalar = 0,  // what every CPU of the architecture has
  kAvx2 = 1,    // AVX2 and FMA present (products are never fused: see README)
  kAvx512 = 2,  // AVX-512 F, BW, DQ, VL, VNNI
};
constexpr int kCpuLevelCount = 3;

/// The highest level that this CPU and operating system can run.
CpuLevel best_cpu_level();

/// The level in use: the best one, or the one named by FASTVBENCH_CPU_LEVEL (scalar, avx2, avx512)
/// where that names a level this machine has. Read once, on first use.
CpuLevel cpu_level();

/// Chooses a level for the whole process. False, with nothing changed, where the machine lacks it.
bool set_cpu_level(CpuLevel level);

const char* cpu_level_name(CpuLevel level);

/// Level for a name, or -1.
int cpu_level_from_name(const char* name);

/// True where FASTVBENCH_CPU_LEVEL was set to something that is no level of this machine.
bool cpu_level_request_refused();

}  // namespace fastvbench
