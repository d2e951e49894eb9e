// Exact search and ranks over embeddings on a device: check, borrow, release the GIL, call, raise.
#include "cuda/device_array.h"
//
#include <mutex>
#include <string>

#include "fastvbench/buffer.h"
#include "row_faults.h"
#include "search.h"

namespace fastvbench::python {
namespace {

using IndexArray = py::array_t<std::int64_t, py::array::c_style>;

constexpr std::int64_t kMostRows = std::int64_t{1} << 30;  // numbers of rows are 32-bit in kernels

EmbeddingRows checked_rows(const DeviceArray& array, const char* name) {
  EmbeddingRows rows;
  switch (array.type()) {
    case DeviceType::kFloat32:
      rows.type = ElementType::kFloat32;
      break;
    case DeviceType::kFloat16:
      rows.type = ElementType::kFloat16;
      break;
    case DeviceType::kBfloat16:
      rows.type = ElementType::kBfloat16;
      break;
    default:
      throw py::type_error(std::string(name) + " has dtype " + array.type_name() +
                           "; expected float32, float16 or bfloat16");
  }
  if (array.shape().size() != 2 || array.size() == 0) {
    throw py::value_error(std::string(name) + " has shape " + array.shape_text() +
                          "; expected [rows, dimensions], at least one of each");
  }
  rows.data = array.data();
  rows.count = array.shape()[0];
  rows.dimension = array.shape()[1];
  if (rows.count > kMostRows) {
    throw py::value_error(std::string(name) + " has " + std::to_string(rows.count) +
                          " rows; expected at most " + std::to_string(kMostRows) +
                          " on one device");
  }
  return rows;
}

SearchPath checked_path(std::int32_t path) {
  const auto wanted = static_cast<SearchPath>(path);
  if (wanted != SearchPath::kAuto && wanted != SearchPath::kStream &&
      wanted != SearchPath::kCoded) {
    throw py::value_error("path=" + std::to_string(path) +
                          "; expected 0 (auto), 1 (stream) or 3 (coded)");
  }
  return wanted;
}

/// A gallery, the Python array whose rows it borrows, and the streams that have used its memory.
class BoundDeviceGallery {
 public:
  BoundDeviceGallery(DeviceArray embeddings, bool is_cosine, bool with_codes,
                     CallerStreamHandle stream)
      : embeddings_(std::move(embeddings)), stream_(std::move(stream)) {
    const EmbeddingRows rows = checked_rows(embeddings_, "embeddings");
    const ArrayScope scope(embeddings_, kPrepare);
    cuda::CudaStatus status;
    {
      py::gil_scoped_release no_gil;
      status = gallery_.prepare(rows, is_cosine ? Similarity::kCosine : Similarity::kDot,
                                with_codes, stream_->get());
    }
    raise_if_failed(status, kPrepare);
    is_prepared_ = with_codes;
  }

  // Memory goes back on the first stream; it waits for what the others still do with it.
  ~BoundDeviceGallery() {
    const cuda::DeviceScope scope(embeddings_.device());
    for (const CallerStreamHandle& other : others_) {
      static_cast<void>(cuda::order_streams(other->get(), stream_->get()));
    }
    order_.reset();
    gallery_ = cuda::DeviceGallery();
  }
  BoundDeviceGallery(const BoundDeviceGallery&) = delete;
  BoundDeviceGallery& operator=(const BoundDeviceGallery&) = delete;

  std::int64_t fault_count() const { return gallery_.fault_count(); }
  std::int64_t memory_bytes() const { return gallery_.memory_bytes(); }

  void raise_for_faults() const {
    if (fault_count() == 0) return;
    const Buffer<std::uint8_t> faults = read_faults();
    python::raise_for_faults(faults.data(), gallery_.rows().count, fault_count(), "embeddings");
  }

  IndexArray faulty_rows() const {
    IndexArray rows(fault_count());
    if (rows.size() == 0) return rows;
    const Buffer<std::uint8_t> faults = read_faults();
    std::int64_t* to = rows.mutable_data();
    for (std::int64_t i = 0, found = 0; found < rows.size(); ++i) {
      if (faults.data()[i] != 0) to[found++] = i;
    }
    return rows;
  }

