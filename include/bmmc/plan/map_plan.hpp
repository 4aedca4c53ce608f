// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <optional>

#include <bmmc/gf2/elimination.hpp>
#include <bmmc/index/maps.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc {

/// What a process sends to others, or receives from them: what it keeps is not counted.
struct traffic {
  index_t messages = 0, elements = 0;
  friend constexpr bool operator==(traffic const&, traffic const&) = default;
};

/// Traffic of any affine map between two distributed arrays, from its domain, 2^m elements, to its
/// image side, 2^n elements, known before any data moves. Values travel against the map (gather) or
/// along it (reduce), by the same blocks:
///   - The list of a domain process holds the addresses that its elements are mapped to, each once,
///     in ascending order: a coset of the column space of the offset columns of A. It falls into
///     2^r blocks of 2^e addresses, one for each process that owns some; r is the rank of gamma,
///     the part of A from offsets to process bits, and r + e the rank of all offset columns.
///   - An image process exchanges blocks with none or 2^w domain processes, w = p + r less the rank
///     of the process rows of A. A block is a coset of one subspace of its offsets for all of them.
/// Both sides count their partners by ascending exclusive or of the process numbers, so that in any
/// round pairs speak to each other.
/// It holds no tables: some kilobytes, whatever n, m and p are.
/// Source  Hou, Wang, Ku and Hsu 2001, section 2.2 (linear-complement gather and scatter), for
///         2^(n-p) elements on each process.
class map_plan {
 public:
  /// The partners of one process, itself included where it is one. Partner and place of its block
  /// are affine in the step, 0 .. count - 1.
  struct partners {
    index_t count = 0;
    affine_map procs{}, positions{};
  };

  /// `physical` maps processor-major addresses of the domain to those of the image side.
  /// Throws bad_value for more processes than elements on either side.
  constexpr map_plan(affine_map const& physical, unsigned p) : physical_(physical), p_(p) {
    detail::require_map(physical);
    detail::require_processes(physical.matrix.rows(), p);
    detail::require_processes(physical.matrix.cols(), p);
    m_ = physical.matrix.cols() - p;
    n_ = physical.matrix.rows() - p;
    auto const& a = physical.matrix;
    const auto offsets = submatrix(a, 0, a.rows(), 0, m_);
    space_ = column_space(offsets);
    rank_ = static_cast<unsigned>(std::popcount(space_.pivots >> n_));
    const unsigned e = space_.dimension() - rank_;
    list_ = extract_rows(offsets, space_.pivots);
    block_ = submatrix(space_.vectors, 0, n_, 0, e);
    low_of_step_ = submatrix(space_.vectors, 0, n_, e, rank_);
    proc_of_step_ = submatrix(space_.vectors, n_, p, e, rank_);
    bit_matrix<> least(a.rows(), p);
    for (unsigned k = 0; k < p; ++k) least.column[k] = space_.least(a.column[m_ + k]);
    low_of_proc_ = submatrix(least, 0, n_, 0, p);
    proc_of_proc_ = submatrix(least, n_, p, 0, p);
    least_ = space_.least(physical.complement);
    users_ = kernel(proc_of_proc_);
    const auto users_low = low_of_proc_ * users_.vectors;
    repeats_ = kernel(users_low).pivots;
    region_ = column_space(users_low);
  }

  [[nodiscard]] constexpr unsigned domain_bits() const noexcept { return m_ + p_; }
  [[nodiscard]] constexpr unsigned image_bits() const noexcept { return n_ + p_; }
  [[nodiscard]] constexpr unsigned proc_bits() const noexcept { return p_; }
  [[nodiscard]] constexpr index_t procs() const noexcept { return bit(p_); }
  /// Elements of one process.
  [[nodiscard]] constexpr index_t domain_elements() const noexcept { return bit(m_); }
  [[nodiscard]] constexpr index_t image_elements() const noexcept { return bit(n_); }

  /// Elements of each block: 2^e.
  [[nodiscard]] constexpr index_t block_elements() const noexcept { return bit(block_.cols()); }
  /// Addresses in the list of a domain process: 2^(r+e).
  [[nodiscard]] constexpr index_t list_elements() const noexcept { return bit(space_.dimension()); }
  /// Elements of an image process that some domain process has in its list; none where the image
  /// does not reach the process.
  [[nodiscard]] constexpr index_t region_elements() const noexcept {
    return bit(block_.cols() + region_.dimension());
  }

