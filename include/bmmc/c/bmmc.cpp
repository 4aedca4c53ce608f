// SPDX-License-Identifier: BSL-1.0

// The functions of bmmc.h, for C and for what calls C: compile this file once, against your MPI.
//   mpicxx -std=c++20 -O2 -fvisibility=hidden -fPIC -shared -I include include/bmmc/c/bmmc.cpp -o
//   libbmmc_c.so
// With Meson: dependency('bmmc-c').

#include <bmmc/c/reducing.hpp>
#include <bmmc/permute.hpp>

namespace {

using namespace bmmc::detail::c;
using bmmc::index_t;

struct plan_object : object {
  static constexpr char name[] = "a plan";
  explicit plan_object(bmmc::plan const& p) : object(name), plan(p) {}
  bmmc::plan plan;
};

/// The handle of an operation is made with the rest that each process does by itself, so that after
/// the agreement of open() nothing can fail on one process alone.
template <class Prepare>
void make_operation(MPI_Comm comm, char const* function, std::size_t element_bytes,
                    bmmc_operation* result, Prepare prepare) {
  std::shared_ptr<operation> made;
  std::uint64_t id = 0;
  together(comm, function, element_bytes, [&] {
    require_pointer(result, "operation");
    made = prepare();
    id = registry::all().add(made);
  });
  try {
    made->open(comm);
  } catch (...) {
    registry::all().remove(id);
    throw;
  }
  result->id = id;
}
template <class Prepare>
void make_local_operation(bmmc_operation* result, Prepare prepare) {
  require_pointer(result, "operation");
  const std::shared_ptr<operation> made = prepare();
  made->open(MPI_COMM_NULL);
  result->id = registry::all().add(made);
}
std::shared_ptr<operation> operation_of(std::size_t bytes, std::unique_ptr<mover> m) {
  auto made = std::make_shared<operation>(bytes);
  made->set(std::move(m));
  return made;
}

/// One call in place. Plan and workspace stay on the communicator, unless elements are padded.
template <class FindMap>
int permute_once(MPI_Comm comm, std::size_t bytes, void* data, index_t elements,
                 FindMap find_map) noexcept {
  return guarded([&] {
    bmmc::permutation<> p;  // of units
    units unit;
    std::shared_ptr<operation> padded_once;
    together(comm, [&] {
      const sized s(bytes);
      const auto of_elements = find_map()->as_permutation();
      unit = s.of;
      p = of_units(of_elements, unit.lg_units);
      if (const index_t most = bmmc::bit(62) >> unit.lg_units; elements > most)
        bmmc::detail::refuse(
            {"too many elements of ", bytes, " bytes: ", elements, ", and ", most, " is the most"});
      if (!s.is_padded()) return;
      padded_once = operation_of(bytes, permuting(comm, of_elements, s, {}, {}));
      if (const index_t chunk = chunk_of(of_elements.bits(), comm); chunk != 0)
        padded_once->require_in_place(data, elements, chunk);
    });
    if (padded_once) {
      together(comm, "bmmc_permute with padded elements", bytes, [] {});
      padded_once->open(comm);
      padded_once->in_place(data, elements, true);
      return;
    }
    with_unit(unit.unit, [&]<class T>(T) {
      bmmc::permute<T>(comm, {static_cast<T*>(data), elements << unit.lg_units}, p);
    });
  });
}

/// `named` is the length of `axes`, where it is known.
int redistributor(MPI_Comm comm, std::size_t element_bytes, bmmc_array source, bmmc_array target,
                  std::optional<unsigned> named, unsigned const* axes, bmmc_operation* operation) {
  return guarded([&] {
    make_operation(comm, "bmmc_redistributor", element_bytes, operation, [&] {
      require_element(element_bytes);
      const auto from = get<array_object>(source), to = get<array_object>(target);
      if (axes != nullptr && named) require_order(from->order(), *named);
      return operation_of(element_bytes, redistributing(element_bytes, *from, *to, axes));
    });
  });
}

}  // namespace

