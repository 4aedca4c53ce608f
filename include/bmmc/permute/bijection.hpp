// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include <bmmc/element/default_for.hpp>
#include <bmmc/permute.hpp>
#include <bmmc/permute/any_permutation.hpp>

namespace bmmc {

namespace detail {

/// What is permuted by rounds or by sorting: anything but an affine map, which has a better way.
template <class B>
concept NotAffine = std::same_as<B, target_list> || (IndexBijection<B> && !is_affine<B>);

/// What processes call a permutation of a kind.
template <class B>
[[nodiscard]] constexpr std::string_view function_of() {
  return std::same_as<B, target_list>          ? "permute by a list of targets"
         : std::same_as<B, stride_permutation> ? "permute by a stride"
         : std::same_as<B, digit_permutation>  ? "permute along axes"
                                               : "permute by a bijection";
}

template <class T, class Element, class Comm, class B>
void permute_any(std::shared_ptr<comm::communicator const> c, std::span<T const> source,
                 std::span<T> target, bool in_place, B const& b, Comm const& policy) {
  static_assert(comm::RaggedPolicy<Comm>,
                "a permutation that is not affine has messages of different lengths: its policy is "
                "comm::pairwise, comm::bitonic, or has move(); there is no budget to keep to");
  if constexpr (std::derived_from<Comm, comm::automatic>)
    permute_any<T, Element>(std::move(c), source, target, in_place, b, comm::pairwise{});
  else
    any_permutation<T, Comm, Element>(std::move(c), for_one_call(policy), source, target, in_place,
                                      function_of<B>())(b);
}

/// Whether a bijection of this type may be an affine permutation, which has a plan.
template <class Comm, class B>
inline constexpr bool may_have_plan =
    !std::same_as<Comm, comm::bitonic> &&
    (std::same_as<B, as_bijection> || std::same_as<B, digit_permutation>);

/// By its plan, for which there are other ways than in pairs.
template <class T, class Element, class Comm, Communicator C, class... Spans>
void permute_planned(C const& communicator, permutation<> const& p, Comm const& policy,
                     Spans... spans) {
  if constexpr (std::same_as<Comm, comm::pairwise>)
    permute<T, comm::automatic, layout::processor_major, Element>(communicator, spans..., p);
  else
    permute<T, Comm, layout::processor_major, Element>(communicator, spans..., p, {}, policy);
}

/// The affine permutation that this one is, where it is one and the processes allow a plan.
[[nodiscard]] inline std::optional<permutation<>> planned(comm::communicator const& c,
                                                          as_bijection const& b) {
  const auto procs = static_cast<index_t>(c.size());
  if (!std::has_single_bit(procs) || b.size() < procs) return std::nullopt;
  return b.map();
}
/// Here the values tell, so processes agree on them first: collective.
[[nodiscard]] inline std::optional<permutation<>> planned(comm::communicator const& c,
                                                          digit_permutation const& p) {
  if (!std::has_single_bit(static_cast<index_t>(c.size()))) return std::nullopt;
  const comm::exclusive_use use(c);
  std::array<comm::common_fact, 3> facts{
      {function_fact("permute along axes"), {"number of elements", p.size()}, {}}};
  comm::objection against;
  std::optional<permutation<>> affine;
  against.attempt("no memory for the tables of a permutation of axes", [&] {
    facts[2] = fact_of(p);
    if (p.size() >= static_cast<index_t>(c.size())) affine = as_affine(p);
  });
  comm::agree(c, against, facts);
  return affine;
}

}  // namespace detail

/// Permutes a distributed array by a bijection b of its indices that need not be affine: the
/// element at x goes to b(x). N elements on P processes, neither of them a power of two.
/// Shape   block layout: consecutive indices, the first N mod P processes hold one element more.
///   stride_permutation  no index travels and no table is made; exactly the elements that change
///                       their process are sent.
///   digit_permutation   the axes of an array of any extents: as a stride permutation; where it is
///                       affine and P is a power of two (and N >= P) by a plan.
///   as_bijection        an affine permutation: by a plan where P is a power of two (and N >= P).
///   IndexBijection      no index travels. Tables of two words per element, five while they are
///                       made; b and its inverse are called once for each element.
///   target_list         one word per element that leaves travels before the elements do.
/// Cost    comm::pairwise: at most P - 1 messages per process, in parts of 1 MiB, and a pass over
///         the chunk on either side. comm::bitonic: see there; P must be a power of two. Other
///         policies: as many messages, each padded to the longest of any process.
/// Memory  in place one chunk and 2 MiB; from a source to a target 2 MiB, or the padded messages
///         sent and received. Serialized elements need their bytes and the longest message
///         received instead. comm::bitonic: see there.
/// Errors  bad_value on every process, or on none, with the data untouched, before an element is
///         sent: a chunk of the wrong length, processes that disagree, a bijection that its inverse
///         does not undo, a list that is no permutation (with comm::bitonic that shows after the
///         sort, still before the chunk is written). transport_error where MPI fails.
/// Source  Orcutt 1974, sections VI and VII.
template <class T, class Comm = comm::pairwise, class Element = element::default_for<T>,
          Communicator C, detail::NotAffine B>
void permute(C const& communicator, std::type_identity_t<std::span<T>> chunk, B const& b,
             Comm const& policy = {}) {
  const auto c = comm::communicator::of(static_cast<MPI_Comm>(communicator));
  if constexpr (detail::may_have_plan<Comm, B>)
    if (const auto p = detail::planned(*c, b))
      return detail::permute_planned<T, Element>(communicator, *p, policy, chunk);
  detail::permute_any<T, Element>(c, std::span<T const>(chunk), chunk, true, b, policy);
}

/// The same from a source, which stays as it is, to a target that does not overlap it.
template <class T, class Comm = comm::pairwise, class Element = element::default_for<T>,
          Communicator C, detail::NotAffine B>
void permute(C const& communicator, std::type_identity_t<std::span<T const>> source,
             std::type_identity_t<std::span<T>> target, B const& b, Comm const& policy = {}) {
  const auto c = comm::communicator::of(static_cast<MPI_Comm>(communicator));
  if constexpr (detail::may_have_plan<Comm, B>)
    if (const auto p = detail::planned(*c, b))
      return detail::permute_planned<T, Element>(communicator, *p, policy, source, target);
  detail::permute_any<T, Element>(c, source, target, false, b, policy);
}

/// The same with the element type of the chunk, which need not be named: permute(world, chunk, b).
template <detail::Chunk Chunk, Communicator C, detail::NotAffine B, class Comm = comm::pairwise>
void permute(C const& communicator, Chunk&& chunk, B const& b, Comm const& policy = {}) {
  permute<detail::element_of<Chunk>, Comm>(communicator, std::span(chunk), b, policy);
}
template <detail::Chunk Source, detail::Chunk Target, Communicator C, detail::NotAffine B,
          class Comm = comm::pairwise>
void permute(C const& communicator, Source const& source, Target&& target, B const& b,
             Comm const& policy = {}) {
  permute<detail::element_of<Target>, Comm>(communicator, std::span(source), std::span(target), b,
                                            policy);
}

}  // namespace bmmc
