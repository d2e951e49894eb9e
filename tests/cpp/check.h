// The whole test harness: CHECK counts and reports, a test's main returns failure_count() != 0.
#pragma once

#include <cstdio>

inline int& failure_count() {
  static int count = 0;
  return count;
}

#define CHECK(condition)                                                           \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      ++failure_count();                                                           \
    }                                                                              \
  } while (false)
