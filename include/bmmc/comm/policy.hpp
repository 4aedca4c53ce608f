// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdint>

namespace bmmc::comm {

/// The blocks of one process that a policy has to move: see bmmc/transport/exchange.hpp.
class exchange;

/// Moves blocks from one array to another. Serves permute, gather and reduce.
template <class P>
concept MovingPolicy =
    std::copyable<P> && requires(P& policy, exchange const& e, void const* source, void* target) {
      policy.move(e, source, target);
    };

/// Replaces the blocks of one array. Serves permute: a map has two arrays, and a block of its
/// source may have many readers or none.
template <class P>
concept ReplacingPolicy = std::copyable<P> && requires(P& policy, exchange const& e, void* data) {
  policy.replace(e, data);
};

/// A way to carry out an exchange on a plain MPI_Comm: one of the two functions above, called by
/// all processes alike. It moves every block, those that stay on their process too; it throws
/// transport_error where MPI fails; it sends nothing else to others. Optional members:
///   prepare(e)            called once before e is performed: for tables. It sends nothing; where
///                         it throws on one process, all are told
///   settings()            a number on which processes must agree
///   for_one_call()        the policy to take where a permutation or map is carried out once
///   operator==            compares what differs for a user; tables that follow from e do not
template <class P>
concept Policy = ReplacingPolicy<P> || MovingPolicy<P>;

/// A policy that keeps tables.
template <class P>
concept PreparedPolicy = Policy<P> && requires(P& policy, exchange const& e) { policy.prepare(e); };

}  // namespace bmmc::comm

namespace bmmc::detail {

/// What processes must agree on of a policy.
template <class Comm>
[[nodiscard]] std::uint64_t settings_of(Comm const& policy) {
  if constexpr (requires { policy.settings(); })
    return policy.settings();
  else
    return 0;
}

/// A policy that will be used once.
template <class Comm>
[[nodiscard]] Comm for_one_call(Comm const& policy) {
  if constexpr (requires {
                  { policy.for_one_call() } -> std::convertible_to<Comm>;
                })
    return policy.for_one_call();
  else
    return policy;
}

}  // namespace bmmc::detail
