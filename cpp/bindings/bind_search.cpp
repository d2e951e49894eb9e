// Exact search and rank counting: check, borrow, release the GIL, call, raise.
#include "python_support.h"
//
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "embedding_intake.h"

namespace fastvbench::python {
namespace {

using IndexArray = py::array_t<std::int64_t, py::array::c_style>;
using ScoreArray = py::array_t<double, py::array::c_style>;
using FaultArray = py::array_t<std::uint8_t, py::array::c_style>;

SearchPath checked_path(std::int32_t path) {
  if (path < 0 || path > 4) {
    throw py::value_error("path=" + std::to_string(path) + "; expected 0 to 4");
  }
  return static_cast<SearchPath>(path);
}

/// A gallery and the Python array whose rows it borrows.
class BoundGallery {
 public:
  BoundGallery(py::array embeddings, std::int32_t element_type, bool is_cosine,
               std::int32_t preparation, std::int64_t threads)
      : embeddings_(std::move(embeddings)) {
    if (preparation < 0 || preparation > 2) {
      throw py::value_error("preparation=" + std::to_string(preparation) + "; expected 0, 1 or 2");
    }
    preparation_ = static_cast<Preparation>(preparation);
    similarity_ = is_cosine ? Similarity::kCosine : Similarity::kDot;
    prepare(checked_embeddings(embeddings_, element_type, "embeddings"), threads);
  }

  void replace(py::array embeddings, std::int32_t element_type, std::int64_t threads) {
    const EmbeddingRows rows = checked_embeddings(embeddings, element_type, "embeddings");
    std::swap(embeddings_, embeddings);  // both stay alive until the call is over
    prepare(rows, threads);
  }

  std::int64_t fault_count() const { return gallery_.fault_count(); }
  std::int64_t memory_bytes() const { return gallery_.memory_bytes(); }

  void raise_for_faults() const {
    python::raise_for_faults(gallery_.faults(), gallery_.rows().count, gallery_.fault_count(),
                             "embeddings");
  }

  IndexArray faulty_rows() const {
    IndexArray rows(gallery_.fault_count());
    std::int64_t* to = rows.mutable_data();
    const std::uint8_t* faults = gallery_.faults();
    for (std::int64_t i = 0, found = 0; found < rows.size(); ++i) {
      if (faults[i] != 0) to[found++] = i;
    }
    return rows;
  }

  py::typing::Tuple<IndexArray, ScoreArray> search(const py::array& queries,
                                                   std::int32_t element_type, std::int64_t k,
                                                   std::int32_t path, std::int64_t threads) const {
    const EmbeddingRows rows = checked_queries(queries, element_type);
    if (k < 1 || k > gallery_.rankable_count()) {
      throw py::value_error("k=" + std::to_string(k) + "; expected 1 to " +
                            std::to_string(gallery_.rankable_count()));
    }
    const SearchPath wanted = checked_path(path);
    IndexArray indices({rows.count, k});
    ScoreArray scores({rows.count, k});
    std::int64_t* index_values = indices.mutable_data();
    double* score_values = scores.mutable_data();
    InterruptibleRun run(checked_threads(threads));
    Status status;
    {
      py::gil_scoped_release no_gil;
      const std::shared_lock<std::shared_mutex> lock(preparing_);
      status = gallery_.search(run.context(), rows, k, wanted, index_values, score_values);
    }
    raise_if_refused(status, run.context(), rows);
    return py::make_tuple(indices, scores);
  }

  py::typing::Tuple<IndexArray, IndexArray, IndexArray, IndexArray> ranks(
      const py::array& queries, std::int32_t element_type, const IndexArray& relevant,
      const IndexArray& offsets, const py::typing::Optional<IndexArray>& order, std::int32_t path,
      std::int64_t threads) const {
    const EmbeddingRows rows = checked_queries(queries, element_type);
    const SearchPath wanted = checked_path(path);
    RelevantRows asked{relevant.data(), offsets.data(), nullptr};
    check_relevant(asked, rows.count, relevant.size(), offsets.size());
    IndexArray above(relevant.size());
    IndexArray tied(relevant.size());
    IndexArray before(relevant.size());
    IndexArray before_in_order(order.is_none() ? 0 : relevant.size());
    RankColumns out{above.mutable_data(), tied.mutable_data(), before.mutable_data(), nullptr};
    IndexArray positions;
    if (!order.is_none()) {
      positions = py::cast<IndexArray>(order);
      if (positions.ndim() != 1 || positions.size() != gallery_.rows().count) {
        throw py::value_error("order: expected one position per row of the gallery");
      }
      asked.order = positions.data();
      out.tied_before_in_order = before_in_order.mutable_data();
    }
    InterruptibleRun run(checked_threads(threads));
    Status status;
    {
      py::gil_scoped_release no_gil;
      const std::shared_lock<std::shared_mutex> lock(preparing_);
      status = gallery_.ranks(run.context(), rows, asked, wanted, out);
    }
    raise_if_refused(status, run.context(), rows);
    return py::make_tuple(above, tied, before, before_in_order);
  }

  py::typing::Tuple<std::int32_t, py::str, std::int64_t, std::int64_t> plan(
      std::int64_t query_count, std::int64_t k, std::int32_t path) const {
    const SearchPlan plan = k > 0 ? gallery_.plan(query_count, k, checked_path(path))
                                  : gallery_.rank_plan(query_count, checked_path(path));
    return py::make_tuple(static_cast<std::int32_t>(plan.path), plan.reason, plan.tile_rows,
                          plan.query_rows);
  }

