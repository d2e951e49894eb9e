// Arrow lists of intervals: list, large_list or fixed_size_list of pairs, where a pair is a
// fixed_size_list of two numbers, a struct of two numbers, or a list that happens to hold two.
#include <cstring>
#include <memory>
#include <string>

#include "arrow_intake.h"
#include "interval_intake.h"

namespace fastvbench::python {
namespace {

// Rows [begin, end) of the child that entry `index` (relative to the array's own offset) owns.
struct Extent {
  std::int64_t begin;
  std::int64_t end;
};

// Lists of either offset width, and fixed-size lists.
class ListLayout {
 public:
  static bool understands(const ArrowSchema& schema) {
    return is(schema, "+l") || is(schema, "+L") || fixed_size(schema) >= 0;
  }
  explicit ListLayout(const ArrowSchema& schema)
      : has_wide_offsets_(is(schema, "+L")), fixed_size_(fixed_size(schema)) {}

  Extent operator()(const ArrowArray& array, std::int64_t index) const {
    const std::int64_t at = array.offset + index;
    if (fixed_size_ >= 0) return {at * fixed_size_, (at + 1) * fixed_size_};
    if (has_wide_offsets_) {
      const auto* offsets = static_cast<const std::int64_t*>(array.buffers[1]);
      return {offsets[at], offsets[at + 1]};
    }
    const auto* offsets = static_cast<const std::int32_t*>(array.buffers[1]);
    return {offsets[at], offsets[at + 1]};
  }

  // -1 where the schema is no fixed-size list.
  static std::int64_t fixed_size(const ArrowSchema& schema) {
    if (std::strncmp(schema.format, "+w:", 3) != 0) return -1;
    return std::atoll(schema.format + 3);
  }
  static bool is(const ArrowSchema& schema, const char* format) {
    return std::strcmp(schema.format, format) == 0;
  }

 private:
  bool has_wide_offsets_;
  std::int64_t fixed_size_;
};

template <typename T>
double number_at(const ArrowArray& array, std::int64_t index) {
  return static_cast<double>(static_cast<const T*>(array.buffers[1])[array.offset + index]);
}
using NumberReader = double (*)(const ArrowArray& array, std::int64_t index);

NumberReader number_reader(const ArrowSchema& schema) {
  if (schema.dictionary != nullptr || std::strlen(schema.format) != 1) return nullptr;
  switch (schema.format[0]) {
    case 'g':
      return &number_at<double>;
    case 'f':
      return &number_at<float>;
    case 'c':
      return &number_at<std::int8_t>;
    case 'C':
      return &number_at<std::uint8_t>;
    case 's':
      return &number_at<std::int16_t>;
    case 'S':
      return &number_at<std::uint16_t>;
    case 'i':
      return &number_at<std::int32_t>;
    case 'I':
      return &number_at<std::uint32_t>;
    case 'l':
      return &number_at<std::int64_t>;
    case 'L':
      return &number_at<std::uint64_t>;
    default:
      return nullptr;
  }
}

// Format of a schema and its first descendants, as a person would look it up: "+l of +w:3 of g".
std::string described(const ArrowSchema& schema) {
  std::string text = schema.format;
  if (schema.n_children > 0) text += " of " + described(*schema.children[0]);
  return text;
}

// One level of the type below the rows: how to read interval k of the rows' child.
class PairLayout {
 public:
  static bool understands(const ArrowSchema& schema) {
    if (ListLayout::is(schema, "+s")) {
      return schema.n_children == 2 && number_reader(*schema.children[0]) != nullptr &&
             number_reader(*schema.children[1]) != nullptr;
    }
    if (!ListLayout::understands(schema)) return false;
    const std::int64_t fixed = ListLayout::fixed_size(schema);
    return (fixed < 0 || fixed == 2) && number_reader(*schema.children[0]) != nullptr;
  }
  explicit PairLayout(const ArrowSchema& schema)
      : is_struct_(ListLayout::is(schema, "+s")),
        list_(schema),
        first_(number_reader(*schema.children[0])),
        second_(is_struct_ ? number_reader(*schema.children[1]) : first_) {}

  enum class Problem { kNone, kNull, kNotTwo };

  Problem read(const ArrowArray& pairs, std::int64_t index, double* pair) const {
    if (!arrow_is_valid(pairs, index)) return Problem::kNull;
    const ArrowArray* children[2];
    std::int64_t at[2];
    if (is_struct_) {
      children[0] = pairs.children[0];
      children[1] = pairs.children[1];
      at[0] = at[1] = pairs.offset + index;
    } else {
      const Extent extent = list_(pairs, index);
      if (extent.end - extent.begin != 2) return Problem::kNotTwo;
      children[0] = children[1] = pairs.children[0];
      at[0] = extent.begin;
      at[1] = extent.begin + 1;
    }
    if (!arrow_is_valid(*children[0], at[0]) || !arrow_is_valid(*children[1], at[1])) {
      return Problem::kNull;
    }
    pair[0] = first_(*children[0], at[0]);
    pair[1] = second_(*children[1], at[1]);
    return Problem::kNone;
  }

