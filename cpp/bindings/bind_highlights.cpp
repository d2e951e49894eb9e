// Highlight scores: check, borrow, release the GIL, call, raise.
#include "python_support.h"
//
#include <pybind11/typing.h>

#include <string>

#include "fastvbench/highlights.h"
#include "interval_intake.h"

namespace fastvbench::python {
namespace {

using GradeArray = py::array_t<std::int8_t, py::array::c_style>;

// Kernels trust the offsets: they ascend from 0 to the number of clips.
std::int64_t checked_rows(const OffsetArray& offsets, std::int64_t clip_count) {
  if (offsets.ndim() != 1 || offsets.size() == 0) {
    throw py::value_error("offsets: expected int64 [rows + 1]");
  }
  const std::int64_t rows = offsets.size() - 1;
  const std::int64_t* values = offsets.data();
  bool ascends = values[0] == 0 && values[rows] == clip_count;
  for (std::int64_t row = 0; row < rows; ++row) ascends &= values[row] <= values[row + 1];
  if (!ascends) {
    throw py::value_error("offsets: expected values that ascend from 0 to the " +
                          std::to_string(clip_count) + " clips");
  }
  return rows;
}

py::typing::Tuple<DoubleArray, DoubleArray> highlight_scores_bound(const DoubleArray& scores,
                                                                   const GradeArray& grades,
                                                                   const OffsetArray& offsets,
                                                                   const GradeArray& minimums,
                                                                   std::int64_t threads) {
  if (scores.ndim() != 1 || grades.ndim() != 2 || grades.shape(0) != scores.size()) {
    throw py::value_error("grades: expected int8 [clips, annotators] for scores float64 [clips]");
  }
  if (minimums.ndim() != 1) throw py::value_error("minimums: expected int8 [count]");
  const std::int64_t rows = checked_rows(offsets, scores.size());
  const ClipColumn clips{scores.data(), grades.data(), offsets.data(), rows,
                         static_cast<std::int32_t>(grades.shape(1))};
  DoubleArray precision({minimums.size(), static_cast<py::ssize_t>(rows)});
  DoubleArray hit({minimums.size(), static_cast<py::ssize_t>(rows)});
  InterruptibleRun run(checked_threads(threads));
  double* precision_values = precision.mutable_data();
  double* hit_values = hit.mutable_data();
  const std::int8_t* minimum_values = minimums.data();
  const std::int64_t minimum_count = minimums.size();
  Status status;
  {
    py::gil_scoped_release no_gil;
    status = highlight_scores(run.context(), clips, minimum_values, minimum_count, precision_values,
                              hit_values);
  }
  python::raise_if_failed(status, "scores");
  return py::make_tuple(precision, hit);
}

}  // namespace

void register_highlights(py::module_& module) {
  module.def("highlight_scores", &highlight_scores_bound, py::arg("scores").noconvert(),
             py::arg("grades").noconvert(), py::arg("offsets").noconvert(),
             py::arg("minimums").noconvert(), py::arg("threads") = 0,
             "Average precision and Hit@1 of scored clips, [minimums, rows] each.");
}

}  // namespace fastvbench::python
