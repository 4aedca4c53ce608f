// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <bmmc/comm/shared_vector.hpp>
#include <bmmc/execution/spread.hpp>

namespace bmmc::detail {

/// Carries out target[y] = source[A y + c] within one node: each process puts what others need into
/// its part of a window, in ascending order, and takes what it needs from all parts in one pass.
/// What stands in a window already is taken from there, unless it is wide apart and wanted often.
/// On several nodes, on none, and where elements are repeated so often that a list of them is worth
/// a copy, see spread_execution.
template <class T, class Comm, class Element>
class shared_spread {
 public:
  shared_spread(std::shared_ptr<comm::communicator const> c, map_plan const& p, Comm const& policy,
                std::shared_ptr<comm::node const> n)
      : comm_(c) {
    const bool is_repeated = p.domain_elements() >= many * p.list_elements();
    if (p.is_local() || !n || n->bits() != p.proc_bits() || is_repeated) {
      by_blocks_.emplace(std::move(c), p, policy, std::move(n));
      return;
    }
    node_ = std::move(n);
    const auto proc = static_cast<index_t>(comm_->rank());
    const auto readers = p.of_image(proc);
    const auto region = echelon(p.region(readers).matrix);
    if (readers.count != 0)
      pack_.emplace(affine_map{region.vectors, region.least(readers.positions.offset)});
    part_ = p.region_elements();
    reads_sources_ = part_ == p.image_elements() || p.list_elements() == p.domain_elements();
    const affine_map from = p.addresses(proc);
    from_sources_ = local::spread<T>(from);
    from_parts_ = local::spread<T>(
        compose(places_in_parts(region, p.image_bits() - p.proc_bits(), p.proc_bits()), from));
  }
  /// Collective.
  void open() {
    if (by_blocks_) return by_blocks_->open();
    window_ = comm::agreed_window(*comm_, node_, part_ * sizeof(T));
  }

  void operator()(T const* source, T* target) {
    if (by_blocks_) return (*by_blocks_)(source, target);
    if (pack_) (*pack_)(source, reinterpret_cast<T*>(window_.part()));
    take(from_parts_, window_, target);
  }
  void operator()(shared_vector<T> const& source, T* target) {
    if (!reads_sources_ || !source.memory().owner()->is_like(*node_))
      return (*this)(source.data(), target);
    take(from_sources_, source.memory(), target);
  }

 private:
  static constexpr index_t many = 8;

  /// From addresses to places in a row of the parts of all processes, each of them a region.
  [[nodiscard]] static affine_map places_in_parts(echelon_basis const& region, unsigned offset_bits,
                                                  unsigned proc_bits) {
    const unsigned d = region.dimension();
    bit_matrix<> a(d + proc_bits, offset_bits + proc_bits);
    for (unsigned j = 0; j < offset_bits; ++j) a.column[j] = region.coordinates(bit(j));
    for (unsigned j = 0; j < proc_bits; ++j) a.column[offset_bits + j] = bit(d + j);
    return {a, 0};
  }
  void take(local::spread<T> const& spread, comm::window const& from, T* target) const {
    from.synchronize();
    spread(reinterpret_cast<T const*>(from.array()), target);
    from.synchronize();  // before others write there again
  }

  std::shared_ptr<comm::communicator const> comm_;
  std::shared_ptr<comm::node const> node_;
  std::optional<spread_execution<T, Comm, Element>> by_blocks_;
  std::optional<local::spread<T>> pack_;
  local::spread<T> from_sources_, from_parts_;
  index_t part_ = 0;
  bool reads_sources_ = false;
  comm::window window_;
};

template <class T, class Comm, class Element>
struct spread_by {
  using as = spread_execution<T, Comm, Element>;
};
template <class T, class Comm, class Element>
  requires ThroughWindows<T, Comm, Element>
struct spread_by<T, Comm, Element> {
  using as = shared_spread<T, Comm, Element>;
};

}  // namespace bmmc::detail
