// Model text to options. Option texts are fetched only for rows whose letters leave a doubt: a
// million lists of strings cost more to walk than most answers cost to read.
#include "python_support.h"
//
#include <memory>
#include <string>
#include <vector>

#include "fastvbench/choices.h"
#include "text_intake.h"

namespace fastvbench::python {
namespace {

using CountArray = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

[[noreturn]] void raise_count(const std::string& place, std::int64_t count) {
  throw py::value_error(place + " has " + std::to_string(count) +
                        " options; expected 1 to 26, one per letter from A");
}

std::int32_t checked_count(const std::string& place, std::int64_t count) {
  if (count < 1 || count > kMostOptions) raise_count(place, count);
  return static_cast<std::int32_t>(count);
}

std::string row_name(std::int64_t row) { return "options[" + std::to_string(row) + "]"; }

bool is_list(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }

// Views of Python strings, kept alive with it. Made and destroyed under the GIL.
class OptionViews {
 public:
  OptionViews() = default;
  ~OptionViews() { clear(); }
  OptionViews(const OptionViews&) = delete;
  OptionViews& operator=(const OptionViews&) = delete;

  void clear() {
    for (PyObject* object : held_) Py_DECREF(object);
    held_.clear();
    views_.clear();
  }
  void add_list(PyObject* list, std::int64_t row) {
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(list);
    for (Py_ssize_t k = 0; k < count; ++k) add(PySequence_Fast_GET_ITEM(list, k), row, k);
  }
  std::int64_t size() const { return static_cast<std::int64_t>(views_.size()); }
  TextColumn column() const { return TextColumn::of(views_.data(), size()); }

 private:
  void add(PyObject* text, std::int64_t row, Py_ssize_t place) {
    if (!PyUnicode_Check(text)) {
      throw py::type_error((row < 0 ? std::string("options") : row_name(row)) + "[" +
                           std::to_string(place) + "]: expected str, got " +
                           Py_TYPE(text)->tp_name);
    }
    PyObject* holder = text;
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text, &size);
    if (data != nullptr) {
      Py_INCREF(text);
    } else {  // lone surrogates
      PyErr_Clear();
      holder = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
      if (holder == nullptr) throw py::error_already_set();
      data = PyBytes_AS_STRING(holder);
      size = PyBytes_GET_SIZE(holder);
    }
    held_.push_back(holder);
    views_.push_back({data, size});
  }

  std::vector<TextView> views_;
  std::vector<PyObject*> held_;
};

// The `options` argument: one count, one list of texts, counts, or per row a count or a list.
class OptionIntake {
 public:
  OptionIntake(const py::object& options, std::int64_t row_count) {
    PyObject* object = options.ptr();
    if (PyLong_Check(object) && !PyBool_Check(object)) {
      int overflow = 0;
      const long long count = PyLong_AsLongLongAndOverflow(object, &overflow);
      uniform_ = checked_count("options", overflow != 0 ? overflow * kMostOptions * 2 : count);
    } else if (py::isinstance<py::array>(options)) {
      set_counts(py::reinterpret_borrow<py::array>(options), row_count);
    } else if (!is_list(object)) {
      throw py::type_error(std::string("options: expected a number of letters, a list of option "
                                       "texts, or one of these per row, got ") +
                           Py_TYPE(object)->tp_name);
    } else if (PySequence_Fast_GET_SIZE(object) > 0 &&
               PyUnicode_Check(PySequence_Fast_GET_ITEM(object, 0))) {
      checked_count("options", PySequence_Fast_GET_SIZE(object));
      shared_.add_list(object, -1);
      texts_ = shared_.column();
    } else {
      check_length(PySequence_Fast_GET_SIZE(object), row_count);
      rows_ = options;
    }
  }

