// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <bmmc/execution/handover.hpp>
#include <bmmc/execution/map/spread.hpp>

namespace bmmc::detail {

/// A gather within one node: each process puts what others need into its part of a window, a block
/// after the other, and takes what it needs from all parts in one pass. What stands in a window
/// already is taken from there, unless it is wide apart and wanted often, or only blocks are lines.
template <class T>
class shared_spread final : public gather_runner<T> {
 public:
  /// Not for elements repeated so often that a list of them is worth a copy: see spread_of_blocks.
  [[nodiscard]] static bool serves(gather_plan const& p, comm::node const* n) {
    constexpr index_t many = 8;
    return !p.is_local() && n != nullptr && n->bits() == p.proc_bits() &&
           p.domain_elements() < many * p.list_elements();
  }

  shared_spread(std::shared_ptr<comm::communicator const> c, gather_plan const& p,
                std::shared_ptr<comm::node const> n)
      : comm_(std::move(c)), node_(std::move(n)) {
    const auto proc = static_cast<index_t>(comm_->rank());
    const auto readers = p.of_image(proc);
    const auto blocks = p.region(readers).matrix;  // the same for all processes
    const auto region = column_space(blocks);
    part_ = p.region_elements();
    handover_ = handover<>(part_ * sizeof(T));
    if (readers.count != 0)
      pack_.emplace(affine_map{blocks, region.least(readers.positions.complement)},
                    handover_.writing());
    const affine_map from = p.addresses(proc);
    const affine_map from_parts =
        compose(places_in_parts(region, p.image_bits() - p.proc_bits(), p.proc_bits()), from);
    from_parts_ = local::spread<T>(from_parts);
    // by what is the same for all processes, since all read the same window
    reads_sources_ = (part_ == p.image_elements() || p.list_elements() == p.domain_elements()) &&
                     (wants_lines(from.matrix) || !wants_lines(from_parts.matrix));
    if (reads_sources_) from_sources_ = local::spread<T>(from);
  }
  void open() override { window_ = comm::agreed_window(*comm_, node_, part_ * sizeof(T)); }

  void operator()(T const* source, T* target) override {
    if (pack_) handover_.prepare(*pack_);
    transport::through_window(
        *node_, window_,
        [&](std::byte* part) {
          if (pack_) handover_.timed([&] { (*pack_)(source, reinterpret_cast<T*>(part)); });
        },
        [&](std::byte* array) {
          handover_.timed([&] { from_parts_(reinterpret_cast<T const*>(array), target); });
        });
    handover_.end_call();
  }
  void operator()(shared_vector<T> const& source, T* target) override {
    if (!reads_sources_ || !source.memory().owner()->is_like(*node_))
      return (*this)(source.data(), target);
    transport::through_window(
        *node_, source.memory(), [](std::byte*) {},
        [&](std::byte* array) { from_sources_(reinterpret_cast<T const*>(array), target); });
  }

 private:
  /// Whether the places that a matrix reaches are whole lines.
  [[nodiscard]] static bool wants_lines(bit_matrix<> const& a) {
    return sizeof(T) << local::run_bits({column_space(a).vectors, 0}) >= local::line_bytes;
  }
  /// From addresses to places in a row of the parts of all processes, each of them a region: a
  /// place counts the vectors that span it, in their order.
  [[nodiscard]] static affine_map places_in_parts(subspace const& region, unsigned offset_bits,
                                                  unsigned proc_bits) {
    const unsigned d = region.dimension();
    bit_matrix<> a(d + proc_bits, offset_bits + proc_bits);
    for (unsigned j = 0; j < offset_bits; ++j) a.column[j] = region.sum_of(bit(j));
    for (unsigned j = 0; j < proc_bits; ++j) a.column[offset_bits + j] = bit(d + j);
    return {a, 0};
  }

  std::shared_ptr<comm::communicator const> comm_;
  std::shared_ptr<comm::node const> node_;
  std::optional<local::spread<T>> pack_;
  local::spread<T> from_sources_, from_parts_;
  handover<> handover_;
  index_t part_ = 0;
  bool reads_sources_ = false;
  comm::window window_;
};

template <class T, class Element, class Comm>
[[nodiscard]] std::unique_ptr<gather_runner<T>> make_gather_runner(
    std::shared_ptr<comm::communicator const> c, gather_plan const& p, Comm const& policy,
    std::shared_ptr<comm::node const> n) {
  if constexpr (ThroughWindows<T, Element, Comm>)
    if (shared_spread<T>::serves(p, n.get()))
      return std::make_unique<shared_spread<T>>(std::move(c), p, std::move(n));
  return std::make_unique<spread_of_blocks<T, Element, Comm>>(std::move(c), p, policy,
                                                              std::move(n));
}

}  // namespace bmmc::detail
