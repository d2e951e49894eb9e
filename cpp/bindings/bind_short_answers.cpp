// Short answers: spans and statuses, numbers, and texts to compare.
#include "python_support.h"
//
#include <cstdint>
#include <string>
#include <vector>

#include "fastvbench/short_answers.h"
#include "text_intake.h"

namespace fastvbench::python {
namespace {

using SpanArray = py::array_t<std::int64_t, py::array::c_style>;

// The `spans` argument: int64 [n, 2], or None for whole texts.
class SpanIntake {
 public:
  SpanIntake(const py::object& spans, std::int64_t rows) {
    if (spans.is_none()) return;
    if (!py::isinstance<SpanArray>(spans)) {
      throw py::type_error(std::string("spans: expected an int64 array [n, 2] or None, got ") +
                           Py_TYPE(spans.ptr())->tp_name);
    }
    spans_ = py::reinterpret_borrow<SpanArray>(spans);
    if (spans_.ndim() != 2 || spans_.shape(0) != rows || spans_.shape(1) != 2) {
      throw py::value_error("spans has " + std::to_string(spans_.size()) + " values; expected [" +
                            std::to_string(rows) + ", 2], one pair per text");
    }
    data_ = spans_.data();
  }
  /// The spans from this row on, null for whole texts.
  const std::int64_t* from_row(std::int64_t row) const {
    return data_ == nullptr ? nullptr : data_ + 2 * row;
  }

 private:
  SpanArray spans_;
  const std::int64_t* data_ = nullptr;
};

// A status of a chunk, its row counted from the column's first.
Status of_column(Status status, std::int64_t first_row) {
  if (!status.ok() && status.row >= 0) status.row += first_row;
  return status;
}

py::typing::Tuple<py::array_t<std::uint8_t>, py::array_t<std::int64_t>, py::array_t<std::int64_t>>
read_short_answers_bound(const py::object& texts, std::int64_t threads) {
  TextIntake intake(texts, "texts");
  const std::int64_t rows = intake.row_count();
  InterruptibleRun run(checked_threads(threads));
  py::array_t<std::uint8_t> status(rows);
  py::array_t<std::int64_t> spans({rows, std::int64_t{2}});
  py::array_t<std::int64_t> wholes({rows, std::int64_t{2}});
  const ShortAnswerColumn out{status.mutable_data(), spans.mutable_data(), wholes.mutable_data()};
  const Status result = intake.for_each_chunk([&](const TextColumn& chunk, std::int64_t first_row) {
    return read_short_answers(
        chunk, run.context(),
        {out.status + first_row, out.spans + 2 * first_row, out.wholes + 2 * first_row});
  });
  raise_if_failed(result, "texts");
  return py::make_tuple(std::move(status), std::move(spans), std::move(wholes));
}

py::typing::Tuple<py::array_t<double>, py::array_t<double>, py::array_t<std::uint8_t>,
                  py::array_t<double>, py::array_t<std::uint8_t>>
read_answer_numbers_bound(const py::object& texts, const py::object& spans, std::int64_t threads) {
  TextIntake intake(texts, "texts");
  const std::int64_t rows = intake.row_count();
  const SpanIntake span_intake(spans, rows);
  InterruptibleRun run(checked_threads(threads));
  py::array_t<double> values(rows);
  py::array_t<double> scales(rows);
  py::array_t<std::uint8_t> percents(rows);
  py::array_t<double> years(rows);
  py::array_t<std::uint8_t> several(rows);
  const AnswerNumberColumn out{values.mutable_data(), scales.mutable_data(),
                               percents.mutable_data(), years.mutable_data(),
                               several.mutable_data()};
  const Status result = intake.for_each_chunk([&](const TextColumn& chunk, std::int64_t first_row) {
    const AnswerNumberColumn part{out.values + first_row, out.scales + first_row,
                                  out.percents + first_row, out.years + first_row,
                                  out.several + first_row};
    return of_column(
        read_answer_numbers(chunk, span_intake.from_row(first_row), run.context(), part),
        first_row);
  });
  raise_if_failed(result, "spans");
  return py::make_tuple(std::move(values), std::move(scales), std::move(percents), std::move(years),
                        std::move(several));
}

// Writes a column's texts slice by slice into reused memory, then into Python strings.
class TextListWriter {
 public:
  TextListWriter(AnswerTextForm form, const SpanIntake& spans, const RunContext& context,
                 const py::list& strings)
      : form_(form), spans_(spans), context_(context), strings_(strings) {}

