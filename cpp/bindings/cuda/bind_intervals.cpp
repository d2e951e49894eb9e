// Interval kernels on a device: check, borrow, release the GIL, call, raise.
#include "cuda/device_array.h"
//
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

[[noreturn]] void raise_refused(std::int64_t row) {
  throw py::value_error("row " + std::to_string(row) +
                        " of pred or gold has an interval that is not finite seconds with start "
                        "<= end; expected none");
}

DeviceArray temporal_iou_bound(const DeviceArray& pred, const DeviceArray& gold,
                               const CallerStreamHandle& stream) {
  constexpr const char* kCall = "temporal_iou(pred, gold)";
  const double* pred_pairs = checked_pairs(pred, "pred");
  const double* gold_pairs = checked_pairs(gold, "gold");
  const std::int64_t count = pred.shape()[0];
  if (count != gold.shape()[0]) {
    throw py::value_error("pred has " + std::to_string(count) + " rows and gold has " +
                          std::to_string(gold.shape()[0]) + "; expected the same number");
  }
  const ArrayScope scope(pred, kCall);
  DeviceArray result = DeviceArray::make(DeviceType::kFloat64, {count}, stream);
  cuda::Refusals refused;
  cuda::CudaStatus status;
  {
    py::gil_scoped_release no_gil;
    status = result.allocate(pred.device());
    if (status.ok()) {
      status = cuda::temporal_iou(pred_pairs, gold_pairs, count,
                                  static_cast<double*>(result.data()), stream->get(), &refused);
    }
  }
  raise_if_failed(status, kCall);
  if (refused.interval_row >= 0) raise_refused(refused.interval_row);
  return result;
}

}  // namespace

void register_device_intervals(py::module_& module) {
  module.def("temporal_iou", &temporal_iou_bound, py::arg("pred"), py::arg("gold"),
             py::arg("stream"), "IoU of one pair of intervals per row; waits for the stream.");
}

}  // namespace fastvbench::python
