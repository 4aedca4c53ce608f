// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <memory>
#include <span>
#include <vector>

#include <bmmc/c/maps.hpp>
#include <bmmc/c/movers.hpp>
#include <bmmc/layout/grid.hpp>

namespace bmmc::detail::c {

/// Throws bad_value for a null pointer to numbers of which there are some.
inline void require_list(unsigned count, void const* list, char const* name) {
  if (count > 64) refuse({"at most 64 numbers make up `", name, "`, not ", count});
  if (count != 0) require_pointer(list, name);
}

/// Throws bad_value where a list of axes is longer or shorter than an array has axes.
inline void require_order(unsigned order, unsigned named) {
  if (named != order)
    refuse({"an array of ", order, " axes cannot have ", named, " of them named"});
}

/// What a bmmc_array stands for.
class array_object : public object {
 public:
  static constexpr char name[] = "an array";
  array_object(unsigned order, bmmc_axis const* axis, unsigned const* grid) : object(name) {
    require_list(order, axis, "axis");
    for (unsigned k = 0; k < order; ++k) axes_.push_back(axis_of(axis[k]));
    for (unsigned k = 0; k < order; ++k) numbered_.push_back(grid == nullptr ? k : grid[k]);
    static_cast<void>(layout());
  }

  [[nodiscard]] unsigned order() const noexcept { return static_cast<unsigned>(axes_.size()); }

  /// With elements of more than one unit each these are one axis more, the fastest.
  [[nodiscard]] grid_layout layout(index_t units = 1) const {
    auto axes = axes_;
    auto numbered = numbered_;
    if (units > 1) {
      axes.push_back(grid_axis::local(units));
      numbered.push_back(static_cast<unsigned>(numbered.size()));
    }
    return grid_layout(std::span<grid_axis const>(axes))
        .on_grid(axis_order(std::span<unsigned const>(numbered)));
  }

 private:
  [[nodiscard]] static grid_axis axis_of(bmmc_axis const& a) {
    const auto dealt = a.block == 0 ? grid_axis::blocks(a.extent, a.procs)
                                    : grid_axis::block_cyclic(a.extent, a.procs, a.block);
    return dealt.beginning_on(a.first);
  }

  std::vector<grid_axis> axes_;
  std::vector<unsigned> numbered_;
};

/// The units of elements with a mover of permutations, padded where need be.
struct sized {
  std::size_t bytes;
  units of;

  explicit sized(std::size_t element_bytes) : bytes(element_bytes) {
    require_element(element_bytes);
    of = units_of(std::bit_ceil(element_bytes));
  }
  [[nodiscard]] bool is_padded() const noexcept { return !std::has_single_bit(bytes); }
};

[[nodiscard]] inline layouts layouts_of(bmmc_map source, unsigned source_bits, bmmc_map target,
                                        unsigned target_bits, unsigned lg_units = 0) {
  return {layout::affine<>(of_units(layout_of(source, source_bits), lg_units)),
          layout::affine<>(of_units(layout_of(target, target_bits), lg_units))};
}

/// Chunk of a process, as far as it is known before all have agreed: what is wrong is said then.
[[nodiscard]] inline index_t chunk_of(unsigned bits, MPI_Comm comm) {
  const auto known = comm::communicator::of(comm);
  const auto procs = static_cast<index_t>(known->size());
  return std::has_single_bit(procs) && procs <= bit(bits) ? bit(bits) / procs : 0;
}

[[nodiscard]] inline std::unique_ptr<mover> permuting(MPI_Comm comm, permutation<> const& p,
                                                      sized const& s, bmmc_map source,
                                                      bmmc_map target) {
  const auto both = layouts_of(source, p.bits(), target, p.bits(), s.of.lg_units);
  auto made = with_unit(s.of.unit, [&]<class T>(T) -> std::unique_ptr<mover> {
    using kept = permuter<T, comm::automatic, layouts>;
    return std::make_unique<kept_mover<kept, T, permutation<>, layouts>>(
        bit(s.of.lg_units), of_units(p, s.of.lg_units), both);
  });
  if (!s.is_padded()) return made;
  const index_t chunk = chunk_of(p.bits(), comm);
  return std::make_unique<padded>(std::move(made), s.bytes, chunk, chunk, true);
}

[[nodiscard]] inline std::unique_ptr<mover> gathering(MPI_Comm comm, affine_map const& map,
                                                      sized const& s, bmmc_map source,
                                                      bmmc_map target) {
  const unsigned from = map.matrix.rows(), to = map.matrix.cols();
  const auto both = layouts_of(source, from, target, to, s.of.lg_units);
  auto made = with_unit(s.of.unit, [&]<class T>(T) -> std::unique_ptr<mover> {
    using kept = gatherer<T, comm::automatic, layouts>;
    return std::make_unique<kept_mover<kept, T, affine_map, layouts>>(
        bit(s.of.lg_units), of_units(map, s.of.lg_units), both);
  });
  if (!s.is_padded()) return made;
  return std::make_unique<padded>(std::move(made), s.bytes, chunk_of(from, comm),
                                  chunk_of(to, comm), false);
}

/// The order of axes in C's terms, and the units of an element as the last axis where there are
/// some.
[[nodiscard]] inline axis_order order_of(unsigned order, unsigned const* axes, index_t units) {
  std::vector<unsigned> all;
  for (unsigned k = 0; k < order; ++k) all.push_back(axes == nullptr ? k : axes[k]);
  if (units > 1) all.push_back(order);
  return axis_order(std::span<unsigned const>(all));
}

[[nodiscard]] inline std::unique_ptr<mover> redistributing(std::size_t bytes,
                                                           array_object const& source,
                                                           array_object const& target,
                                                           unsigned const* axes) {
  const auto unit = units_of(bytes).unit;
  const index_t units = bytes / unit;
  const auto from = source.layout(units), to = target.layout(units);
  const auto order = order_of(source.layout().order(), axes, units);
  return with_unit(unit, [&]<class T>(T) -> std::unique_ptr<mover> {
    using kept = redistributor<T>;
    return std::make_unique<kept_mover<kept, T, grid_layout, grid_layout, axis_order>>(units, from,
                                                                                       to, order);
  });
}

[[nodiscard]] inline std::unique_ptr<mover> permuting_locally(permutation<> const& p,
                                                              sized const& s) {
  const auto units = of_units(p, s.of.lg_units);
  auto made = with_unit(s.of.unit, [&]<class T>(T) -> std::unique_ptr<mover> {
    return std::make_unique<local_mover<T>>(units, s.of.lg_units);
  });
  if (!s.is_padded()) return made;
  return std::make_unique<padded>(std::move(made), s.bytes, bit(p.bits()), bit(p.bits()), true);
}

[[nodiscard]] inline std::unique_ptr<mover> transposing_locally(unsigned order,
                                                                index_t const* extent,
                                                                unsigned const* axes,
                                                                std::size_t bytes) {
  require_list(order, extent, "extent");
  require_list(order, axes, "axes");
  const auto unit = units_of(bytes).unit;
  std::vector<index_t> shape(extent, extent + order);
  const index_t elements = extents(std::span<index_t const>(shape)).elements();
  if (bytes > unit) shape.push_back(bytes / unit);
  const auto all = order_of(order, axes, bytes / unit);
  return with_unit(unit, [&]<class T>(T) -> std::unique_ptr<mover> {
    return std::make_unique<axes_mover<T>>(extents(std::span<index_t const>(shape)), all, elements);
  });
}

}  // namespace bmmc::detail::c
