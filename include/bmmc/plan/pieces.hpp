// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>

#include <bmmc/gf2/elimination.hpp>
#include <bmmc/gf2/subspace.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc {

/// A plan cut into pieces that are gathered, sent and scattered one by one. Between gather G and
/// scatter Z the address z of an element has a block number above a place in the block. A piece is
/// a coset of a subspace U of the addresses z, spanned by
///     G e_0, Z^-1 e_0, G e_1, Z^-1 e_1, ...
/// so it consists of runs of the source that become runs of the target: whole lines on both sides.
/// The basis of U begins with vectors that stay in a block; the others lead to other blocks. In
/// that basis an element of the piece is addressed by message above place in the message.
/// All processes have the same U. Cost: O(n^3) word operations; no allocation.
class pieces {
 public:
  /// Pieces of 2^lg_elements elements, or one piece where there are fewer.
  constexpr pieces(plan const& p, unsigned lg_elements)
      : plan_(p), bits_(p.bits() - p.proc_bits()), within_(bits_ - p.rank()) {
    const unsigned m = bits_;
    const auto unscatter = inverse(p.scatter(0).matrix());
    const auto gather = p.gather(0).matrix();
    piece_bits_ = std::min(m, lg_elements);
    subspace u(m);
    for (unsigned j = 0; j < m; ++j) {
      if (u.dimension() < piece_bits_) u.add(gather.column[j]);
      if (u.dimension() < piece_bits_) u.add(unscatter.column[j]);
    }
    order_by_blocks(u.added());
    make_source_basis(inverse(gather));
  }

  /// Elements of a piece, pieces of a chunk, messages of a piece, elements of a message.
  [[nodiscard]] constexpr index_t elements() const noexcept { return bit(piece_bits_); }
  [[nodiscard]] constexpr index_t count() const noexcept { return bit(bits_ - piece_bits_); }
  [[nodiscard]] constexpr index_t messages() const noexcept {
    return bit(piece_bits_ - message_bits_);
  }
  [[nodiscard]] constexpr index_t message_elements() const noexcept { return bit(message_bits_); }

  /// The block of the plan that a message belongs to: it goes where that block goes.
  [[nodiscard]] constexpr index_t block(index_t piece, index_t message) const noexcept {
    return (basis_ * (piece << piece_bits_ | message << message_bits_)) >> within_;
  }

  /// Piece 0 is gathered by  buffer[gather_to()(s)] = source[gather_from()(s)]; others from other
  /// offsets of the source.
  [[nodiscard]] constexpr affine_map gather_to() const noexcept { return {to_buffer_, 0}; }
  [[nodiscard]] constexpr affine_map gather_from(index_t proc) const {
    return {from_source_, source_offset(proc, 0)};
  }
  [[nodiscard]] constexpr index_t source_offset(index_t proc, index_t piece) const {
    return ungather_ * (start(piece) ^ plan_.gather(proc).complement());
  }
  /// Whether each piece lies in the source as it does in the buffer, so that there is no need to
  /// gather it.
  [[nodiscard]] constexpr bool are_gathered(index_t proc) const {
    if (to_buffer_ != identity_matrix(piece_bits_)) return false;
    for (unsigned j = 0; j < piece_bits_; ++j)
      if (from_source_.column[j] != bit(j)) return false;
    index_t offsets = source_offset(proc, 0);
    for (unsigned j = piece_bits_; j < bits_; ++j)
      offsets |= source_offset(proc, bit(j - piece_bits_)) ^ source_offset(proc, 0);
    return (offsets & low_bits(piece_bits_)) == 0;
  }

  /// Piece 0 is scattered by  target[scatter(proc)(t)] = buffer[t]; others to other offsets.
  [[nodiscard]] constexpr affine_map scatter(index_t proc) const {
    return {plan_.scatter(proc).matrix() * submatrix(basis_, 0, bits_, 0, piece_bits_),
            scatter_offset(proc, 0)};
  }
  [[nodiscard]] constexpr index_t scatter_offset(index_t proc, index_t piece) const {
    return plan_.scatter(proc)(start(piece));
  }

 private:
  [[nodiscard]] constexpr index_t start(index_t piece) const noexcept {
    return basis_ * (piece << piece_bits_);
  }

  /// A basis of the addresses: of U within a block, of U, of all.
  constexpr void order_by_blocks(short_list<index_t> u) {
    // What is left of a vector when those that lead to other blocks have cleared what they can
    // stays in U, and in a block where its own block bits are gone.
    subspace leading(bits_), all(bits_);
    for (unsigned j = u.size(); j-- > 0;) {
      u[j] = leading.least(u[j]);
      if (const index_t blocks = u[j] >> within_ << within_; blocks != 0)
        leading.add(u[j], blocks & (~blocks + 1));
    }
    for (const index_t v : u)
      if (v >> within_ == 0) all.add(v);
    message_bits_ = all.dimension();
    for (const index_t v : u) all.add(v);
    for (unsigned j = 0; j < bits_; ++j) all.add(bit(j));
    basis_ = {bits_, all.added()};
  }

  /// A basis of the source places of piece 0 that begins with as many low bits as there are, so
  /// that they are read as runs.
  constexpr void make_source_basis(bit_matrix<> const& ungather) {
    ungather_ = ungather;
    const auto places = ungather * submatrix(basis_, 0, bits_, 0, piece_bits_);
    subspace chosen(bits_);
    unsigned low = 0;
    while (low < piece_bits_ && solve(places, bit(low))) chosen.add(bit(low++));
    for (const index_t v : places.column) chosen.add(v & ~low_bits(low));
    from_source_ = {bits_, chosen.added()};
    to_buffer_ = bit_matrix<>(piece_bits_, piece_bits_);
    for (unsigned j = 0; j < piece_bits_; ++j)
      to_buffer_.column[j] = *solve(places, from_source_.column[j]);
  }

  plan plan_;
  unsigned bits_, within_, piece_bits_ = 0, message_bits_ = 0;
  bit_matrix<> basis_, ungather_, from_source_, to_buffer_;
};

}  // namespace bmmc