  /// The processes that own what domain process `proc` has in its list; positions are in the list.
  [[nodiscard]] constexpr partners of_domain(index_t proc) const {
    const unsigned e = block_.cols();
    const index_t high = space_.pivots >> n_;
    const index_t first = proc_of_proc_ * proc ^ (least_ >> n_) ^ proc_of_step_ * own_step(proc);
    bit_matrix<> places(e + rank_, rank_);
    for (unsigned b = 0; b < rank_; ++b) places.column[b] = bit(e + b);
    return {bit(rank_), {proc_of_step_, first}, {places, extract_bits(proc, high) << e}};
  }
  /// The processes that have elements of image process `proc` in their lists; positions are offsets
  /// of that process, see block().
  [[nodiscard]] constexpr partners of_image(index_t proc) const {
    const index_t step = own_step(proc), wanted = proc ^ proc_of_step_ * step ^ (least_ >> n_);
    const auto some = solve(proc_of_proc_, wanted);
    if (!some) return {};
    const index_t first = users_.least(*some ^ proc) ^ proc;
    const index_t base = low_of_proc_ * first ^ low_of_step_ * step ^ (least_ & low_bits(n_));
    return {
        bit(users_.dimension()), {users_.vectors, first}, {low_of_proc_ * users_.vectors, base}};
  }
  /// Whether no earlier partner of an image process has the same block.
  [[nodiscard]] constexpr bool is_first(index_t step) const noexcept {
    return (step & repeats_) == 0;
  }

  /// Place in the list for each offset of domain process `proc`.
  [[nodiscard]] constexpr affine_map list(index_t proc) const {
    return {list_, space_.coordinates(physical_(proc << m_))};
  }
  /// Whether on all processes each offset is its own place in the list.
  [[nodiscard]] constexpr bool lists_are_offsets() const {
    bool are = list_ == identity_matrix(m_) && list(0).complement == 0;
    for (unsigned j = 0; j < p_; ++j) are = are && list(bit(j)).complement == 0;
    return are;
  }
  /// The address at a place in the list of domain process `proc`, and where the block of image
  /// process `image` begins in the list of any process that has one.
  [[nodiscard]] constexpr index_t address(index_t proc, index_t place) const {
    return space_.least(physical_(proc << m_)) ^ space_.vectors * place;
  }
  [[nodiscard]] constexpr index_t place_in_list(index_t image) const noexcept {
    return own_step(image) << block_.cols();
  }
  /// Element j of the block at position z of an image process has the offset z + block() j.
  [[nodiscard]] constexpr bit_matrix<> const& block() const noexcept { return block_; }
  /// All different blocks of an image process, one after the other: offsets by place; and the place
  /// of a block in that row.
  [[nodiscard]] constexpr affine_map region(partners const& of_image) const {
    const unsigned e = block_.cols(), more = region_.dimension();
    bit_matrix<> a(n_, e + more);
    for (unsigned j = 0; j < e; ++j) a.column[j] = block_.column[j];
    for (unsigned j = 0; j < more; ++j) a.column[e + j] = region_.vectors.column[j];
    return {a, region_.least(of_image.positions.complement)};
  }
  [[nodiscard]] constexpr index_t place_in_region(index_t position) const noexcept {
    return region_.coordinates(position) << block_.cols();
  }

  /// No value leaves its process.
  [[nodiscard]] constexpr bool is_local() const noexcept {
    return rank_ == 0 && (least_ >> n_) == 0 && proc_of_proc_ == identity_matrix(p_);
  }
  /// The addresses on the image side for the offsets of domain process `proc`.
  [[nodiscard]] constexpr affine_map addresses(index_t proc) const {
    return {submatrix(physical_.matrix, 0, n_ + p_, 0, m_), physical_(proc << m_)};
  }
  /// The map of a process's own offsets where the plan is local.
  [[nodiscard]] constexpr affine_map local(index_t proc) const {
    return {submatrix(physical_.matrix, 0, n_, 0, m_), physical_(proc << m_) & low_bits(n_)};
  }