extern "C" {

int bmmc_c_abi(void) { return BMMC_C_ABI; }
int bmmc_version(void) { return BMMC_VERSION; }
char const* bmmc_last_error(void) { return last_error().data(); }

// ---- maps

int bmmc_map_from_columns(unsigned rows, unsigned columns, uint64_t const* column,
                          uint64_t complement, bmmc_map* map) {
  return guarded([&] {
    require_list(columns, column, "column");
    bmmc::bit_matrix<> a(rows, columns);
    for (unsigned j = 0; j < columns; ++j) a.column[j] = column[j];
    make<map_object>(map, bmmc::affine_map{a, complement});
  });
}
int bmmc_map_from_bits(unsigned n, unsigned const* target_of, uint64_t complement, bmmc_map* map) {
  return guarded([&] {
    require_list(n, target_of, "target_of");
    const auto bits = bmmc::bit_permutation(std::span(target_of, n));
    make<map_object>(map, bmmc::affine_map{bits.matrix(), complement});
  });
}
int bmmc_map_from_axes(unsigned order, unsigned const* lg_extent, unsigned const* axes,
                       bmmc_map* map) {
  return guarded([&] {
    require_list(order, lg_extent, "lg_extent");
    require_list(order, axes, "axes");
    make<map_object>(map, bmmc::axis_permutation(bmmc::lg_extents(std::span(lg_extent, order)),
                                                 bmmc::axis_order(std::span(axes, order))));
  });
}
int bmmc_map_by_name(char const* name, unsigned count, uint64_t const* parameter, bmmc_map* map) {
  return guarded([&] {
    require_pointer(name, "name");
    require_list(count, parameter, "parameter");
    make<map_object>(map, map_by_name(name, std::span(parameter, count)));
  });
}
int bmmc_map_compose(bmmc_map after, bmmc_map first, bmmc_map* map) {
  return guarded([&] {
    const auto f = get<map_object>(after), g = get<map_object>(first);
    if (f->map.matrix.cols() != g->map.matrix.rows())
      throw bmmc::bad_value(
          bmmc::detail::text({"a map of ", f->map.matrix.cols(), " bits cannot follow one to ",
                              g->map.matrix.rows()}));
    make<map_object>(map, compose(f->map, g->map));
  });
}
int bmmc_map_inverse(bmmc_map of, bmmc_map* map) {
  return guarded([&] { make<map_object>(map, inverse(get<map_object>(of)->as_permutation())); });
}
int bmmc_map_apply(bmmc_map map, uint64_t x, uint64_t* y) {
  return guarded([&] {
    const auto m = get<map_object>(map);
    require_pointer(y, "y");
    if ((x & ~bmmc::low_bits(m->map.matrix.cols())) != 0)
      throw bmmc::bad_value(
          bmmc::detail::text({"the index ", x, " has more than ", m->map.matrix.cols(), " bits"}));
    *y = m->map(x);
  });
}
int bmmc_map_columns(bmmc_map map, unsigned* rows, unsigned* columns, uint64_t* column,
                     uint64_t* complement) {
  return guarded([&] {
    const auto m = get<map_object>(map);
    auto const& a = m->map.matrix;
    if (rows != nullptr) *rows = a.rows();
    if (columns != nullptr) *columns = a.cols();
    if (column != nullptr) std::copy_n(a.column.begin(), a.cols(), column);
    if (complement != nullptr) *complement = m->map.complement;
  });
}
int bmmc_map_free(bmmc_map* map) {
  return guarded([&] { free_handle<map_object>(map); });
}

// ---- plans

int bmmc_plan_make(bmmc_map permutation, bmmc_map source, bmmc_map target, uint64_t procs,
                   bmmc_plan* plan) {
  return guarded([&] {
    const auto p = get<map_object>(permutation)->as_permutation();
    make<plan_object>(plan,
                      bmmc::make_plan(p, layouts_of(source, p.bits(), target, p.bits()), procs));
  });
}
int bmmc_plan_ask(bmmc_plan plan, bmmc_plan_facts* facts) {
  return guarded([&] {
    const auto p = get<plan_object>(plan);
    require_pointer(facts, "facts");
    *facts = {p->plan.procs(), p->plan.chunk_elements(), p->plan.messages(),
              p->plan.message_elements(), bmmc::bit(p->plan.bits()) - p->plan.stays()};
  });
}
int bmmc_plan_target(bmmc_plan plan, uint64_t proc, uint64_t step, uint64_t* target) {
  return guarded([&] {
    const auto p = get<plan_object>(plan);
    require_pointer(target, "target");
    if (proc >= p->plan.procs() || step >= p->plan.messages())
      throw bmmc::bad_value(
          bmmc::detail::text({"there is no message ", step, " of process ", proc, ": the plan has ",
                              p->plan.messages(), " of each of ", p->plan.procs(), " processes"}));
    *target = p->plan.target(proc, step);
  });
}
int bmmc_plan_explain(bmmc_plan plan, char* text, size_t size, size_t* length) {
  return guarded(
      [&] { copy_text(bmmc::explain(get<plan_object>(plan)->plan), text, size, length); });
}
int bmmc_plan_free(bmmc_plan* plan) {
  return guarded([&] { free_handle<plan_object>(plan); });
}

// ---- arrays

int bmmc_array_make(unsigned order, bmmc_axis const* axis, unsigned const* grid,
                    bmmc_array* array) {
  return guarded([&] { make<array_object>(array, order, axis, grid); });
}
int bmmc_array_count(bmmc_array array, uint64_t proc, uint64_t* elements) {
  return guarded([&] {
    const auto a = get<array_object>(array);
    require_pointer(elements, "elements");
    *elements = a->layout().count(proc);
  });
}
int bmmc_array_index(bmmc_array array, uint64_t proc, uint64_t i, uint64_t* index) {
  return guarded([&] {
    const auto layout = get<array_object>(array)->layout();
    require_pointer(index, "index");
    if (i >= layout.count(proc))
      bmmc::detail::refuse(
          {"process ", proc, " has ", layout.count(proc), " elements, no number ", i});
    *index = layout.index_at(proc, i);
  });
}
int bmmc_array_free(bmmc_array* array) {
  return guarded([&] { free_handle<array_object>(array); });
}

// ---- operations

int bmmc_permuter(MPI_Comm comm, bmmc_map permutation, size_t element_bytes, bmmc_map source,
                  bmmc_map target, bmmc_operation* operation) {
  return guarded([&] {
    make_operation(comm, "bmmc_permuter", element_bytes, operation, [&] {
      const auto p = get<map_object>(permutation)->as_permutation();
      return operation_of(element_bytes, permuting(comm, p, sized(element_bytes), source, target));
    });
  });
}
int bmmc_redistributor(MPI_Comm comm, size_t element_bytes, bmmc_array source, bmmc_array target,
                       unsigned const* axes, bmmc_operation* operation) {
  return redistributor(comm, element_bytes, source, target, {}, axes, operation);
}
int bmmc_gatherer(MPI_Comm comm, bmmc_map map, size_t element_bytes, bmmc_map source,
                  bmmc_map target, bmmc_operation* operation) {
  return guarded([&] {
    make_operation(comm, "bmmc_gatherer", element_bytes, operation, [&] {
      const auto m = get<map_object>(map)->map;
      return operation_of(element_bytes, gathering(comm, m, sized(element_bytes), source, target));
    });
  });
}
int bmmc_reducer(MPI_Comm comm, bmmc_map map, int type, int combine, void const* unreached,
                 bmmc_map source, bmmc_map target, bmmc_operation* operation) {
  return guarded([&] {
    make_operation(comm, "bmmc_reducer", 0, operation, [&] {
      const auto m = get<map_object>(map)->map;
      return operation_of(bytes_of_type(type),
                          reducing(m, type, combine, unreached, source, target));
    });
  });
}
int bmmc_local_permuter(bmmc_map permutation, size_t element_bytes, bmmc_operation* operation) {
  return guarded([&] {
    make_local_operation(operation, [&] {
      const auto p = get<map_object>(permutation)->as_permutation();
      return operation_of(element_bytes, permuting_locally(p, sized(element_bytes)));
    });
  });
}
int bmmc_local_transposer(unsigned order, uint64_t const* extent, unsigned const* axes,
                          size_t element_bytes, bmmc_operation* operation) {
  return guarded([&] {
    make_local_operation(operation, [&] {
      require_element(element_bytes);
      return operation_of(element_bytes, transposing_locally(order, extent, axes, element_bytes));
    });
  });
}

int bmmc_operation_elements(bmmc_operation operation, uint64_t* source, uint64_t* target) {
  return guarded([&] {
    const auto o = get<bmmc::detail::c::operation>(operation);
    if (source != nullptr) *source = o->source_elements();
    if (target != nullptr) *target = o->target_elements();
  });
}
int bmmc_run_in_place(bmmc_operation operation, void* data, uint64_t elements) {
  return guarded(
      [&] { get<bmmc::detail::c::operation>(operation)->in_place(data, elements, true); });
}
int bmmc_run(bmmc_operation operation, void const* source, uint64_t source_elements, void* target,
             uint64_t target_elements) {
  return guarded([&] {
    get<bmmc::detail::c::operation>(operation)->between(source, source_elements, target,
                                                        target_elements, true);
  });
}
int bmmc_start_in_place(bmmc_operation operation, void* data, uint64_t elements) {
  return guarded(
      [&] { get<bmmc::detail::c::operation>(operation)->in_place(data, elements, false); });
}
int bmmc_start(bmmc_operation operation, void const* source, uint64_t source_elements, void* target,
               uint64_t target_elements) {
  return guarded([&] {
    get<bmmc::detail::c::operation>(operation)->between(source, source_elements, target,
                                                        target_elements, false);
  });
}
int bmmc_test(bmmc_operation operation, int* done) {
  return guarded([&] {
    const auto o = get<bmmc::detail::c::operation>(operation);
    require_pointer(done, "done");
    *done = o->test() ? 1 : 0;
  });
}
int bmmc_wait(bmmc_operation operation) {
  return guarded([&] { get<bmmc::detail::c::operation>(operation)->wait(); });
}
int bmmc_operation_explain(bmmc_operation operation, char* text, size_t size, size_t* length) {
  return guarded([&] {
    copy_text(get<bmmc::detail::c::operation>(operation)->explain(), text, size, length);
  });
}
int bmmc_operation_free(bmmc_operation* operation) {
  return guarded([&] { free_handle<bmmc::detail::c::operation>(operation); });
}

// ---- one call

int bmmc_permute(MPI_Comm comm, bmmc_map permutation, size_t element_bytes, void* data,
                 uint64_t elements) {
  return permute_once(comm, element_bytes, data, elements,
                      [&] { return get<map_object>(permutation); });
}
int bmmc_transpose(MPI_Comm comm, unsigned lg_rows, unsigned lg_columns, size_t element_bytes,
                   void* data, uint64_t elements) {
  return permute_once(comm, element_bytes, data, elements, [&] {
    const std::array<std::uint64_t, 2> both{lg_rows, lg_columns};
    return std::make_shared<map_object>(map_by_name("transpose", both));
  });
}
int bmmc_local_permute(bmmc_map permutation, size_t element_bytes, void const* source, void* target,
                       uint64_t elements) {
  return guarded([&] {
    const auto p = get<map_object>(permutation)->as_permutation();
    const auto once = operation_of(element_bytes, permuting_locally(p, sized(element_bytes)));
    once->open(MPI_COMM_NULL);
    once->between(source, elements, target, elements, true);
  });
}

int bmmc_agree(MPI_Comm comm, char const* objection) {
  return guarded([&] {
    bmmc::comm::objection against(objection == nullptr ? "`objection` is a null pointer"
                                                       : objection);
    const auto called = bmmc::detail::function_fact("bmmc_agree");
    bmmc::comm::agree(*bmmc::comm::communicator::of(comm), against, {&called, 1});
  });
}

int bmmc_permuter_f(MPI_Fint comm, bmmc_map permutation, size_t element_bytes, bmmc_map source,
                    bmmc_map target, bmmc_operation* operation) {
  return bmmc_permuter(MPI_Comm_f2c(comm), permutation, element_bytes, source, target, operation);
}
int bmmc_array_make_f(unsigned order, bmmc_axis const* axis, unsigned named, unsigned const* grid,
                      bmmc_array* array) {
  return guarded([&] {
    if (grid != nullptr) require_order(order, named);
    make<array_object>(array, order, axis, grid);
  });
}
int bmmc_redistributor_axes_f(MPI_Fint comm, size_t element_bytes, bmmc_array source,
                              bmmc_array target, unsigned named, unsigned const* axes,
                              bmmc_operation* operation) {
  return redistributor(MPI_Comm_f2c(comm), element_bytes, source, target, named, axes, operation);
}
int bmmc_redistributor_f(MPI_Fint comm, size_t element_bytes, bmmc_array source, bmmc_array target,
                         unsigned const* axes, bmmc_operation* operation) {
  return bmmc_redistributor(MPI_Comm_f2c(comm), element_bytes, source, target, axes, operation);
}
int bmmc_gatherer_f(MPI_Fint comm, bmmc_map map, size_t element_bytes, bmmc_map source,
                    bmmc_map target, bmmc_operation* operation) {
  return bmmc_gatherer(MPI_Comm_f2c(comm), map, element_bytes, source, target, operation);
}
int bmmc_reducer_f(MPI_Fint comm, bmmc_map map, int type, int combine, void const* unreached,
                   bmmc_map source, bmmc_map target, bmmc_operation* operation) {
  return bmmc_reducer(MPI_Comm_f2c(comm), map, type, combine, unreached, source, target, operation);
}
int bmmc_permute_f(MPI_Fint comm, bmmc_map permutation, size_t element_bytes, void* data,
                   uint64_t elements) {
  return bmmc_permute(MPI_Comm_f2c(comm), permutation, element_bytes, data, elements);
}
int bmmc_transpose_f(MPI_Fint comm, unsigned lg_rows, unsigned lg_columns, size_t element_bytes,
                     void* data, uint64_t elements) {
  return bmmc_transpose(MPI_Comm_f2c(comm), lg_rows, lg_columns, element_bytes, data, elements);
}

}  // extern "C"