  // Called without the GIL.
  Status write(const TextColumn& chunk, std::int64_t first_row) {
    for (std::int64_t begin = 0; begin < chunk.size; begin += TextIntake::kChunkRows) {
      const std::int64_t left = chunk.size - begin;
      const RowSlice slice{chunk, begin};
      const TextColumn texts{&RowSlice::at, &slice,
                             left < TextIntake::kChunkRows ? left : TextIntake::kChunkRows};
      const Status status = of_column(write_slice(texts, first_row + begin), first_row + begin);
      if (!status.ok()) return status;
    }
    return Status();
  }

 private:
  struct RowSlice {
    TextColumn column;
    std::int64_t first;

    static TextView at(const void* source, std::int64_t row) {
      const auto& slice = *static_cast<const RowSlice*>(source);
      return slice.column[slice.first + row];
    }
  };

  Status write_slice(const TextColumn& texts, std::int64_t first_row) {
    if (!begins_.resize(texts.size) || !sizes_.resize(texts.size)) return Status::out_of_memory();
    std::int64_t room = 0;
    for (std::int64_t row = 0; row < texts.size; ++row) {
      begins_[row] = room;
      room += answer_text_room(texts[row].size);
    }
    if (!bytes_.resize(room)) return Status::out_of_memory();
    const Status status = write_answer_texts(texts, spans_.from_row(first_row), form_, context_,
                                             begins_.data(), bytes_.data(), sizes_.data());
    if (!status.ok()) return status;
    py::gil_scoped_acquire gil;
    for (std::int64_t row = 0; row < texts.size; ++row) {
      PyObject* string = Py_None;
      if (sizes_[row] < 0) {
        Py_INCREF(string);
      } else {
        string = PyUnicode_DecodeUTF8(bytes_.data() + begins_[row], sizes_[row], "surrogatepass");
        if (string == nullptr) {  // bytes that are no UTF-8, from an Arrow column
          PyErr_Clear();
          string = PyUnicode_DecodeUTF8(bytes_.data() + begins_[row], sizes_[row], "replace");
          if (string == nullptr) throw py::error_already_set();
        }
      }
      PyList_SET_ITEM(strings_.ptr(), first_row + row, string);
    }
    return Status();
  }

  AnswerTextForm form_;
  const SpanIntake& spans_;
  const RunContext& context_;
  const py::list& strings_;
  Buffer<std::int64_t> begins_;
  Buffer<std::int64_t> sizes_;
  Buffer<char> bytes_;
};

py::typing::List<py::typing::Optional<py::str>> answer_texts_bound(const py::object& texts,
                                                                   const py::object& spans,
                                                                   bool careful,
                                                                   std::int64_t threads) {
  TextIntake intake(texts, "texts");
  const std::int64_t rows = intake.row_count();
  const SpanIntake span_intake(spans, rows);
  InterruptibleRun run(checked_threads(threads));
  py::list strings(rows);
  TextListWriter writer(careful ? AnswerTextForm::kCareful : AnswerTextForm::kPlain, span_intake,
                        run.context(), strings);
  const Status result = intake.for_each_chunk([&](const TextColumn& chunk, std::int64_t first_row) {
    return writer.write(chunk, first_row);
  });
  raise_if_failed(result, "spans");
  return strings;
}

}  // namespace

void register_short_answers(py::module_& module) {
  module.def("read_short_answers", &read_short_answers_bound, py::arg("texts"), py::arg("threads"),
             "Statuses, and byte spans of the answer proper and of the whole answer.");
  module.def("read_answer_numbers", &read_answer_numbers_bound, py::arg("texts"), py::arg("spans"),
             py::arg("threads"),
             "Values, scales, percent marks, years, and whether there are several numbers.");
  module.def("answer_texts", &answer_texts_bound, py::arg("texts"), py::arg("spans"),
             py::arg("careful"), py::arg("threads"),
             "Answers without mark-up, or as the words that are compared.");
}

}  // namespace fastvbench::python