 private:
  EmbeddingRows checked_queries(const py::array& queries, std::int32_t element_type) const {
    const EmbeddingRows rows = checked_embeddings(queries, element_type, "queries");
    if (rows.dimension != gallery_.rows().dimension) {
      throw py::value_error("queries have " + std::to_string(rows.dimension) +
                            " dimensions; expected the gallery's " +
                            std::to_string(gallery_.rows().dimension));
    }
    return rows;
  }

  void check_relevant(const RelevantRows& asked, std::int64_t query_count, std::int64_t value_count,
                      std::int64_t offset_count) const {
    if (offset_count != query_count + 1 || asked.offsets[0] != 0 ||
        asked.offsets[query_count] != value_count) {
      throw py::value_error("relevant: expected offsets from 0 to " + std::to_string(value_count) +
                            ", one more than the " + std::to_string(query_count) + " queries");
    }
    for (std::int64_t q = 0; q < query_count; ++q) {
      if (asked.offsets[q] > asked.offsets[q + 1]) {
        throw py::value_error("relevant: offsets fall at query " + std::to_string(q));
      }
    }
    const std::int64_t row_count = gallery_.rows().count;
    for (std::int64_t i = 0; i < value_count; ++i) {
      const std::int64_t row = asked.values[i];
      if (row < 0 || row >= row_count) {
        throw py::value_error("relevant[" + std::to_string(i) + "]=" + std::to_string(row) +
                              "; expected a row of the gallery, 0 to " +
                              std::to_string(row_count - 1));
      }
      if (gallery_.faults() != nullptr && gallery_.faults()[row] != 0) {
        throw py::value_error("relevant[" + std::to_string(i) + "]=" + std::to_string(row) +
                              " is a row that cannot be ranked and was dropped");
      }
    }
  }

  void raise_if_refused(const Status& status, const RunContext& context,
                        const EmbeddingRows& queries) const {
    if (status.code == Code::kInvalidArgument) {
      raise_if_faulty(context, queries, gallery_.similarity(), "queries");
      raise_if_faulty(context, gallery_.rows(), gallery_.similarity(), "gallery");
    }
    raise_if_failed(status, "gallery");
  }

  void prepare(const EmbeddingRows& rows, std::int64_t threads) {
    InterruptibleRun run(checked_threads(threads));
    Status status;
    {
      py::gil_scoped_release no_gil;
      const std::unique_lock<std::shared_mutex> lock(preparing_);
      status = gallery_.prepare(run.context(), rows, similarity_, preparation_);
    }
    raise_if_failed(status, "embeddings");
  }

  py::array embeddings_;
  Preparation preparation_ = Preparation::kNone;
  Similarity similarity_ = Similarity::kDot;
  mutable std::shared_mutex preparing_;  // never waited for with the GIL held
  Gallery gallery_;
};

void check_embeddings_bound(const py::array& embeddings, std::int32_t element_type, bool is_cosine,
                            const char* name, std::int64_t threads) {
  const EmbeddingRows rows = checked_embeddings(embeddings, element_type, name);
  InterruptibleRun run(checked_threads(threads));
  raise_if_faulty(run.context(), rows, is_cosine ? Similarity::kCosine : Similarity::kDot, name);
}

}  // namespace

void register_search(py::module_& module) {
  const auto queries = py::arg("queries").noconvert();
  const auto relevant = py::arg("relevant").noconvert();
  const auto offsets = py::arg("offsets").noconvert();
  // A plain `type` as its class, which is what stubs can say.
  const py::metaclass plain(reinterpret_cast<PyObject*>(&PyType_Type));
  py::class_<BoundGallery>(module, "Gallery", plain, "A gallery prepared for exact search.")
      .def(py::init<py::array, std::int32_t, bool, std::int32_t, std::int64_t>(),
           py::arg("embeddings").noconvert(), py::arg("element_type"), py::arg("is_cosine"),
           py::arg("preparation"), py::arg("threads"))
      .def("replace", &BoundGallery::replace, py::arg("embeddings").noconvert(),
           py::arg("element_type"), py::arg("threads"))
      .def_property_readonly("fault_count", &BoundGallery::fault_count)
      .def_property_readonly("memory_bytes", &BoundGallery::memory_bytes)
      .def("raise_for_faults", &BoundGallery::raise_for_faults)
      .def("faulty_rows", &BoundGallery::faulty_rows)
      .def("search", &BoundGallery::search, queries, py::arg("element_type"), py::arg("k"),
           py::arg("path"), py::arg("threads"))
      .def("ranks", &BoundGallery::ranks, queries, py::arg("element_type"), relevant, offsets,
           py::arg("order"), py::arg("path"), py::arg("threads"))
      .def("plan", &BoundGallery::plan, py::arg("query_count"), py::arg("k"), py::arg("path"));
  module.def("check_embeddings", &check_embeddings_bound, py::arg("embeddings").noconvert(),
             py::arg("element_type"), py::arg("is_cosine"), py::arg("name"), py::arg("threads"),
             "Raises where a row cannot be ranked.");
}

}  // namespace fastvbench::python
