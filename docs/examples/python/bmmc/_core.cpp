// SPDX-License-Identifier: BSL-1.0

// What Python needs of bmmc.h: objects that free their handles, arrays that are looked at where
// they lie, errors as exceptions. Names, defaults and texts for people are in __init__.py.

#include <bmmc/c/bmmc.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "buffer.hpp"

namespace {

namespace py = pybind11;
using bmmc_python::buffer;
using word = std::uint64_t;
using words = std::vector<word>;
using numbers = std::vector<unsigned>;

/// Throws what a status means: ValueError for whatever the caller can put right.
void check(int status) {
  if (status == BMMC_SUCCESS) return;
  if (status == BMMC_NO_MEMORY) throw std::bad_alloc();
  if (status == BMMC_TRANSPORT_ERROR || status == BMMC_OTHER_ERROR)
    throw std::runtime_error(bmmc_last_error());
  throw py::value_error(bmmc_last_error());
}

/// An MPI_Comm from its address, which mpi4py tells.
MPI_Comm comm_at(word address) {
  if (address == 0) return MPI_COMM_NULL;
  return *reinterpret_cast<MPI_Comm const*>(address);
}

/// Owns a handle.
template <class Handle, int (*Free)(Handle*)>
class owner {
 public:
  owner() = default;
  owner(owner&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  owner& operator=(owner&&) = delete;
  ~owner() { Free(&handle_); }
  [[nodiscard]] Handle get() const noexcept { return handle_; }
  [[nodiscard]] Handle* out() noexcept { return &handle_; }

 private:
  Handle handle_{};
};
using map = owner<bmmc_map, bmmc_map_free>;
using plan = owner<bmmc_plan, bmmc_plan_free>;
using array = owner<bmmc_array, bmmc_array_free>;

bmmc_map handle_of(map const* m) { return m == nullptr ? bmmc_map{} : m->get(); }

/// What a function such as bmmc_plan_explain writes.
template <class Handle>
std::string text_of(int (*write)(Handle, char*, std::size_t, std::size_t*), Handle handle) {
  std::size_t length = 0;
  check(write(handle, nullptr, 0, &length));
  std::string text(length + 1, '\0');
  check(write(handle, text.data(), text.size(), nullptr));
  text.pop_back();
  return text;
}

/// An operation, with the arrays of a call that is under way.
class operation {
 public:
  explicit operation(std::size_t element_bytes, std::string format = {})
      : bytes_(element_bytes), format_(std::move(format)) {}
  operation(operation&&) = default;

  /// Throws what a call with these arrays would have to say.
  void require(py::object const& source, py::object const& target) const {
    const auto [before, after] = elements();
    const bool is_in_place = target.is_none();
    const buffer from(source, is_in_place, bytes_, format_);
    const word needed = is_in_place ? std::max(before, after) : before;
    require_elements(from, needed);
    if (is_in_place) return;
    const buffer to(target, true, bytes_, format_);
    require_elements(to, after);
    auto const *const a = static_cast<char*>(from.data()), *const b = static_cast<char*>(to.data());
    const std::less<> precedes;
    if (before != 0 && after != 0 && precedes(a, b + after * bytes_) &&
        precedes(b, a + before * bytes_))
      throw py::value_error("source and target overlap");
  }
  void run(py::object const& source, py::object const& target) { call(source, target, true); }
  void start(py::object const& source, py::object const& target) { call(source, target, false); }
  bool test() {
    int done = 0;
    int status = 0;
    {
      const py::gil_scoped_release others_run;
      status = bmmc_test(handle_.get(), &done);
    }
    check(status);
    if (done != 0) under_way_ = {};
    return done != 0;
  }
  void wait() {
    int status = 0;
    {
      const py::gil_scoped_release others_run;
      status = bmmc_wait(handle_.get());
    }
    check(status);
    under_way_ = {};
  }
  [[nodiscard]] std::string explain() const {
    return text_of(bmmc_operation_explain, handle_.get());
  }
  [[nodiscard]] std::pair<word, word> elements() const {
    std::pair<word, word> both;
    check(bmmc_operation_elements(handle_.get(), &both.first, &both.second));
    return both;
  }
  [[nodiscard]] bmmc_operation* out() { return handle_.out(); }