 private:
  bool is_struct_;
  ListLayout list_;
  NumberReader first_;
  NumberReader second_;
};

[[noreturn]] void raise_bad_pair(const std::string& name, std::int64_t row, std::int64_t place,
                                 PairLayout::Problem problem) {
  throw py::value_error(name + "[" + std::to_string(row) + "][" + std::to_string(place) + "] is " +
                        (problem == PairLayout::Problem::kNull ? "null" : "no pair") +
                        "; expected (start, end) in seconds");
}

// The values of a column whose memory already is float64 [m, 2]: one chunk of fixed-size lists of
// two doubles without a null anywhere. Null where it is not.
const double* values_in_place(const ArrowColumn& column, const ListLayout& rows, Extent* extent) {
  if (column.chunks().size() != 1) return nullptr;
  const ArrowArray& chunk = column.chunks()[0];
  const ArrowSchema& pair_schema = *column.schema().children[0];
  if (ListLayout::fixed_size(pair_schema) != 2 || !ListLayout::is(*pair_schema.children[0], "g") ||
      chunk.length == 0 || chunk.null_count != 0) {
    return nullptr;
  }
  const ArrowArray& pairs = *chunk.children[0];
  const ArrowArray& numbers = *pairs.children[0];
  if (pairs.null_count != 0 || numbers.null_count != 0) return nullptr;
  *extent = {rows(chunk, 0).begin, rows(chunk, chunk.length - 1).end};
  return static_cast<const double*>(numbers.buffers[1]) + numbers.offset +
         2 * (pairs.offset + extent->begin);
}

}  // namespace

py::typing::Tuple<DoubleArray, OffsetArray, py::typing::Optional<py::array_t<bool>>>
intervals_from_arrow(const py::object& object, const std::string& name) {
  if (!ArrowColumn::offered_by(object)) {
    throw py::type_error(name + " is " + Py_TYPE(object.ptr())->tp_name +
                         "; expected an object with __arrow_c_stream__ or __arrow_c_array__");
  }
  auto column = std::make_unique<ArrowColumn>(object, name.c_str());
  const ArrowSchema& schema = column->schema();
  if (!ListLayout::understands(schema) || !PairLayout::understands(*schema.children[0])) {
    throw py::type_error(name + " has the Arrow type " + described(schema) +
                         "; expected lists of pairs of numbers");
  }
  const ListLayout rows(schema);
  const std::int64_t row_count = column->row_count();
  OffsetArray offsets(row_count + 1);
  std::int64_t* offset = offsets.mutable_data();
  offset[0] = 0;

  Extent extent{};
  if (const double* values = values_in_place(*column, rows, &extent)) {
    const ArrowArray& chunk = column->chunks()[0];
    for (std::int64_t i = 0; i < row_count; ++i) offset[i + 1] = rows(chunk, i).end - extent.begin;
    py::capsule owner(column.release(), [](void* held) { delete static_cast<ArrowColumn*>(held); });
    py::array_t<double> array({static_cast<py::ssize_t>(extent.end - extent.begin), py::ssize_t{2}},
                              values, owner);
    array.attr("flags").attr("writeable") = false;  // the memory is the producer's
    return py::make_tuple(array, offsets, py::none());
  }

  const PairLayout pair_layout(*schema.children[0]);
  Buffer<double> values;
  py::array_t<bool> is_null(row_count);
  bool* null_flags = is_null.mutable_data();
  std::int64_t row = 0;
  for (const ArrowArray& chunk : column->chunks()) {
    for (std::int64_t i = 0; i < chunk.length; ++i, ++row) {
      null_flags[row] = !arrow_is_valid(chunk, i);
      if (!null_flags[row]) {
        const Extent owned = rows(chunk, i);
        for (std::int64_t k = owned.begin; k < owned.end; ++k) {
          double pair[2];
          const auto problem = pair_layout.read(*chunk.children[0], k, pair);
          if (problem != PairLayout::Problem::kNone) {
            raise_bad_pair(name, row, k - owned.begin, problem);
          }
          if (!values.append(pair, 2)) throw std::bad_alloc();
        }
      }
      offset[row + 1] = values.size() / 2;
    }
  }
  const py::ssize_t count = values.size() / 2;
  return py::make_tuple(to_array(std::move(values), {count, 2}), offsets, is_null);
}

}  // namespace fastvbench::python