  /// What a process exchanges with others for its part of the domain, and of the image side.
  [[nodiscard]] constexpr traffic domain_traffic(index_t proc) const {
    return with_others(of_domain(proc), proc);
  }
  [[nodiscard]] constexpr traffic image_traffic(index_t proc) const {
    return with_others(of_image(proc), proc);
  }

  /// The map from addresses to addresses that is carried out.
  [[nodiscard]] constexpr affine_map const& physical() const noexcept { return physical_; }
  friend constexpr bool operator==(map_plan const&, map_plan const&) = default;

 private:
  /// The step in which the process rows of the list's vectors have proc's bits at their pivots.
  [[nodiscard]] constexpr index_t own_step(index_t proc) const noexcept {
    return extract_bits(proc, space_.pivots >> n_);
  }
  /// Steps count partners from the least exclusive or on, which is 0 for the process itself.
  [[nodiscard]] constexpr traffic with_others(partners const& p, index_t proc) const noexcept {
    const index_t messages = p.count - (p.count != 0 && p.procs.complement == proc ? 1 : 0);
    return {messages, messages * block_elements()};
  }

  affine_map physical_;
  unsigned p_, m_ = 0, n_ = 0, rank_ = 0;
  subspace space_;                           // of a list, and of a block in it
  bit_matrix<> list_, block_;                // offset -> place in the list; place -> offset
  bit_matrix<> low_of_step_, proc_of_step_;  // step -> block
  bit_matrix<> low_of_proc_, proc_of_proc_;  // domain process -> least address of its list
  index_t least_ = 0, repeats_ = 0;
  subspace users_, region_;
};

/// target[y] = source[A y + c]: the domain of the map is the target.
struct gather_plan : map_plan {
  using map_plan::map_plan;
  /// Elements of one process.
  [[nodiscard]] constexpr index_t source_elements() const noexcept { return image_elements(); }
  [[nodiscard]] constexpr index_t target_elements() const noexcept { return domain_elements(); }
  [[nodiscard]] constexpr traffic sent(index_t proc) const { return image_traffic(proc); }
  [[nodiscard]] constexpr traffic received(index_t proc) const { return domain_traffic(proc); }
};

/// target[y] = sum of all source[x] with A x + c = y: the domain of the map is the source.
struct reduce_plan : map_plan {
  using map_plan::map_plan;
  /// Elements of one process.
  [[nodiscard]] constexpr index_t source_elements() const noexcept { return domain_elements(); }
  [[nodiscard]] constexpr index_t target_elements() const noexcept { return image_elements(); }
  [[nodiscard]] constexpr traffic sent(index_t proc) const { return domain_traffic(proc); }
  [[nodiscard]] constexpr traffic received(index_t proc) const { return image_traffic(proc); }
};

namespace detail {
[[nodiscard]] constexpr affine_map between_addresses(permutation<> const& domain,
                                                     affine_map const& map,
                                                     permutation<> const& image) {
  return compose(as_map(image), compose(map, as_map(inverse(domain))));
}
}  // namespace detail

/// Plans target[y] = source[A y + c]: A has a column for each bit of target indices and a row for
/// each bit of source indices.
/// Cost    O(n^2) word operations; no allocation, no communication; constant expressions allowed.
/// Errors  bad_value unless procs is a power of two, at most the number of elements on either side,
///         and the layout fits both.
template <Layout L = layout::processor_major>
[[nodiscard]] constexpr gather_plan make_gather_plan(affine_map const& map, L const& l,
                                                     index_t procs) {
  const unsigned p = proc_bits_of(procs);
  detail::require_map(map);
  const auto source = layout::source_map(l, map.matrix.rows(), p);
  const auto target = layout::target_map(l, map.matrix.cols(), p);
  return gather_plan(detail::between_addresses(target, map, source), p);
}

/// Plans target[y] = sum of all source[x] with A x + c = y: A has a column for each bit of source
/// indices and a row for each bit of target indices. Cost and errors as make_gather_plan.
template <Layout L = layout::processor_major>
[[nodiscard]] constexpr reduce_plan make_reduce_plan(affine_map const& map, L const& l,
                                                     index_t procs) {
  const unsigned p = proc_bits_of(procs);
  detail::require_map(map);
  const auto source = layout::source_map(l, map.matrix.cols(), p);
  const auto target = layout::target_map(l, map.matrix.rows(), p);
  return reduce_plan(detail::between_addresses(source, map, target), p);
}

}  // namespace bmmc
