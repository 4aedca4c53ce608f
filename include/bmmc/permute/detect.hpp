// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <bmmc/comm/call.hpp>
#include <bmmc/index/detect.hpp>
#include <bmmc/permute/bijection.hpp>

namespace bmmc {

namespace detail {

/// Random words: splitmix64 (Steele, Lea and Flood 2014).
struct word_generator {
  std::uint64_t state;

  [[nodiscard]] static constexpr std::uint64_t min() { return 0; }
  [[nodiscard]] static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }
  constexpr std::uint64_t operator()() { return pair_hash(state++, 0); }
};

/// A list of targets in blocks over the processes of a communicator, seen as a function where this
/// process has it.
class distributed_list {
 public:
  distributed_list(comm::communicator const& c, target_list const& list, std::string_view function)
      : comm_(c), targets_(list.targets), me_(static_cast<index_t>(c.rank())) {
    const auto called = function_fact(function);
    comm::agree(c, {}, {&called, 1});
    const index_t elements = comm::sum_of(c, list.targets.size());
    layout_ = layout::blocks(elements, static_cast<index_t>(c.size()));
    comm::objection against;
    if (targets_.size() != layout_.count(me_))
      against.attempt("the list does not lie in blocks", [&] {
        return detail::text(
            {"the list must hold ", layout_.count(me_), " targets, not ", targets_.size()});
      });
    comm::agree(c, against);
  }

  [[nodiscard]] layout::blocks const& layout() const { return layout_; }
  [[nodiscard]] index_t first() const { return layout_.first(me_); }
  [[nodiscard]] bool has(index_t x) const { return x - first() < targets_.size(); }
  [[nodiscard]] index_t operator()(index_t x) const { return targets_[x - first()]; }

  /// The map through the probes, which their owners tell all others. 8 (n + 1) bytes, one
  /// reduction.
  [[nodiscard]] detection through_probes() const {
    const auto n = lowest_one(layout_.elements());
    std::array<index_t, 65> told{};
    for (unsigned j = 0; j <= n; ++j)
      if (const index_t x = j == n ? 0 : bit(j); has(x)) told[j] = (*this)(x);
    comm::check(MPI_Allreduce(MPI_IN_PLACE, told.data(), static_cast<int>(n + 1), MPI_UINT64_T,
                              MPI_BOR, comm_.handle()),
                "MPI_Allreduce");
    return detail::through_probes(n, [&](index_t x) { return told[x == 0 ? n : lowest_one(x)]; });
  }

  /// Refuses where a process has a witness; all name the least one.
  [[nodiscard]] detection agreed(detection const& found, std::optional<index_t> witness) const {
    index_t least = witness.value_or(~index_t{0});
    comm::check(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UINT64_T, MPI_MIN, comm_.handle()),
                "MPI_Allreduce");
    return least == ~index_t{0} ? found : refused_at(found, least);
  }

 private:
  comm::communicator const& comm_;
  std::span<index_t const> targets_;
  index_t me_;
  layout::blocks layout_;
};

}  // namespace detail

/// Decides whether a permutation given as a distributed list is affine, and which: the same answer
/// on all processes. Exact: each process checks its part. Collective.
/// Cost    O(N / P) on each process, five small reductions; the list does not travel.
/// Errors  bad_value on all processes unless the list lies in blocks (layout::blocks).
template <Communicator C>
[[nodiscard]] detection detect(C const& communicator, target_list const& list) {
  const auto c = comm::communicator::of(static_cast<MPI_Comm>(communicator));
  const comm::exclusive_use use(*c);
  const detail::distributed_list all(*c, list, "detect");
  if (!detail::has_index_bits(all.layout().elements())) return {};
  const auto found = all.through_probes();
  if (!found.is_bmmc()) return found;
  return all.agreed(found,
                    detail::first_difference(found.map, all.first(), list.targets.size(), all));
}

/// The same by n + 1 probes and ceil(ln(1 / eta) / epsilon) random ones, each tried by the process
/// that holds it: see detect_quickly of one process. All draw the same numbers from process 0's
/// seed.
template <Communicator C>
[[nodiscard]] detection detect_quickly(C const& communicator, target_list const& list,
                                       double epsilon, double eta, std::uint64_t seed) {
  const auto c = comm::communicator::of(static_cast<MPI_Comm>(communicator));
  const comm::exclusive_use use(*c);
  const detail::distributed_list all(*c, list, "detect_quickly");
  std::array<double, 2> both{epsilon, eta};
  comm::check(MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, c->handle()), "MPI_Bcast");
  comm::check(MPI_Bcast(both.data(), 2, MPI_DOUBLE, 0, c->handle()), "MPI_Bcast");
  const index_t probes = detail::probes_for(both[0], both[1]);
  if (!detail::has_index_bits(all.layout().elements())) return {};
  const auto found = all.through_probes();
  if (!found.is_bmmc()) return found;
  detail::word_generator generator{seed};
  std::optional<index_t> witness;
  for (index_t k = 0; k < probes; ++k) {
    const index_t x = detail::random_index(found.map.bits(), generator);
    if (!witness && all.has(x) && all(x) != found.map(x)) witness = x;
  }
  return all.agreed(found, witness);
}

}  // namespace bmmc
