// Interval kernels on a device: check, borrow, release the GIL, call, raise.
#include "cuda/device_array.h"
//
#include <optional>
#include <string>

#include "intervals.h"

namespace fastvbench::python {
namespace {

constexpr const char* kPairs = "[n, 2]: start, end";

const double* checked_pairs(const DeviceArray& values, const char* name) {
  const auto* pairs =
      static_cast<const double*>(checked_values(values, DeviceType::kFloat64, 2, name, kPairs));
  if (values.shape()[1] != 2) {
    throw py::value_error(std::string(name) + " has shape " + values.shape_text() + "; expected " +
                          kPairs);
  }
  return pairs;
}

// A column whose rows' offsets the kernels check.
cuda::DeviceColumn checked_column(const DeviceArray& values,
                                  const std::optional<DeviceArray>& offsets, const char* name) {
  const double* pairs = checked_pairs(values, name);
  const std::int64_t count = values.shape()[0];
  if (!offsets.has_value()) return {pairs, nullptr, count, count};
  const std::string offsets_name = std::string(name) + ".offsets";
  const auto* row_offsets = static_cast<const std::int64_t*>(
      checked_values(*offsets, DeviceType::kInt64, 1, offsets_name.c_str(), "[rows + 1]"));
  const std::int64_t rows = offsets->shape()[0] - 1;
  if (rows < 0) {
    throw py::value_error(offsets_name + " has shape [0]; expected [rows + 1]");
  }
  if (rows == 0 && count > 0) {
    throw py::value_error(offsets_name + " has no rows, and " + name + " has " +
                          std::to_string(count) + " intervals; expected each in a row");
  }
  return {pairs, row_offsets, rows, count};
}

void check_lengths(std::int64_t pred_rows, std::int64_t gold_rows) {
  if (pred_rows == gold_rows) return;
  throw py::value_error("pred has " + std::to_string(pred_rows) + " rows and gold has " +
                        std::to_string(gold_rows) + "; expected the same number");
}

void raise_refusals(const cuda::Refusals& refusals, std::int64_t most_intervals) {
  const auto raise_for_offsets = [](const char* name, std::int64_t row) {
    throw py::value_error(
        std::string(name) + ".offsets[" + std::to_string(row) + "] and the one " +
        "after it are no row; expected offsets that ascend from 0 to len(values)");
  };
  if (refusals.pred_offsets_row >= 0) raise_for_offsets("pred", refusals.pred_offsets_row);
  if (refusals.gold_offsets_row >= 0) raise_for_offsets("gold", refusals.gold_offsets_row);
  if (refusals.large_row >= 0) {
    throw py::value_error(
        "row " + std::to_string(refusals.large_row) + " of pred or gold has more than " +
        std::to_string(most_intervals) +
        " intervals, the most on a device; pass host arrays, which may have any number");
  }
  if (refusals.interval_row >= 0) {
    throw py::value_error("row " + std::to_string(refusals.interval_row) +
                          " of pred or gold has an interval that is refused; expected finite "
                          "seconds with start <= end");
  }
}

DeviceArray temporal_iou_bound(const DeviceArray& pred, const DeviceArray& gold,
                               const CallerStreamHandle& stream) {
  constexpr const char* kCall = "temporal_iou(pred, gold)";
  const double* pred_pairs = checked_pairs(pred, "pred");
  const double* gold_pairs = checked_pairs(gold, "gold");
  const std::int64_t count = pred.shape()[0];
  check_lengths(count, gold.shape()[0]);
  const ArrayScope scope(pred, kCall);
  DeviceArray result = DeviceArray::make(DeviceType::kFloat64, {count}, stream);
  cuda::Refusals refusals;
  cuda::CudaStatus status;
  {
    py::gil_scoped_release no_gil;
    status = result.allocate(pred.device());
    if (status.ok()) {
      status = cuda::temporal_iou(pred_pairs, gold_pairs, count,
                                  static_cast<double*>(result.data()), stream->get(), &refusals);
    }
  }
  raise_if_failed(status, kCall);
  raise_refusals(refusals, cuda::kMostRowIntervals);
  return result;
}

DeviceArray row_iou_bound(const DeviceArray& pred_values,
                          const std::optional<DeviceArray>& pred_offsets,
                          const DeviceArray& gold_values,
                          const std::optional<DeviceArray>& gold_offsets, std::int32_t convention,
                          const CallerStreamHandle& stream) {
  constexpr const char* kCall = "interval_set_iou(pred, gold)";
  const cuda::DeviceColumn pred = checked_column(pred_values, pred_offsets, "pred");
  const cuda::DeviceColumn gold = checked_column(gold_values, gold_offsets, "gold");
  check_lengths(pred.size, gold.size);
  if (convention < 0 || convention > 2) throw py::value_error("convention: expected 0, 1 or 2");
  const ArrayScope scope(pred_values, kCall);
  DeviceArray result = DeviceArray::make(DeviceType::kFloat64, {pred.size}, stream);
  cuda::Refusals refusals;
  cuda::CudaStatus status;
  {
    py::gil_scoped_release no_gil;
    status = result.allocate(pred_values.device());
    if (status.ok()) {
      status = cuda::row_iou(static_cast<IouConvention>(convention), pred, gold,
                             static_cast<double*>(result.data()), stream->get(), &refusals);
    }
  }
  raise_if_failed(status, kCall);
  raise_refusals(refusals, cuda::kMostRowIntervals);
  return result;
}

// (rows with gold, how many of them reach each threshold)
py::typing::Tuple<py::int_, py::typing::List<py::int_>> count_reached_bound(
    const DeviceArray& ious, const DeviceArray& pred_values,
    const std::optional<DeviceArray>& pred_offsets, const DeviceArray& gold_values,
    const std::optional<DeviceArray>& gold_offsets, const py::typing::List<py::float_>& thresholds,
    bool strict, const CallerStreamHandle& stream) {
  constexpr const char* kCall = "recall_at_iou(pred, gold)";
  const cuda::DeviceColumn pred = checked_column(pred_values, pred_offsets, "pred");
  const cuda::DeviceColumn gold = checked_column(gold_values, gold_offsets, "gold");
  check_lengths(pred.size, gold.size);
  const auto* values =
      static_cast<const double*>(checked_values(ious, DeviceType::kFloat64, 1, "ious", "[rows]"));
  check_lengths(ious.shape()[0], gold.size);
  std::vector<double> levels;
  for (const py::handle threshold : thresholds) levels.push_back(py::cast<double>(threshold));
  const auto level_count = static_cast<std::int64_t>(levels.size());
  std::vector<std::int64_t> reached(levels.size());
  std::int64_t rows_with_gold = 0;
  const ArrayScope scope(pred_values, kCall);
  cuda::CudaStatus status;
  {
    py::gil_scoped_release no_gil;
    status = cuda::count_reached(values, pred, gold, levels.data(), level_count, strict,
                                 stream->get(), &rows_with_gold, reached.data());
  }
  raise_if_failed(status, kCall);
  py::typing::List<py::int_> counts;
  for (const std::int64_t count : reached) counts.append(count);
  return py::make_tuple(rows_with_gold, counts);
}

py::typing::Tuple<DeviceArray, DeviceArray, DeviceArray, DeviceArray> match_intervals_bound(
    const DeviceArray& pred_values, const std::optional<DeviceArray>& pred_offsets,
    const DeviceArray& gold_values, const std::optional<DeviceArray>& gold_offsets, bool greedy,
    double min_iou, const CallerStreamHandle& stream) {
  constexpr const char* kCall = "match_intervals(pred, gold)";
  const cuda::DeviceColumn pred = checked_column(pred_values, pred_offsets, "pred");
  const cuda::DeviceColumn gold = checked_column(gold_values, gold_offsets, "gold");
  check_lengths(pred.size, gold.size);
  if (min_iou != min_iou) throw py::value_error("min_iou=nan; expected a number");
  const std::int32_t device = pred_values.device();
  const ArrayScope scope(pred_values, kCall);
  DeviceArray offsets = DeviceArray::make(DeviceType::kInt64, {pred.size + 1}, stream);
  cuda::Matching matching;
  cuda::Refusals refusals;
  cuda::CudaStatus status;
  {
    py::gil_scoped_release no_gil;
    status = offsets.allocate(device);
    if (status.ok()) {
      status =
          matching.find(greedy ? MatchMethod::kGreedy : MatchMethod::kOptimal, min_iou, pred, gold,
                        static_cast<std::int64_t*>(offsets.data()), stream->get(), &refusals);
    }
  }
  raise_if_failed(status, kCall);
  raise_refusals(refusals, cuda::kMostMatchedIntervals);
  DeviceArray pred_index = DeviceArray::make(DeviceType::kInt64, {matching.pair_count()}, stream);
  DeviceArray gold_index = DeviceArray::make(DeviceType::kInt64, {matching.pair_count()}, stream);
  DeviceArray iou = DeviceArray::make(DeviceType::kFloat64, {matching.pair_count()}, stream);
  {
    py::gil_scoped_release no_gil;
    for (DeviceArray* array : {&pred_index, &gold_index, &iou}) {
      if (status.ok()) status = array->allocate(device);
    }
    if (status.ok()) {
      status = matching.write(pred, gold, static_cast<const std::int64_t*>(offsets.data()),
                              static_cast<std::int64_t*>(pred_index.data()),
                              static_cast<std::int64_t*>(gold_index.data()),
                              static_cast<double*>(iou.data()), stream->get());
    }
  }
  raise_if_failed(status, kCall);
  return py::make_tuple(pred_index, gold_index, iou, offsets);
}

}  // namespace

void register_device_intervals(py::module_& module) {
  const auto pred_values = py::arg("pred_values");
  const auto pred_offsets = py::arg("pred_offsets");
  const auto gold_values = py::arg("gold_values");
  const auto gold_offsets = py::arg("gold_offsets");
  const auto stream = py::arg("stream");
  module.def("temporal_iou", &temporal_iou_bound, py::arg("pred"), py::arg("gold"), stream,
             "IoU of one pair of intervals per row; waits for the stream.");
  module.def("row_iou", &row_iou_bound, pred_values, pred_offsets, gold_values, gold_offsets,
             py::arg("convention"), stream,
             "IoU per row by convention: 0 union, 1 first, 2 best; waits for the stream.");
  module.def("count_reached", &count_reached_bound, py::arg("ious"), pred_values, pred_offsets,
             gold_values, gold_offsets, py::arg("thresholds"), py::arg("strict"), stream,
             "Rows with gold, and how many of them reach each threshold; waits for the stream.");
  module.def("match_intervals", &match_intervals_bound, pred_values, pred_offsets, gold_values,
             gold_offsets, py::arg("greedy"), py::arg("min_iou"), stream,
             "Indices, IoUs and row offsets of matched pairs; waits for the stream.");
}

}  // namespace fastvbench::python
