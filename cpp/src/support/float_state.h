// The floating-point state that sums are defined in: round to nearest, subnormal numbers kept.
#pragma once

#ifdef FASTVBENCH_X86_LEVELS
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace fastvbench {

/// Holds that state as long as it lives, then gives the caller's thread its own back. Libraries
/// that flush subnormals on their caller's thread would else change sums, and on that thread only.
class DefaultFloatState {
 public:
#ifdef FASTVBENCH_X86_LEVELS
  // The standard's own calls would save the x87 unit too, which takes thirty times as long.
  DefaultFloatState() : callers_(_mm_getcsr()) { _mm_setcsr(kDefault); }
  ~DefaultFloatState() { _mm_setcsr(callers_); }
#else
  DefaultFloatState() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatState() { std::fesetenv(&callers_); }
#endif
  DefaultFloatState(const DefaultFloatState&) = delete;
  DefaultFloatState& operator=(const DefaultFloatState&) = delete;

 private:
#ifdef FASTVBENCH_X86_LEVELS
  static constexpr unsigned kDefault = 0x1F80;  // all exceptions masked, nothing else
  unsigned callers_;
#else
  std::fenv_t callers_;
#endif
};

}  // namespace fastvbench
