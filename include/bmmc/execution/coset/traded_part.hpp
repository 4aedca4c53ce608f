// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include <bmmc/comm/pipelined.hpp>
#include <bmmc/execution/permutation/scratch.hpp>
#include <bmmc/local/part_runs.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/transport/ring.hpp>
#include <bmmc/transport/workspace.hpp>

namespace bmmc::detail {

/// Parts of the chunks of two processes that change places, in pieces: element t of one, which lies
/// at points(t), and element t + step of the other, for all t. A piece is a coset of a space that
/// holds `step`, so what arrives for a piece belongs where it was packed: while one is under way
/// the one before is brought to its place, and all buffers stay in the cache.
template <class T>
class traded_part {
 public:
  /// Elements of the buffers, for a part of 2^bits.
  [[nodiscard]] static constexpr index_t scratch(unsigned bits, comm::piece_sizes const& policy) {
    return 2 * slots_of(policy) * bit(piece_bits(bits, policy));
  }

  traded_part(std::shared_ptr<comm::communicator const> c, index_t partner,
              affine_map const& points, index_t step, comm::datatype element,
              comm::piece_sizes const& policy, T* scratch)
      : points_(points), element_(std::move(element)), scratch_(scratch) {
    const unsigned n = points.matrix.cols(), bits = piece_bits(n, policy);
    subspace piece(n);
    for (unsigned j = 0; j < n && piece.dimension() + 1 < bits; ++j) piece.add(bit(j));
    piece.add(step);
    for (unsigned j = 0; j < n && piece.dimension() < bits; ++j) piece.add(bit(j));
    const bit_matrix<> places = points.matrix * piece.vectors;
    step_ = points.matrix * step;
    index_t added = step_ | points.complement;  // to the places of a piece
    for (unsigned j = 0; j < n; ++j)
      if ((piece.pivots & bit(j)) == 0) {
        pieces_.append(bit(j));
        added |= points.matrix.column[j];
      }
    runs_ = local::part_runs<T>({places, 0}, added);
    if (!runs_.has_lines()) {
      pack_ = local::pass<T>(affine_map{identity_matrix(bits), 0}, {places, 0});
      unpack_ = local::pass<T>(affine_map{places, 0});
    }
    elements_ = bit(piece.dimension());
    depth_ = std::min(slots_of(policy), bit(pieces_.count));
    const auto proc = static_cast<index_t>(c->rank());
    const message whole{partner, 0, elements_};
    exchange_ =
        std::make_unique<comm::exchange>(std::move(c), message_pattern{proc, {{whole, whole}}},
                                         element_.handle(), sizeof(T), elements_);
    ring_ = transport::ring(depth_, 1);
  }

  /// In place where source and target are one array.
  void operator()(T const* source, T* target) {
    const transport::given_up_on_exception guard(ring_.receives(), ring_.sends());
    index_t leaving = 0, arriving = 0;  // the first elements of pieces, by number in the part
    const index_t count = bit(pieces_.count);
    for (index_t k = 0; k < count + depth_ - 1; ++k) {
      if (k < count) {
        if (k != 0) pieces_.advance(leaving, k);
        start(k % depth_, source, points_(leaving));
      }
      if (k + 1 < depth_) continue;
      const index_t done = k + 1 - depth_;
      if (done != 0) pieces_.advance(arriving, done);
      finish(done % depth_, target, points_(arriving) ^ step_);
    }
    for (index_t slot = 0; slot < depth_; ++slot) ring_.wait_sent(slot);
  }

 private:
  static constexpr index_t usual_piece = index_t{1} << 17;

  [[nodiscard]] static constexpr unsigned piece_bits(unsigned bits,
                                                     comm::piece_sizes const& policy) {
    const index_t bytes = policy.piece_bytes != 0 ? policy.piece_bytes : usual_piece;
    const auto most =
        static_cast<unsigned>(std::bit_width(std::max<index_t>(2, bytes / sizeof(T)))) - 1;
    return std::min(bits, most);
  }
  [[nodiscard]] T* packed(index_t slot) const noexcept { return scratch_ + slot * elements_; }
  [[nodiscard]] T* arrived(index_t slot) const noexcept { return packed(depth_ + slot); }

  void start(index_t slot, T const* source, index_t offset) {
    ring_.receive(slot, 0, *exchange_, 0, arrived(slot), exchange_->block_type(), 1);
    ring_.wait_sent(slot);
    if (runs_.has_lines()) {
      runs_.set_offset(offset);
      runs_.pack(source, packed(slot));
    } else {
      pack_.set_complement(0, offset);
      pack_(source, packed(slot));
    }
    ring_.send(slot, 0, *exchange_, 0, packed(slot), exchange_->block_type(), 1);
  }
  void finish(index_t slot, T* target, index_t offset) {
    ring_.wait_received(slot, *exchange_);
    if (runs_.has_lines()) {
      runs_.set_offset(offset);
      runs_.unpack(arrived(slot), target);
    } else {
      unpack_.set_complement(offset);
      unpack_(static_cast<T const*>(arrived(slot)), target);
    }
  }

  affine_map points_;
  comm::datatype element_;
  T* scratch_;
  index_t step_ = 0, elements_ = 0, depth_ = 1;
  local::walk<index_t> pieces_{};
  local::part_runs<T> runs_;
  local::pass<T> pack_, unpack_;
  std::unique_ptr<comm::exchange> exchange_;
  transport::ring ring_;
};

}  // namespace bmmc::detail
