#include "embedding_intake.h"

#include <string>

namespace fastvbench::python {
EmbeddingRows checked_embeddings(const py::array& array, std::int32_t element_type,
                                 const char* name) {
  if (element_type < 0 || element_type > 2) {
    throw py::value_error("element_type=" + std::to_string(element_type) + "; expected 0, 1 or 2");
  }
  const auto type = static_cast<ElementType>(element_type);
  const bool is_right_type = type == ElementType::kFloat32
                                 ? py::isinstance<py::array_t<float>>(array)
                                 : py::isinstance<py::array_t<std::uint16_t>>(array);
  if (!is_right_type) {
    throw py::type_error(std::string(name) + ": the array's type is not the one named");
  }
  if (array.ndim() != 2 || (array.flags() & py::array::c_style) == 0) {
    throw py::value_error(std::string(name) + ": expected a contiguous two-dimensional array");
  }
  return {array.data(), array.shape(0), array.shape(1), type};
}

void raise_if_faulty(const RunContext& context, const EmbeddingRows& rows, Similarity similarity,
                     const char* name) {
  Buffer<std::uint8_t> faults;
  if (!faults.resize(rows.count)) throw std::bad_alloc();
  std::int64_t fault_count = 0;
  Status status;
  {
    py::gil_scoped_release no_gil;
    status = find_faults(context, rows, similarity, faults.data(), &fault_count);
  }
  raise_if_failed(status, name);
  raise_for_faults(faults.data(), rows.count, fault_count, name);
}

}  // namespace fastvbench::python