  bool has_rows() const { return static_cast<bool>(rows_); }
  PyObject* row(std::int64_t row) const {
    if (PySequence_Fast_GET_SIZE(rows_.ptr()) <= row) {
      throw py::value_error("options: the list changed size while it was read");
    }
    return PySequence_Fast_GET_ITEM(rows_.ptr(), row);
  }
  // The number of options of one row, from its list or its count.
  std::int32_t row_size(std::int64_t row) const {
    PyObject* item = this->row(row);
    if (is_list(item)) return checked_count(row_name(row), PySequence_Fast_GET_SIZE(item));
    if (PyIndex_Check(item) && !PyBool_Check(item)) {
      const Py_ssize_t count = PyNumber_AsSsize_t(item, nullptr);
      return checked_count(row_name(row), count);
    }
    throw py::type_error(row_name(row) + ": expected a number of letters or a list of option " +
                         "texts, got " + Py_TYPE(item)->tp_name);
  }
  // Options that need no look at the rows: uniform, shared texts or counts.
  ChoiceOptions plain(std::int64_t first_row) const {
    ChoiceOptions options;
    options.uniform_count = uniform_;
    if (!counts_.empty()) options.counts = counts_.data() + first_row;
    if (texts_.size > 0) options.texts = &texts_;
    return options;
  }

 private:
  static void check_length(std::int64_t length, std::int64_t row_count) {
    if (length == row_count) return;
    throw py::value_error("options has " + std::to_string(length) + " rows; expected " +
                          std::to_string(row_count) + ", one per text");
  }
  void set_counts(const py::array& array, std::int64_t row_count) {
    const char kind = array.dtype().kind();
    if ((kind != 'i' && kind != 'u') || array.ndim() > 1) {
      throw py::type_error("options: expected whole numbers, one per row, got " +
                           py::cast<std::string>(py::str(array.dtype())) + " of " +
                           std::to_string(array.ndim()) + " dimensions");
    }
    const CountArray values = CountArray::ensure(array);
    if (array.ndim() == 0) {
      uniform_ = checked_count("options", *values.data());
      return;
    }
    check_length(values.size(), row_count);
    counts_.resize(static_cast<std::size_t>(row_count));
    for (std::int64_t row = 0; row < row_count; ++row) {
      counts_[static_cast<std::size_t>(row)] = checked_count(row_name(row), values.data()[row]);
    }
  }

  std::int64_t uniform_ = 0;
  std::vector<std::int32_t> counts_;
  OptionViews shared_;
  TextColumn texts_;
  py::object rows_;
};

ChoiceColumn from_row(const ChoiceColumn& column, std::int64_t row) {
  return {column.index + row, column.status + row, column.spans + 2 * row};
}

// Some rows of another column.
struct RowSelection {
  TextColumn column;
  const std::int64_t* rows;

  static TextView at(const void* source, std::int64_t row) {
    const auto& selection = *static_cast<const RowSelection*>(source);
    return selection.column[selection.rows[row]];
  }
};

struct RowSlice {
  TextColumn column;
  std::int64_t first;

  static TextView at(const void* source, std::int64_t row) {
    const auto& slice = *static_cast<const RowSlice*>(source);
    return slice.column[slice.first + row];
  }
};

// Reads rows with options of their own: letters first, then option texts where they matter.
class RowwiseReader {
 public:
  RowwiseReader(const OptionIntake& options, const RunContext& context, ChoiceColumn out)
      : options_(options), context_(context), out_(out) {}

  // Called without the GIL.
  Status read(const TextColumn& chunk, std::int64_t first_row) {
    for (std::int64_t begin = 0; begin < chunk.size; begin += TextIntake::kChunkRows) {
      const std::int64_t left = chunk.size - begin;
      const std::int64_t size = left < TextIntake::kChunkRows ? left : TextIntake::kChunkRows;
      const RowSlice slice{chunk, begin};
      const Status status = read_slice({&RowSlice::at, &slice, size}, first_row + begin);
      if (!status.ok()) return status;
    }
    return Status();
  }

 private:
  Status read_slice(const TextColumn& texts, std::int64_t first_row) {
    {
      py::gil_scoped_acquire gil;
      counts_.resize(static_cast<std::size_t>(texts.size));
      needs_texts_.resize(static_cast<std::size_t>(texts.size));
      for (std::int64_t i = 0; i < texts.size; ++i) {
        counts_[static_cast<std::size_t>(i)] = options_.row_size(first_row + i);
      }
    }
    ChoiceOptions letters;
    letters.counts = counts_.data();
    const ChoiceColumn out = from_row(out_, first_row);
    const Status status = parse_choice_letters(texts, letters, context_, out, needs_texts_.data());
    if (!status.ok()) return status;
    return read_with_texts(texts, first_row, out);
  }