  void set_order(const IndexArray& positions) {
    if (positions.ndim() != 1 || positions.size() != gallery_.rows().count) {
      throw py::value_error("order: expected one position per row of the gallery");
    }
    const ArrayScope scope(embeddings_, kRanks);
    const std::int64_t* values = positions.data();
    const std::int64_t count = positions.size();
    cuda::CudaStatus status;
    {
      py::gil_scoped_release no_gil;
      const std::lock_guard<std::mutex> lock(in_use_);
      status = order_.allocate(count, stream_->get());
      if (status.ok()) status = copy_to_device(order_.data(), values, order_.bytes());
      if (!status.ok()) order_.reset();
    }
    raise_if_failed(status, kRanks);
  }
  bool has_order() const { return order_.size() > 0; }

  py::typing::Tuple<DeviceArray, DeviceArray> search(const DeviceArray& queries, std::int64_t k,
                                                     std::int32_t path,
                                                     std::int64_t workspace_bytes, bool check,
                                                     const CallerStreamHandle& stream) {
    const EmbeddingRows rows = checked_queries(queries);
    if (k < 1 || k > gallery_.rows().count) {
      throw py::value_error("k=" + std::to_string(k) + "; expected 1 to " +
                            std::to_string(gallery_.rows().count));
    }
    const cuda::SearchOptions options{checked_path(path), checked_workspace(workspace_bytes), 0};
    const ArrayScope scope(embeddings_, kSearch);
    DeviceArray indices = DeviceArray::make(DeviceType::kInt64, {rows.count, k}, stream);
    DeviceArray scores = DeviceArray::make(DeviceType::kFloat64, {rows.count, k}, stream);
    if (check) raise_if_faulty(rows, stream);
    use_on(stream);
    cuda::CudaStatus status;
    {
      py::gil_scoped_release no_gil;
      const std::lock_guard<std::mutex> lock(in_use_);
      status = indices.allocate(embeddings_.device());
      if (status.ok()) status = scores.allocate(embeddings_.device());
      if (status.ok()) {
        status = gallery_.search(rows, k, options, stream->get(),
                                 static_cast<std::int64_t*>(indices.data()),
                                 static_cast<double*>(scores.data()));
      }
    }
    raise_if_failed(status, kSearch);
    return py::make_tuple(std::move(indices), std::move(scores));
  }

  /// `relevant` is a device array, or the host's, checked by the caller; `offsets` are the host's,
  /// and None stands for one relevant row each.
  py::typing::Tuple<DeviceArray, DeviceArray, DeviceArray, DeviceArray> ranks(
      const DeviceArray& queries, const py::typing::Union<DeviceArray, IndexArray>& relevant,
      const py::typing::Optional<IndexArray>& offsets, std::int32_t path,
      std::int64_t workspace_bytes, bool check, const CallerStreamHandle& stream) {
    const EmbeddingRows rows = checked_queries(queries);
    RelevantRows asked;
    IndexArray host_relevant;
    std::int64_t item_count = 0;
    if (py::isinstance<DeviceArray>(relevant)) {
      const auto& array = relevant.cast<const DeviceArray&>();
      asked.values = static_cast<const std::int64_t*>(
          checked_values(array, DeviceType::kInt64, 1, "relevant", "[m]: row numbers"));
      item_count = array.size();
    } else {
      host_relevant = py::cast<IndexArray>(relevant);
      item_count = host_relevant.size();
    }
    const std::int64_t* host_values = asked.values == nullptr ? host_relevant.data() : nullptr;
    IndexArray host_offsets;
    if (!offsets.is_none()) host_offsets = py::cast<IndexArray>(offsets);
    check_offsets(offsets.is_none() ? nullptr : &host_offsets, rows.count, item_count);
    const cuda::SearchOptions options{checked_path(path), checked_workspace(workspace_bytes), 0};
    const ArrayScope scope(embeddings_, kRanks);
    DeviceArray counts[4] = {DeviceArray::make(DeviceType::kInt64, {item_count}, stream),
                             DeviceArray::make(DeviceType::kInt64, {item_count}, stream),
                             DeviceArray::make(DeviceType::kInt64, {item_count}, stream),
                             DeviceArray::make(DeviceType::kInt64, {item_count}, stream)};
    if (check) raise_if_faulty(rows, stream);
    use_on(stream);
    const std::int64_t* offset_values = offsets.is_none() ? nullptr : host_offsets.data();
    cuda::CudaStatus status;
    {
      py::gil_scoped_release no_gil;
      const std::lock_guard<std::mutex> lock(in_use_);
      status =
          rank(rows, asked, host_values, offset_values, item_count, options, stream->get(), counts);
    }
    raise_if_failed(status, kRanks);
    return py::make_tuple(counts[0], counts[1], counts[2], counts[3]);
  }

