// Columns that arrive by the Arrow PyCapsule protocol, borrowed without copying.
#pragma once

#include "python_support.h"
//
#include <cstdint>
#include <string>
#include <vector>

#include "arrow_abi.h"

namespace fastvbench::python {

/// Owns one column of an Arrow producer: its schema and its chunks, released with this object.
/// Takes `__arrow_c_stream__` (pyarrow ChunkedArray and polars Series offer only that) or
/// `__arrow_c_array__`.
class ArrowColumn {
 public:
  /// True where `object` offers one of the two.
  static bool offered_by(py::handle object);

  /// Raises TypeError where the producer fails; `argument` names the Python argument.
  ArrowColumn(py::handle object, const char* argument);
  ~ArrowColumn();
  ArrowColumn(const ArrowColumn&) = delete;
  ArrowColumn& operator=(const ArrowColumn&) = delete;

  const ArrowSchema& schema() const { return schema_; }
  const std::vector<ArrowArray>& chunks() const { return chunks_; }
  std::int64_t row_count() const;

 private:
  void read_stream(py::handle object, const char* argument);
  void read_array(py::handle object, const char* argument);
  void release();

  ArrowSchema schema_{};
  std::vector<ArrowArray> chunks_;
};

/// True where row `row` (relative to the chunk's own offset) of `array` is not null.
inline bool arrow_is_valid(const ArrowArray& array, std::int64_t row) {
  if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return true;
  const std::int64_t bit = array.offset + row;
  return (static_cast<const std::uint8_t*>(array.buffers[0])[bit >> 3] >> (bit & 7)) & 1;
}

}  // namespace fastvbench::python
