// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/execution/block_list.hpp>
#include <bmmc/execution/workspace.hpp>

namespace bmmc::detail {

/// Carries blocks that travel from where they lie in rounds that do not wait for each other: a few
/// parts of blocks are always under way, while the one that came first is used.
/// Memory  combining: the parts under way; else nothing.
template <class T, class Element>
class pipelined_blocks {
 public:
  pipelined_blocks(block_list list, bool combines, comm::pipelined const& policy)
      : list_(std::move(list)),
        part_(std::min(list_.elements, part_of(combines, policy.piece_bytes))),
        parts_((list_.elements + part_ - 1) / part_) {
    comm::for_each_partner(list_.comm->rank(), list_.out, list_.in,
                           [&](std::size_t out, std::size_t in) {
                             rounds_.push_back({out, in});
                           });
    const index_t most = std::max<index_t>(1, rounds_.size() * parts_);
    slots_.resize(std::clamp<index_t>(policy.in_flight, 1, most));
    if (combines && !list_.in.empty()) landing_ = workspace<T>(slots_.size() * part_);
  }

  /// Brings every block to its position in the target.
  void deliver(T const* source, T* target) {
    run(
        source, [&](step const& s) { return target + list_.in[s.in].position + s.first; },
        [&](step const& s, T const* data, T* to) {
          if (data != to) std::copy_n(data, s.count, to);
        });
  }
  /// Hands every block to arrive, once ready() has been called.
  template <class Ready, class Arrive>
  void combine(T const* source, Ready ready, Arrive arrive) {
    ready();
    run(
        source, [&](step const& s) { return landing_.elements().data() + s.slot * part_; },
        [&](step const& s, T const* data, T*) { arrive(s.in, s.first, s.count, data); });
  }

 private:
  struct round {
    std::size_t out, in;
  };
  /// A part of the blocks of one round.
  struct step {
    std::size_t out, in, slot;
    index_t first, count;
  };
  using requests = std::array<MPI_Request, 2>;

  /// What is combined is cut, so that it comes while other parts are used; else only MPI's int asks
  /// for parts.
  [[nodiscard]] static index_t part_of(bool combines, std::size_t piece_bytes) noexcept {
    const std::size_t bytes = combines ? (piece_bytes != 0 ? piece_bytes : bit(18)) : bit(30);
    return std::max<index_t>(1, bytes / sizeof(T));
  }
  [[nodiscard]] step step_at(index_t k) const noexcept {
    round const& r = rounds_[k / parts_];
    const index_t first = k % parts_ * part_;
    return {r.out, r.in, k % slots_.size(), first, std::min(part_, list_.elements - first)};
  }
  [[nodiscard]] bool stays(step const& s) const {
    return s.in != comm::none && list_.stays(list_.in[s.in]);
  }

  /// place(step) is where a part lands, use(step, data, place) is called in the order of steps.
  template <class Place, class Use>
  void run(T const* source, Place place, Use use) {
    const index_t steps = rounds_.size() * parts_, depth = slots_.size();
    for (index_t k = 0; k < steps + depth; ++k) {
      if (k >= depth && k - depth < steps) finish(step_at(k - depth), source, place, use);
      if (k < steps) start(step_at(k), source, place);
    }
  }

  template <class Place>
  void start(step const& s, T const* source, Place place) {
    slots_[s.slot] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (stays(s)) return;
    const auto count = static_cast<int>(s.count);
    MPI_Comm const c = list_.comm->handle();
    if (s.in != comm::none)
      comm::check(MPI_Irecv(place(s), count, element_.handle(), list_.in[s.in].proc, 0, c,
                            &slots_[s.slot][0]),
                  "MPI_Irecv");
    if (s.out != comm::none)
      comm::check(MPI_Isend(source + list_.out[s.out].position + s.first, count, element_.handle(),
                            list_.out[s.out].proc, 0, c, &slots_[s.slot][1]),
                  "MPI_Isend");
  }
  template <class Place, class Use>
  void finish(step const& s, T const* source, Place place, Use use) {
    std::array<MPI_Status, 2> status{};
    comm::check(MPI_Waitall(2, slots_[s.slot].data(), status.data()), "MPI_Waitall");
    if (s.in == comm::none) return;
    T* const to = place(s);
    if (stays(s)) return use(s, source + list_.out[s.out].position + s.first, to);
    int received = 0;
    comm::check(MPI_Get_count(status.data(), element_.handle(), &received), "MPI_Get_count");
    if (received != static_cast<int>(s.count))
      throw transport_error("MPI_Irecv received a short message (process " +
                            std::to_string(list_.comm->rank()) + ", from " +
                            std::to_string(list_.in[s.in].proc) + ")");
    use(s, to, to);
  }

  block_list list_;
  index_t part_, parts_;
  std::vector<requests> slots_;
  std::vector<round> rounds_;
  comm::datatype element_ = Element::template datatype<T>();
  workspace<T> landing_;
};

}  // namespace bmmc::detail