  py::typing::Tuple<py::int_, py::str> plan(std::int64_t query_count, std::int64_t k,
                                            std::int32_t path) const {
    const SearchPlan plan = gallery_.plan(query_count, k, checked_path(path));
    return py::make_tuple(static_cast<std::int32_t>(plan.path), plan.reason);
  }

 private:
  static constexpr const char* kPrepare = "Gallery(embeddings)";
  static constexpr const char* kSearch = "search(queries, k)";
  static constexpr const char* kRanks = "ranks(queries, relevant)";

  cuda::CudaStatus copy_to_device(std::int64_t* to, const std::int64_t* from, std::int64_t bytes) {
    FASTVBENCH_CUDA_TRY(cuda::copy_to_device(to, from, bytes, stream_->get()));
    return cuda::synchronize(stream_->get());  // the host's array may go; other streams may read
  }

  cuda::CudaStatus rank(const EmbeddingRows& queries, RelevantRows asked,
                        const std::int64_t* host_values, const std::int64_t* offsets,
                        std::int64_t item_count, const cuda::SearchOptions& options,
                        cuda::Stream stream, DeviceArray (&counts)[4]) {
    for (DeviceArray& one : counts) FASTVBENCH_CUDA_TRY(one.allocate(embeddings_.device()));
    cuda::DeviceBuffer<std::int64_t> device_values;
    if (host_values != nullptr) {
      FASTVBENCH_CUDA_TRY(device_values.allocate(item_count, stream));
      FASTVBENCH_CUDA_TRY(
          cuda::copy_to_device(device_values.data(), host_values, device_values.bytes(), stream));
      asked.values = device_values.data();
    }
    cuda::DeviceBuffer<std::int64_t> device_offsets;
    if (offsets != nullptr) {
      FASTVBENCH_CUDA_TRY(device_offsets.allocate(queries.count + 1, stream));
      FASTVBENCH_CUDA_TRY(
          cuda::copy_to_device(device_offsets.data(), offsets, device_offsets.bytes(), stream));
      asked.offsets = device_offsets.data();
    }
    asked.order = order_.data();
    const auto values = [&](int column) {
      return static_cast<std::int64_t*>(counts[column].data());
    };
    return gallery_.ranks(queries, asked, item_count, options, stream,
                          {values(0), values(1), values(2), values(3)});
  }

  EmbeddingRows checked_queries(const DeviceArray& queries) const {
    const EmbeddingRows rows = checked_rows(queries, "queries");
    if (rows.dimension != gallery_.rows().dimension) {
      throw py::value_error("queries have " + std::to_string(rows.dimension) +
                            " dimensions; expected the gallery's " +
                            std::to_string(gallery_.rows().dimension));
    }
    if (queries.device() != embeddings_.device()) {
      throw py::type_error("queries are on CUDA device " + std::to_string(queries.device()) +
                           "; expected the gallery's, " + std::to_string(embeddings_.device()));
    }
    return rows;
  }

  static std::int64_t checked_workspace(std::int64_t bytes) {
    if (bytes < 1) {
      throw py::value_error("workspace_bytes=" + std::to_string(bytes) + "; expected at least 1");
    }
    return bytes;
  }

