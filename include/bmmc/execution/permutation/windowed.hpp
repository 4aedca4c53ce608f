// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <bmmc/comm/shared_window.hpp>
#include <bmmc/comm/surroundings.hpp>
#include <bmmc/execution/element_kind.hpp>
#include <bmmc/execution/handover.hpp>
#include <bmmc/execution/permutation/runner.hpp>
#include <bmmc/execution/permutation/scratch.hpp>
#include <bmmc/execution/permutation/used_window.hpp>

namespace bmmc::detail {

/// Carries out a plan piece by piece through a small window, where all processes share memory: each
/// gathers a piece into its part, and takes what it needs of that piece from the parts of all to
/// its target. Hardly any memory is touched for the first time.
/// Two pieces have room, so that one is written while others still read the one before: there is
/// one barrier for each piece.
/// Memory  two pieces, in the window; in place a chunk, too.
class windowed_plan final : public plan_runner {
 public:
  /// The policy's node, if none is known.
  windowed_plan(std::shared_ptr<comm::communicator const> c, plan const& p,
                element_kind const& element, comm::shared_window const& policy,
                working_memory memory, std::shared_ptr<comm::node const> n = nullptr)
      : comm_(std::move(c)),
        node_(std::move(n)),
        processes_per_node_(policy.processes_per_node),
        plan_(p),
        pieces_(window_pieces(p, element.bytes(), policy.piece_bytes)),
        element_bytes_(element.bytes()),
        scratch_(memory.scratch),
        proc_(static_cast<index_t>(comm_->rank())),
        window_(memory) {
    handover_ = handover<>(p.chunk_elements() * element.bytes());
    gather_ = element.pass(pieces_.gather_to(), pieces_.gather_from(proc_), handover_.writing());
    take_ = element.pass(pieces_.scatter(proc_), places(), handover_.reading());
    if (!memory.in_place || pieces_.count() == 1) return;
    copy_ = element.pass(identity_permutation(piece_bits()), handover_.writing());
  }

  void open() override {
    if (!node_) node_ = comm::surroundings::node_of(*comm_, processes_per_node_);
    window_.open(*comm_, node_, slots * piece_bytes(), [&] {
      if (node_->bits() != plan_.proc_bits())
        detail::refuse({"pieces go through a window that all ", plan_.procs(),
                        " processes see; here ", node_->processes(), " share memory"});
    });
  }

  void move(void const* source, void* target) override {
    handover_.prepare(gather_, take_);
    for (index_t k = 0; k < pieces_.count(); ++k) {
      handover_.timed([&] { gather(k, source, slot()); });
      take(k, target);
    }
    leave_window();
  }
  void in_place(void* chunk) override {
    if (pieces_.count() == 1) return move(chunk, chunk);
    auto* const gathered = static_cast<std::byte*>(scratch_);
    handover_.keep(gather_);
    for (index_t k = 0; k < pieces_.count(); ++k) gather(k, chunk, gathered + k * piece_bytes());
    handover_.prepare(copy_, take_);
    for (index_t k = 0; k < pieces_.count(); ++k) {  // all has left the chunk
      handover_.timed([&] { copy_(gathered + k * piece_bytes(), slot()); });
      take(k, chunk);
    }
    leave_window();
  }

 private:
  static constexpr index_t slots = 2;

  [[nodiscard]] std::size_t piece_bytes() const { return pieces_.elements() * element_bytes_; }
  [[nodiscard]] std::byte* slot() const { return window_->part() + next_ * piece_bytes(); }
  [[nodiscard]] unsigned piece_bits() const { return lowest_one(pieces_.elements()); }
  [[nodiscard]] unsigned part_bits() const { return piece_bits() + 1; }

  /// Its halves are used in turn, so that calls of this one need no barrier between them.
  void leave_window() {
    if (window_.is_shared() && window_.needs_last_barrier()) node_->synchronize();
    handover_.end_call();
  }
  void gather(index_t piece, void const* source, void* to) {
    gather_.set_complement(0, pieces_.source_offset(proc_, piece));
    gather_(source, to);
  }
  void take(index_t piece, void* target) {
    node_->synchronize();
    take_.set_complement(pieces_.scatter_offset(proc_, piece),
                         sender(piece, 0) << part_bits() | next_ << piece_bits());
    handover_.timed([&] { take_(window_->array(), target); });
    next_ ^= 1;
  }

  /// Where elements of piece 0 lie in the array of all parts: message i of a piece is in the part
  /// of the process that sends the block it belongs to.
  [[nodiscard]] affine_map places() const {
    const index_t first = sender(0, 0);
    affine_map at{{part_bits() + plan_.proc_bits(), piece_bits()}, first << part_bits()};
    for (unsigned j = 0; j < piece_bits(); ++j) {
      const index_t message = bit(j) / pieces_.message_elements();
      at.matrix.column[j] = bit(j) | (sender(0, message) ^ first) << part_bits();
    }
    return at;
  }
  [[nodiscard]] index_t sender(index_t piece, index_t message) const {
    return plan_.source(proc_, pieces_.block(piece, message));
  }

  std::shared_ptr<comm::communicator const> comm_;
  std::shared_ptr<comm::node const> node_;
  int processes_per_node_;
  plan plan_;
  pieces pieces_;
  std::size_t element_bytes_;
  void* scratch_;
  index_t proc_, next_ = 0;
  any_pass gather_, take_, copy_;
  handover<> handover_;
  used_window window_;
};

}  // namespace bmmc::detail