  Status read_with_texts(const TextColumn& texts, std::int64_t first_row, ChoiceColumn out) {
    {
      py::gil_scoped_acquire gil;
      views_.clear();
      rows_.clear();
      begins_.clear();
      ends_.clear();
      PyObject* previous = nullptr;
      for (std::int64_t i = 0; i < texts.size; ++i) {
        if (needs_texts_[static_cast<std::size_t>(i)] == 0) continue;
        PyObject* item = options_.row(first_row + i);
        if (!is_list(item)) continue;
        rows_.push_back(i);
        if (item != previous) {  // neighbours with the very same list share its texts
          checked_count(row_name(first_row + i), PySequence_Fast_GET_SIZE(item));
          begins_.push_back(views_.size());
          views_.add_list(item, first_row + i);
          ends_.push_back(views_.size());
        } else {
          begins_.push_back(begins_.back());
          ends_.push_back(ends_.back());
        }
        previous = item;
      }
      const auto count = rows_.size();
      index_.resize(count);
      status_.resize(count);
      spans_.resize(2 * count);
    }
    const RowSelection selection{texts, rows_.data()};
    const auto count = static_cast<std::int64_t>(rows_.size());
    const TextColumn option_texts = views_.column();
    ChoiceOptions options;
    options.texts = &option_texts;
    options.text_offsets = begins_.data();
    options.text_ends = ends_.data();
    const Status status = parse_choice({&RowSelection::at, &selection, count}, options, context_,
                                       {index_.data(), status_.data(), spans_.data()});
    if (!status.ok()) return status;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const std::int64_t row = rows_[k];
      out.index[row] = index_[k];
      out.status[row] = status_[k];
      out.spans[2 * row] = spans_[2 * k];
      out.spans[2 * row + 1] = spans_[2 * k + 1];
    }
    return Status();
  }

  const OptionIntake& options_;
  const RunContext& context_;
  ChoiceColumn out_;
  OptionViews views_;
  std::vector<std::int32_t> counts_;
  std::vector<std::uint8_t> needs_texts_;
  std::vector<std::int64_t> rows_;  // of the slice, whose option texts matter
  std::vector<std::int64_t> begins_;
  std::vector<std::int64_t> ends_;
  std::vector<std::int8_t> index_;
  std::vector<std::uint8_t> status_;
  std::vector<std::int64_t> spans_;
};

py::typing::Tuple<py::array_t<std::int8_t>, py::array_t<std::uint8_t>, py::array_t<std::int64_t>>
parse_choice_bound(const py::object& texts, const py::object& options, std::int64_t threads) {
  TextIntake intake(texts, "texts");
  const std::int64_t rows = intake.row_count();
  const OptionIntake option_intake(options, rows);
  InterruptibleRun run(checked_threads(threads));
  py::array_t<std::int8_t> index(rows);
  py::array_t<std::uint8_t> status(rows);
  py::array_t<std::int64_t> spans({rows, std::int64_t{2}});
  const ChoiceColumn out{index.mutable_data(), status.mutable_data(), spans.mutable_data()};
  Status result;
  if (option_intake.has_rows()) {
    RowwiseReader reader(option_intake, run.context(), out);
    result = intake.for_each_chunk([&](const TextColumn& chunk, std::int64_t first_row) {
      return reader.read(chunk, first_row);
    });
  } else {
    result = intake.for_each_chunk([&](const TextColumn& chunk, std::int64_t first_row) {
      return parse_choice(chunk, option_intake.plain(first_row), run.context(),
                          from_row(out, first_row));
    });
  }
  raise_if_failed(result, "options");
  return py::make_tuple(std::move(index), std::move(status), std::move(spans));
}

}  // namespace

void register_choices(py::module_& module) {
  module.def("parse_choice", &parse_choice_bound, py::arg("texts"), py::arg("options"),
             py::arg("threads"), "Option indices, statuses and byte spans of a text column.");
}

}  // namespace fastvbench::python
