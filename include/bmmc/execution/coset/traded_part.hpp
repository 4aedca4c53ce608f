// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/pipelined.hpp>
#include <bmmc/comm/surroundings.hpp>
#include <bmmc/comm/window.hpp>
#include <bmmc/execution/handover.hpp>
#include <bmmc/execution/permutation/scratch.hpp>
#include <bmmc/local/part_runs.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/transport/ring.hpp>
#include <bmmc/transport/workspace.hpp>

namespace bmmc::detail {

/// The policy that carries packed parts. A window would be copied into and out of, so `automatic`
/// sends them from where they are packed.
template <class Comm>
using carrier_of =
    std::conditional_t<std::derived_from<Comm, comm::automatic>, comm::pipelined, Comm>;
template <class Comm>
[[nodiscard]] carrier_of<Comm> carrier(Comm const& policy) {
  if constexpr (std::derived_from<Comm, comm::automatic>)
    return {};
  else
    return policy;
}

/// Parts of the chunks of two processes that change places, in pieces: element t of one, which lies
/// at points(t), and element t + step of the other, for all t. A piece is a coset of a space that
/// holds `step`, so what arrives for a piece belongs where it was packed: while one is under way
/// the one before is brought to its place, and all buffers stay in the cache.
/// Processes of a node may trade through memory that both see: then a piece is copied twice instead
/// of three times, and an empty message says that it is there. Before piece k is packed, k - depth
/// of the partner's has been said to be there, which it said after it had read k - 2 depth: so a
/// ring of 2 depth buffers needs no answer. Whether pieces are packed into the caches or past them
/// is measured in the first calls, see handover.
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
    pack_ = local::pass<T>(affine_map{identity_matrix(bits), 0}, {places, 0}, handover_.writing());
    if (!runs_.has_lines()) unpack_ = local::pass<T>(affine_map{places, 0});
    elements_ = bit(piece.dimension());
    depth_ = std::min(slots_of(policy), bit(pieces_.count));
    const auto proc = static_cast<index_t>(c->rank());
    const message whole{partner, 0, elements_};
    exchange_ = std::make_unique<comm::exchange>(c, message_pattern{proc, {{whole, whole}}},
                                                 element_.handle(), sizeof(T), elements_);
    ring_ = transport::ring(depth_, 1);
    comm_ = std::move(c);
    across_ = proc ^ partner;
  }

  /// Collective among those that trade: memory of a node is used where all partners share theirs,
  /// and there are enough pieces for it to pay. Without it messages carry the pieces.
  void open() {
    if (bit(pieces_.count) < least_pieces) return;
    try {
      auto node = comm::surroundings::of(*comm_)->node();
      if (across_ >= static_cast<index_t>(node->processes())) return;
      const auto other = static_cast<index_t>(node->place()) ^ across_;
      window_ = comm::agreed_window(*comm_, std::move(node), 2 * depth_ * piece_bytes());
      partners_ = reinterpret_cast<T const*>(window_.array() + other * window_.part_bytes());
      scratch_ = reinterpret_cast<T*>(window_.part());
    } catch (bad_value const&) {  // on all processes: there is no such memory
    }
  }

  /// In place where source and target are one array.
  void operator()(T const* source, T* target) {
    const transport::given_up_on_exception guard(ring_.receives(), ring_.sends());
    index_t leaving = 0, arriving = 0;  // the first elements of pieces, by number in the part
    const index_t count = bit(pieces_.count);
    is_past_caches_ = is_shared() && handover_.is_past_caches();
    if (is_shared())
      handover_.prepare(pack_);
    else
      handover_.keep(pack_);
    for (index_t k = 0; k < count + depth_ - 1; ++k) {
      if (k < count) {
        if (k != 0) pieces_.advance(leaving, k);
        start(k, source, points_(leaving));
      }
      if (k + 1 < depth_) continue;
      const index_t done = k + 1 - depth_;
      if (done != 0) pieces_.advance(arriving, done);
      finish(done, target, points_(arriving) ^ step_);
    }
    for (index_t slot = 0; slot < depth_; ++slot) ring_.wait_sent(slot);
    before_ += count;
    if (is_shared()) handover_.end_call();
  }

 private:
  static constexpr index_t usual_piece = index_t{1} << 17, least_pieces = 4;

  [[nodiscard]] static constexpr unsigned piece_bits(unsigned bits,
                                                     comm::piece_sizes const& policy) {
    const index_t bytes = policy.piece_bytes != 0 ? policy.piece_bytes : usual_piece;
    const auto most = highest_one(std::max<index_t>(2, bytes / sizeof(T)));
    return std::min(bits, most);
  }
  [[nodiscard]] std::size_t piece_bytes() const noexcept { return elements_ * sizeof(T); }
  [[nodiscard]] bool is_shared() const noexcept { return partners_ != nullptr; }
  /// Where piece k lies in a ring of 2 depth buffers that goes on from call to call.
  [[nodiscard]] index_t in_ring(index_t k) const noexcept {
    return (before_ + k) % (2 * depth_) * elements_;
  }
  [[nodiscard]] T* packed(index_t k) const noexcept {
    return scratch_ + (is_shared() ? in_ring(k) : k % depth_ * elements_);
  }
  [[nodiscard]] T const* arrived(index_t k) const noexcept {
    return is_shared() ? partners_ + in_ring(k) : scratch_ + (depth_ + k % depth_) * elements_;
  }

  void start(index_t k, T const* source, index_t offset) {
    const int messages = is_shared() ? 0 : 1;  // of no elements, or of a piece
    const index_t slot = k % depth_;
    ring_.receive(slot, 0, *exchange_, 0, const_cast<T*>(arrived(k)), exchange_->block_type(),
                  messages);
    ring_.wait_sent(slot);
    handover_.timed([&] { pack(source, offset, packed(k)); });
    std::atomic_thread_fence(std::memory_order_seq_cst);
    ring_.send(slot, 0, *exchange_, 0, packed(k), exchange_->block_type(), messages);
  }
  void finish(index_t k, T* target, index_t offset) {
    ring_.wait_received(k % depth_, *exchange_);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    handover_.timed([&] { unpack(arrived(k), offset, target); });
  }
  void pack(T const* source, index_t offset, T* packed) {
    if (runs_.has_lines() && !is_past_caches_) {
      runs_.set_offset(offset);
      runs_.pack(source, packed);
    } else {
      pack_.set_complement(0, offset);
      pack_(source, packed);
    }
  }
  void unpack(T const* packed, index_t offset, T* target) {
    if (runs_.has_lines()) {
      runs_.set_offset(offset);
      runs_.unpack(packed, target);
    } else {
      unpack_.set_complement(offset);
      unpack_(packed, target);
    }
  }

  affine_map points_;
  comm::datatype element_;
  T* scratch_;
  index_t step_ = 0, elements_ = 0, depth_ = 1;
  local::walk<index_t> pieces_{};
  local::part_runs<T> runs_;
  local::pass<T> pack_, unpack_;
  handover<> handover_{0};  // of pieces, which are small
  bool is_past_caches_ = false;
  std::unique_ptr<comm::exchange> exchange_;
  transport::ring ring_;
  std::shared_ptr<comm::communicator const> comm_;
  index_t across_ = 0;  // what is added to the number of a process
  comm::window window_;
  T const* partners_ = nullptr;  // the partner's part of it
  index_t before_ = 0;           // pieces of earlier calls
};

}  // namespace bmmc::detail
