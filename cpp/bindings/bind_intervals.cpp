// Interval kernels: check, borrow, release the GIL, call, raise.
#include "python_support.h"
//
#include <string>

#include "fastvbench/average_precision.h"
#include "fastvbench/intervals.h"
#include "fastvbench/matching.h"
#include "interval_intake.h"

namespace fastvbench::python {
namespace {

std::string shown(double value) { return py::cast<std::string>(py::repr(py::float_(value))); }

[[noreturn]] void raise_refused(const char* name, std::int64_t row, std::int64_t place,
                                const double* pair) {
  throw py::value_error(std::string(name) + " row " + std::to_string(row) + ": interval " +
                        std::to_string(place) + " is [" + shown(pair[0]) + ", " + shown(pair[1]) +
                        "]; expected finite seconds with start <= end");
}

void raise_if_refused(const char* name, const double* pairs, std::int64_t count, std::int64_t row) {
  for (std::int64_t k = 0; k < count; ++k) {
    if (!is_valid_interval(pairs[2 * k], pairs[2 * k + 1])) {
      raise_refused(name, row, k, pairs + 2 * k);
    }
  }
}

// Names the interval that made a kernel fail; other failures are raised as everywhere.
void raise_if_failed(const Status& status, const IntervalColumn& pred, const IntervalColumn& gold) {
  if (status.code == Code::kInvalidArgument && status.row >= 0) {
    raise_if_refused("pred", pred.row(status.row), pred.count(status.row), status.row);
    raise_if_refused("gold", gold.row(status.row), gold.count(status.row), status.row);
  }
  python::raise_if_failed(status, "pred");
}

DoubleArray temporal_iou_bound(const DoubleArray& pred, const DoubleArray& gold,
                               const py::object& out, std::int64_t threads) {
  const std::int64_t count = checked_pairs(pred, "pred");
  const std::int64_t gold_count = checked_pairs(gold, "gold");
  if (count != gold_count) raise_length_mismatch(count, gold_count);
  DoubleArray result = result_array(out, count, {pred, gold});
  InterruptibleRun run(checked_threads(threads));
  Status status;
  const double* pred_pairs = pred.data();
  const double* gold_pairs = gold.data();
  double* values = result.mutable_data();
  {
    py::gil_scoped_release no_gil;
    status = temporal_iou(run.context(), pred_pairs, gold_pairs, count, values);
  }
  if (status.code == Code::kInvalidArgument) {
    raise_if_refused("pred", pred_pairs + 2 * status.row, 1, status.row);
    raise_if_refused("gold", gold_pairs + 2 * status.row, 1, status.row);
  }
  python::raise_if_failed(status, "pred");
  return result;
}

DoubleArray row_iou_bound(const DoubleArray& pred_values, const OffsetArray& pred_offsets,
                          const DoubleArray& gold_values, const OffsetArray& gold_offsets,
                          std::int32_t convention, const py::object& out, std::int64_t threads) {
  const IntervalColumn pred = checked_column(pred_values, pred_offsets, "pred");
  const IntervalColumn gold = checked_column(gold_values, gold_offsets, "gold");
  if (pred.size != gold.size) raise_length_mismatch(pred.size, gold.size);
  if (convention < 0 || convention > 2) throw py::value_error("convention: expected 0, 1 or 2");
  DoubleArray result =
      result_array(out, pred.size, {pred_values, pred_offsets, gold_values, gold_offsets});
  InterruptibleRun run(checked_threads(threads));
  Status status;
  double* values = result.mutable_data();
  {
    py::gil_scoped_release no_gil;
    status = row_iou(run.context(), static_cast<IouConvention>(convention), pred, gold, values);
  }
  raise_if_failed(status, pred, gold);
  return result;
}

py::typing::Tuple<OffsetArray, OffsetArray, DoubleArray, OffsetArray> match_intervals_bound(
    const DoubleArray& pred_values, const OffsetArray& pred_offsets, const DoubleArray& gold_values,
    const OffsetArray& gold_offsets, bool greedy, double min_iou, std::int64_t threads) {
  const IntervalColumn pred = checked_column(pred_values, pred_offsets, "pred");
  const IntervalColumn gold = checked_column(gold_values, gold_offsets, "gold");
  if (pred.size != gold.size) raise_length_mismatch(pred.size, gold.size);
  if (min_iou != min_iou) throw py::value_error("min_iou=nan; expected a number");
  // As much as any matching may need; what stays unused is given back at the end.
  const std::int64_t most = most_matches(pred, gold);
  OffsetArray pred_index(most);
  OffsetArray gold_index(most);
  DoubleArray iou(most);
  OffsetArray offsets(pred.size + 1);
  const MatchedPairs pairs{pred_index.mutable_data(), gold_index.mutable_data(), iou.mutable_data(),
                           offsets.mutable_data()};
  InterruptibleRun run(checked_threads(threads));
  Status status;
  {
    py::gil_scoped_release no_gil;
    status = match_intervals(run.context(), pred, gold,
                             greedy ? MatchMethod::kGreedy : MatchMethod::kOptimal, min_iou, pairs);
  }
  raise_if_failed(status, pred, gold);
  const std::int64_t count = pairs.offsets[pred.size];
  for (const py::array& array : {py::array(pred_index), py::array(gold_index), py::array(iou)}) {
    array.attr("resize")(count, py::arg("refcheck") = false);
  }
  return py::make_tuple(pred_index, gold_index, iou, offsets);
}

DoubleArray average_precision_bound(const DoubleArray& pred_values, const OffsetArray& pred_offsets,
                                    const DoubleArray& scores, const DoubleArray& gold_values,
                                    const OffsetArray& gold_offsets, const DoubleArray& thresholds,
                                    std::int64_t threads) {
  const IntervalColumn pred = checked_column(pred_values, pred_offsets, "pred");
  const IntervalColumn gold = checked_column(gold_values, gold_offsets, "gold");
  if (pred.size != gold.size) raise_length_mismatch(pred.size, gold.size);
  if (scores.ndim() != 1 || scores.size() != pred.value_count()) {
    throw py::value_error("scores has " + std::to_string(scores.size()) + " values; expected " +
                          std::to_string(pred.value_count()) + ", one per interval of pred");
  }
  DoubleArray result({thresholds.size(), static_cast<py::ssize_t>(pred.size)});
  InterruptibleRun run(checked_threads(threads));
  Status status;
  double* values = result.mutable_data();
  const double* score_values = scores.data();
  const double* threshold_values = thresholds.data();
  const std::int64_t threshold_count = thresholds.size();
  {
    py::gil_scoped_release no_gil;
    status = average_precision(run.context(), pred, score_values, gold, threshold_values,
                               threshold_count, values);
  }
  raise_if_failed(status, pred, gold);
  return result;
}

double mean_bound(const DoubleArray& values) {
  if (values.ndim() != 1 || values.size() == 0) {
    throw py::value_error("values: expected a one-dimensional array that is not empty");
  }
  const double* data = values.data();
  const std::int64_t count = values.size();
  py::gil_scoped_release no_gil;
  return mean_in_blocks(data, count);
}

}  // namespace

void register_intervals(py::module_& module) {
  const auto pred = py::arg("pred").noconvert();
  const auto gold = py::arg("gold").noconvert();
  const auto pred_values = py::arg("pred_values").noconvert();
  const auto pred_offsets = py::arg("pred_offsets").noconvert();
  const auto gold_values = py::arg("gold_values").noconvert();
  const auto gold_offsets = py::arg("gold_offsets").noconvert();
  module.def("temporal_iou", &temporal_iou_bound, pred, gold, py::arg("out") = py::none(),
             py::arg("threads") = 0, "IoU of one pair of intervals per row.");
  module.def("row_iou", &row_iou_bound, pred_values, pred_offsets, gold_values, gold_offsets,
             py::arg("convention"), py::arg("out") = py::none(), py::arg("threads") = 0,
             "IoU per row by convention: 0 union, 1 first, 2 best.");
  module.def("match_intervals", &match_intervals_bound, pred_values, pred_offsets, gold_values,
             gold_offsets, py::arg("greedy"), py::arg("min_iou"), py::arg("threads") = 0,
             "Indices, IoUs and row offsets of matched pairs.");
  module.def("average_precision", &average_precision_bound, pred_values, pred_offsets,
             py::arg("scores").noconvert(), gold_values, gold_offsets,
             py::arg("thresholds").noconvert(), py::arg("threads") = 0,
             "Average precision per threshold and row.");
  module.def("mean_in_blocks", &mean_bound, py::arg("values").noconvert(),
             "Mean by sums of 1024 values, then of those sums.");
  module.def("intervals_from_arrow", &intervals_from_arrow, py::arg("obj"), py::arg("name"),
             "Values, offsets and which rows are null of an Arrow column of interval lists.");
}

}  // namespace fastvbench::python
