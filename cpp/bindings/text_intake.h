// Text columns from Python: list[str | None] or any Arrow string column, handed to a kernel in
// chunks without copying a byte.
#pragma once

#include "python_support.h"
//
#include <cstdint>
#include <memory>
#include <vector>

#include "arrow_intake.h"
#include "fastvbench/text_column.h"

namespace fastvbench::python {

/// Borrows `object` for the length of one bound call.
///
/// A list is walked 65,536 rows at a time: pointers are gathered under the GIL into one small
/// array that stays in cache, each string is kept alive, then the kernel runs without the GIL. A
/// whole-column gather would touch 16 fresh bytes a row, which costs more than parsing short rows.
class TextIntake {
 public:
  static constexpr std::int64_t kChunkRows = 65536;

  /// Raises TypeError for anything but a list, a tuple or an Arrow column of strings.
  TextIntake(py::handle object, const char* argument);

  std::int64_t row_count() const { return row_count_; }

  /// Calls `kernel(const TextColumn& chunk, int64 first_row) -> Status` for each chunk in order,
  /// without the GIL, until one fails.
  template <typename Kernel>
  Status for_each_chunk(Kernel&& kernel) {
    std::int64_t first_row = 0;
    if (arrow_ != nullptr) {
      py::gil_scoped_release no_gil;
      for (const ArrowArray& chunk : arrow_->chunks()) {
        const TextColumn column{accessor_, &chunk, chunk.length};
        const Status status = kernel(column, first_row);
        if (!status.ok()) return status;
        first_row += chunk.length;
      }
      return Status();
    }
    while (first_row < row_count_) {
      const std::int64_t rows = gather(first_row);
      Status status;
      {
        py::gil_scoped_release no_gil;
        status = kernel(TextColumn::of(views_.data(), rows), first_row);
      }
      drop_references();
      if (!status.ok()) return status;
      first_row += rows;
    }
    return Status();
  }

  ~TextIntake() { drop_references(); }
  TextIntake(const TextIntake&) = delete;
  TextIntake& operator=(const TextIntake&) = delete;

 private:
  std::int64_t gather(std::int64_t first_row);
  TextView view_of(PyObject* text, std::int64_t row);
  void drop_references();

  const char* argument_;
  std::int64_t row_count_ = 0;
  py::object sequence_;          // list or tuple
  std::vector<TextView> views_;  // of the current chunk
  std::vector<PyObject*> held_;  // strong references that keep those views alive
  std::unique_ptr<ArrowColumn> arrow_;
  TextView (*accessor_)(const void* chunk, std::int64_t row) = nullptr;
};

/// Accessor for one chunk of an Arrow string column (utf8, large_utf8, string_view), or null where
/// the format is none of them. `source` of the TextColumn is the ArrowArray.
using ArrowTextAccessor = TextView (*)(const void* chunk, std::int64_t row);
ArrowTextAccessor arrow_text_accessor(const char* format);

}  // namespace fastvbench::python
