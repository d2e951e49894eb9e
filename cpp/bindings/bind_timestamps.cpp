// Model text to time intervals: borrow the texts, release the GIL, call, hand the columns over.
#include "python_support.h"
//
#include <string>

#include "fastvbench/timestamps.h"
#include "text_intake.h"

namespace fastvbench::python {
namespace {

using DurationArray = py::array_t<double, py::array::c_style | py::array::forcecast>;

py::typing::Tuple<py::array_t<double>, py::array_t<std::int64_t>, py::array_t<std::uint8_t>,
                  py::array_t<std::uint16_t>, py::array_t<std::int64_t>>
parse_timestamps_bound(const py::object& texts, const py::object& durations, std::int64_t threads) {
  TextIntake intake(texts, "texts");
  const std::int64_t rows = intake.row_count();
  DurationArray duration_array;
  const double* duration_values = nullptr;
  if (!durations.is_none()) {
    duration_array = py::cast<DurationArray>(durations);
    if (duration_array.ndim() != 1 || duration_array.size() != rows) {
      throw py::value_error("durations has " + std::to_string(duration_array.size()) +
                            " values; expected " + std::to_string(rows) + ", one per text");
    }
    duration_values = duration_array.data();
  }
  InterruptibleRun run(checked_threads(threads));
  ParsedIntervals parsed;
  Status status = reserve_rows(&parsed, rows) ? Status() : Status::out_of_memory();
  if (status.ok()) {
    parsed.ends.push_back(0);  // the offsets' leading zero
    status = intake.for_each_chunk([&](const TextColumn& chunk, std::int64_t first_row) {
      const double* chunk_durations =
          duration_values != nullptr ? duration_values + first_row : nullptr;
      return parse_timestamps(chunk, chunk_durations, run.context(), &parsed);
    });
  }
  raise_if_failed(status, "texts");
  const std::int64_t intervals = parsed.flags.size();
  return py::make_tuple(to_array(std::move(parsed.values), {intervals, 2}),
                        to_array(std::move(parsed.ends), {rows + 1}),
                        to_array(std::move(parsed.statuses), {rows}),
                        to_array(std::move(parsed.flags), {intervals}),
                        to_array(std::move(parsed.spans), {intervals, 2}));
}

}  // namespace

void register_timestamps(py::module_& module) {
  module.def("parse_timestamps", &parse_timestamps_bound, py::arg("texts"), py::arg("durations"),
             py::arg("threads"),
             "Values, offsets, statuses, flags and byte spans of the intervals in a text column.");
}

}  // namespace fastvbench::python
