// The letters-only pass of parse_choice, for callers whose option texts are costly to make.
#include "text_intake.h"
//
#include <string>
#include <utility>

#include "fastvbench/choices.h"

namespace fastvbench::python {
namespace {

using Counts = py::array_t<std::int32_t, py::array::c_style>;

py::typing::Tuple<py::array_t<std::int8_t>, py::array_t<std::uint8_t>, py::array_t<std::int64_t>,
                  py::array_t<std::uint8_t>>
parse_choice_letters_bound(const py::object& texts, const Counts& counts, std::int64_t threads) {
  TextIntake intake(texts, "texts");
  const std::int64_t rows = intake.row_count();
  if (counts.ndim() != 1 || counts.shape(0) != rows) {
    throw py::value_error("counts has " + std::to_string(counts.size()) + " values; expected " +
                          std::to_string(rows) + ", one per text");
  }
  InterruptibleRun run(checked_threads(threads));
  py::array_t<std::int8_t> index(rows);
  py::array_t<std::uint8_t> status(rows);
  py::array_t<std::int64_t> spans({rows, std::int64_t{2}});
  py::array_t<std::uint8_t> needs_texts(rows);
  const ChoiceColumn out{index.mutable_data(), status.mutable_data(), spans.mutable_data()};
  std::uint8_t* const needs = needs_texts.mutable_data();
  const std::int32_t* const count_of_row = counts.data();
  const Status result = intake.for_each_chunk([&](const TextColumn& chunk, std::int64_t first_row) {
    ChoiceOptions options;
    options.counts = count_of_row + first_row;
    return parse_choice_letters(
        chunk, options, run.context(),
        {out.index + first_row, out.status + first_row, out.spans + 2 * first_row},
        needs + first_row);
  });
  raise_if_failed(result, "counts");
  return py::make_tuple(std::move(index), std::move(status), std::move(spans),
                        std::move(needs_texts));
}

}  // namespace

void register_choice_letters(py::module_& module) {
  module.def("parse_choice_letters", &parse_choice_letters_bound, py::arg("texts"),
             py::arg("counts").noconvert(), py::arg("threads"),
             "The letters-only pass of parse_choice, and which rows option texts could change.");
}

}  // namespace fastvbench::python
