// What every file compiled once per CPU level starts from.
// Included by *_level.cpp files and their headers only.
#pragma once

#ifdef FASTVBENCH_X86_LEVELS
#include <immintrin.h>
#endif

// A function that is no symbol of its own: the linker could keep another level's copy of one.
#define FASTVBENCH_INLINE inline __attribute__((always_inline))
