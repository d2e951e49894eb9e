#include "fastvbench/cpu_level.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <cpuid.h>
#endif

namespace fastvbench {
namespace {

constexpr const char* kNames[kCpuLevelCount] = {"scalar", "avx2", "avx512"};

// -1: not decided yet. Racing first uses decide the same value, so plain loads and stores do.
std::atomic<int> chosen_level{-1};
std::atomic<bool> request_refused{false};

int decide() {
  const int best = static_cast<int>(best_cpu_level());
  const char* wanted = std::getenv("FASTVBENCH_CPU_LEVEL");
  if (wanted == nullptr || *wanted == '\0') return best;
  const int level = cpu_level_from_name(wanted);
  if (level >= 0 && level <= best) return level;
  request_refused.store(true);
  return best;
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
// Clang before 15 does not know this one by name. Whether the system keeps its registers is AVX's
// question, which __builtin_cpu_supports answers.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

}  // namespace

CpuLevel best_cpu_level() {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  __builtin_cpu_init();
  // These builtins return a mask, not a bool: compare each with zero.
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                    __builtin_cpu_supports("bmi2") != 0 && has_f16c();
  const bool avx512 =
      avx2 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
      __builtin_cpu_supports("avx512vnni") != 0;
  if (avx512) return CpuLevel::kAvx512;
  if (avx2) return CpuLevel::kAvx2;
#endif
  return CpuLevel::kScalar;
}

CpuLevel cpu_level() {
  int level = chosen_level.load(std::memory_order_relaxed);
  if (level < 0) {
    level = decide();
    chosen_level.store(level, std::memory_order_relaxed);
  }
  return static_cast<CpuLevel>(level);
}

bool set_cpu_level(CpuLevel level) {
  if (static_cast<int>(level) > static_cast<int>(best_cpu_level())) return false;
  chosen_level.store(static_cast<int>(level), std::memory_order_relaxed);
  return true;
}

const char* cpu_level_name(CpuLevel level) { return kNames[static_cast<int>(level)]; }

int cpu_level_from_name(const char* name) {
  for (int i = 0; i < kCpuLevelCount; ++i) {
    if (std::strcmp(name, kNames[i]) == 0) return i;
  }
  return -1;
}

bool cpu_level_request_refused() {
  cpu_level();
  return request_refused.load();
}

}  // namespace fastvbench