  static void check_offsets(const IndexArray* offsets, std::int64_t query_count,
                            std::int64_t item_count) {
    if (offsets == nullptr) {
      if (item_count == query_count) return;
      throw py::value_error("relevant has " + std::to_string(item_count) + " entries; expected " +
                            std::to_string(query_count) + ", one per query");
    }
    const std::int64_t* values = offsets->data();
    bool is_right = offsets->ndim() == 1 && offsets->size() == query_count + 1 && values[0] == 0 &&
                    values[query_count] == item_count;
    for (std::int64_t q = 0; is_right && q < query_count; ++q) {
      is_right = values[q] <= values[q + 1];
    }
    if (is_right) return;
    throw py::value_error("relevant: expected offsets that rise from 0 to " +
                          std::to_string(item_count) + ", one more than the " +
                          std::to_string(query_count) + " queries");
  }

  Buffer<std::uint8_t> read_faults() const {
    Buffer<std::uint8_t> faults;
    if (!faults.resize(gallery_.rows().count)) throw std::bad_alloc();
    const ArrayScope scope(embeddings_, kPrepare);
    cuda::CudaStatus status;
    {
      py::gil_scoped_release no_gil;
      status = gallery_.read_faults(faults.data(), stream_->get());
    }
    raise_if_failed(status, kPrepare);
    return faults;
  }

  void raise_if_faulty(const EmbeddingRows& queries, const CallerStreamHandle& stream) const {
    Buffer<std::uint8_t> faults;
    if (!faults.resize(queries.count)) throw std::bad_alloc();
    std::int64_t fault_count = 0;
    cuda::CudaStatus status;
    {
      py::gil_scoped_release no_gil;
      status = cuda::find_faults(queries, gallery_.similarity(), stream->get(), faults.data(),
                                 &fault_count);
    }
    raise_if_failed(status, "check=True");
    python::raise_for_faults(faults.data(), queries.count, fault_count, "queries");
  }

  // With the GIL held. What was prepared is there for every stream: preparing waited for it.
  void use_on(const CallerStreamHandle& stream) {
    if (stream->handle() == stream_->handle()) return;
    if (!is_prepared_) {
      throw py::value_error("a gallery without codes is used on the stream it was made on");
    }
    for (const CallerStreamHandle& other : others_) {
      if (other->handle() == stream->handle()) return;
    }
    others_.push_back(stream);
  }

  DeviceArray embeddings_;
  CallerStreamHandle stream_;
  std::vector<CallerStreamHandle> others_;
  bool is_prepared_ = false;
  std::mutex in_use_;  // never waited for with the GIL held
  cuda::DeviceBuffer<std::int64_t> order_;
  cuda::DeviceGallery gallery_;
};

}  // namespace

void register_device_search(py::module_& module) {
  const auto queries = py::arg("queries");
  const auto path = py::arg("path");
  const auto workspace = py::arg("workspace_bytes");
  const auto check = py::arg("check");
  const auto stream = py::arg("stream");
  // A plain `type` as its class, which is what stubs can say.
  const py::metaclass plain(reinterpret_cast<PyObject*>(&PyType_Type));
  py::class_<BoundDeviceGallery>(module, "Gallery", plain,
                                 "A gallery on a device, for exact search.")
      .def(py::init<DeviceArray, bool, bool, CallerStreamHandle>(), py::arg("embeddings"),
           py::arg("is_cosine"), py::arg("with_codes"), stream)
      .def_property_readonly("fault_count", &BoundDeviceGallery::fault_count)
      .def_property_readonly("memory_bytes", &BoundDeviceGallery::memory_bytes)
      .def_property_readonly("has_order", &BoundDeviceGallery::has_order)
      .def("set_order", &BoundDeviceGallery::set_order, py::arg("positions").noconvert())
      .def("raise_for_faults", &BoundDeviceGallery::raise_for_faults)
      .def("faulty_rows", &BoundDeviceGallery::faulty_rows)
      .def("search", &BoundDeviceGallery::search, queries, py::arg("k"), path, workspace, check,
           stream)
      .def("ranks", &BoundDeviceGallery::ranks, queries, py::arg("relevant"), py::arg("offsets"),
           path, workspace, check, stream)
      .def("plan", &BoundDeviceGallery::plan, py::arg("query_count"), py::arg("k"), path);
}

}  // namespace fastvbench::python