 private:
  static void require_elements(buffer const& given, word needed) {
    if (given.elements() != needed)
      throw py::value_error("an array must hold " + std::to_string(needed) + " elements, not " +
                            std::to_string(given.elements()));
  }
  void call(py::object const& source, py::object const& target, bool waits) {
    const bool is_in_place = target.is_none();
    buffer from(source, is_in_place, bytes_, format_);
    std::optional<buffer> to;
    if (!is_in_place) to.emplace(target, true, bytes_, format_);
    int status = 0;
    {
      const py::gil_scoped_release others_run;
      if (is_in_place)
        status = (waits ? bmmc_run_in_place : bmmc_start_in_place)(handle_.get(), from.data(),
                                                                   from.elements());
      else
        status = (waits ? bmmc_run : bmmc_start)(handle_.get(), from.data(), from.elements(),
                                                 to->data(), to->elements());
    }
    check(status);
    if (!waits) under_way_ = is_in_place ? std::move(from) : std::move(*to);
  }

  owner<bmmc_operation, bmmc_operation_free> handle_;
  std::size_t bytes_;
  std::string format_;
  std::optional<buffer> under_way_;  // its memory is written later
};

template <class Make>
operation made(std::size_t bytes, Make make, std::string format = {}) {
  operation o(bytes, std::move(format));
  int status = 0;
  {
    const py::gil_scoped_release others_run;
    status = make(o.out());
  }
  check(status);
  return o;
}

template <class Make>
map made_map(Make make) {
  map m;
  check(make(m.out()));
  return m;
}

unsigned count(std::size_t n) { return static_cast<unsigned>(n); }

void require_order(std::optional<numbers> const& axes, std::size_t order) {
  if (axes && axes->size() != order)
    throw py::value_error("an array of " + std::to_string(order) + " axes cannot have " +
                          std::to_string(axes->size()) + " of them named");
}

array make_array(std::vector<std::array<word, 4>> const& axes, std::optional<numbers> const& grid) {
  std::vector<bmmc_axis> each;
  for (auto const& [extent, procs, block, first] : axes)
    each.push_back({extent, procs, block, first});
  require_order(grid, each.size());
  array a;
  check(bmmc_array_make(count(each.size()), each.data(), grid ? grid->data() : nullptr, a.out()));
  return a;
}

void define_maps(py::module_& m) {
  py::class_<map>(m, "Map")
      .def(py::init([](unsigned rows, words const& columns, word complement) {
        return made_map([&](bmmc_map* to) {
          return bmmc_map_from_columns(rows, count(columns.size()), columns.data(), complement, to);
        });
      }))
      .def_static("from_bits",
                  [](numbers const& target_of, word complement) {
                    return made_map([&](bmmc_map* to) {
                      return bmmc_map_from_bits(count(target_of.size()), target_of.data(),
                                                complement, to);
                    });
                  })
      .def_static("from_axes",
                  [](numbers const& lg_extents, numbers const& axes) {
                    require_order(axes, lg_extents.size());
                    return made_map([&](bmmc_map* to) {
                      return bmmc_map_from_axes(count(axes.size()), lg_extents.data(), axes.data(),
                                                to);
                    });
                  })
      .def_static("by_name",
                  [](std::string const& name, words const& parameters) {
                    return made_map([&](bmmc_map* to) {
                      return bmmc_map_by_name(name.c_str(), count(parameters.size()),
                                              parameters.data(), to);
                    });
                  })
      .def("after",
           [](map const& f, map const& g) {
             return made_map([&](bmmc_map* to) { return bmmc_map_compose(f.get(), g.get(), to); });
           })
      .def("inverse",
           [](map const& f) {
             return made_map([&](bmmc_map* to) { return bmmc_map_inverse(f.get(), to); });
           })
      .def("apply",
           [](map const& f, word x) {
             word y = 0;
             check(bmmc_map_apply(f.get(), x, &y));
             return y;
           })
      .def("columns", [](map const& f) {
        unsigned rows = 0, columns = 0;
        std::array<word, 64> column{};
        word complement = 0;
        check(bmmc_map_columns(f.get(), &rows, &columns, column.data(), &complement));
        return std::make_tuple(rows, words(column.begin(), column.begin() + columns), complement);
      });
}

void define_plans(py::module_& m) {
  py::class_<plan>(m, "Plan")
      .def(py::init([](map const& p, map const* source, map const* target, word procs) {
        plan made;
        check(bmmc_plan_make(p.get(), handle_of(source), handle_of(target), procs, made.out()));
        return made;
      }))
      .def("facts",
           [](plan const& p) {
             bmmc_plan_facts f{};
             check(bmmc_plan_ask(p.get(), &f));
             return std::make_tuple(f.procs, f.chunk_elements, f.messages, f.message_elements,
                                    f.moving_elements);
           })
      .def("target",
           [](plan const& p, word proc, word step) {
             word target = 0;
             check(bmmc_plan_target(p.get(), proc, step, &target));
             return target;
           })
      .def("explain", [](plan const& p) { return text_of(bmmc_plan_explain, p.get()); });
  py::class_<array>(m, "Array")
      .def(py::init(&make_array))
      .def("count",
           [](array const& a, word proc) {
             word elements = 0;
             check(bmmc_array_count(a.get(), proc, &elements));
             return elements;
           })
      .def("index", [](array const& a, word proc, word i) {
        word index = 0;
        check(bmmc_array_index(a.get(), proc, i, &index));
        return index;
      });
}

void define_operations(py::module_& m) {
  py::class_<operation>(m, "Operation")
      .def("require", &operation::require)
      .def("run", &operation::run)
      .def("start", &operation::start)
      .def("test", &operation::test)
      .def("wait", &operation::wait)
      .def("explain", &operation::explain)
      .def("elements", &operation::elements);
  m.def("permuter", [](word comm, map const& p, std::size_t bytes, map const* source,
                       map const* target) {
    return made(bytes, [&](bmmc_operation* to) {
      return bmmc_permuter(comm_at(comm), p.get(), bytes, handle_of(source), handle_of(target), to);
    });
  });
  m.def("redistributor", [](word comm, std::size_t bytes, array const& source, array const& target,
                            std::optional<numbers> const& axes) {
    return made(bytes, [&](bmmc_operation* to) {
      return bmmc_redistributor_axes_f(MPI_Comm_c2f(comm_at(comm)), bytes, source.get(),
                                       target.get(), axes ? count(axes->size()) : 0,
                                       axes ? axes->data() : nullptr, to);
    });
  });
  m.def("gatherer", [](word comm, map const& f, std::size_t bytes) {
    return made(bytes, [&](bmmc_operation* to) {
      return bmmc_gatherer(comm_at(comm), f.get(), bytes, {}, {}, to);
    });
  });
  m.def("reducer", [](word comm, map const& f, int type, int combine, py::bytes const& unreached,
                      std::string const& format) {
    const std::string element = unreached;
    return made(
        element.size(),
        [&](bmmc_operation* to) {
          return bmmc_reducer(comm_at(comm), f.get(), type, combine, element.data(), {}, {}, to);
        },
        format);
  });
  m.def("local_permuter", [](map const& p, std::size_t bytes) {
    return made(bytes, [&](bmmc_operation* to) { return bmmc_local_permuter(p.get(), bytes, to); });
  });
  m.def("local_transposer", [](words const& extents, numbers const& axes, std::size_t bytes) {
    require_order(axes, extents.size());
    return made(bytes, [&](bmmc_operation* to) {
      return bmmc_local_transposer(count(axes.size()), extents.data(), axes.data(), bytes, to);
    });
  });
  m.def("permute", [](word comm, map const& p, std::size_t bytes, py::object const& chunk) {
    const buffer data(chunk, true, bytes, {});
    int status = 0;
    {
      const py::gil_scoped_release others_run;
      status = bmmc_permute(comm_at(comm), p.get(), bytes, data.data(), data.elements());
    }
    check(status);
  });
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  define_maps(m);
  define_plans(m);
  define_operations(m);
  m.def("element_bytes",
        [](py::object const& chunk) { return buffer(chunk, false, 0, {}).element_bytes(); });
  m.def("require_array", [](py::object const& chunk, std::size_t bytes) {
    static_cast<void>(buffer(chunk, true, bytes, {}));
  });
  m.def("agree", [](word comm, std::string const& objection) {
    check(bmmc_agree(comm_at(comm), objection.c_str()));
  });
  m.def("version", &bmmc_version);
  m.def("mpi_library", [] {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return std::string(text.data());
  });
}
