#include "row_faults.h"

#include <string>

namespace fastvbench::python {
namespace {

constexpr std::int64_t kMostNamed = 10;  // rows that a message lists

const char* fault_text(std::uint8_t fault) {
  switch (static_cast<RowFault>(fault)) {
    case RowFault::kNan:
      return "NaN";
    case RowFault::kInfinite:
      return "infinite";
    case RowFault::kZero:
      return "all zeros";
    case RowFault::kNone:
      break;
  }
  return "sound";
}

}  // namespace

void raise_for_faults(const std::uint8_t* faults, std::int64_t count, std::int64_t fault_count,
                      const char* name) {
  if (fault_count == 0) return;
  std::string rows;
  std::int64_t named = 0;
  for (std::int64_t i = 0; i < count && named < kMostNamed; ++i) {
    if (faults[i] == 0) continue;
    rows += (named == 0 ? "" : ", ") + std::to_string(i) + " (" + fault_text(faults[i]) + ")";
    ++named;
  }
  if (fault_count > named) rows += ", and " + std::to_string(fault_count - named) + " more";
  throw py::value_error(std::string(name) + ": " + std::to_string(fault_count) +
                        (fault_count == 1 ? " row" : " rows") + " cannot be ranked: " + rows +
                        "; expected finite values" + ", and for cosine at least one that is not 0");
}

}  // namespace fastvbench::python
