// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>
#include <vector>

#include <bmmc/comm/agree.hpp>
#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc::comm {

/// The processes that share this process's memory, as far as their numbers share high bits: process
/// k belongs to node k >> bits(). Where the machine's nodes are not like that, larger ones are
/// taken as several.
class node {
 public:
  /// Collective. `processes` of a node, a power of two, makes nodes of that many instead of asking
  /// MPI: to leave room, or to try several nodes on one. Throws bad_value on all processes, or on
  /// none.
  [[nodiscard]] static std::shared_ptr<node const> agreed(communicator const& c, int processes = 0);
  /// All processes of a communicator as one node, whatever their number; null where they do not
  /// share memory. Collective; throws bad_value on all processes, or on none.
  [[nodiscard]] static std::shared_ptr<node const> of_all(communicator const& c);
  /// How many bits number the processes of a node. Throws bad_value unless they are a power of two
  /// of all.
  [[nodiscard]] static unsigned bits_of(int processes, int all);
  node() = default;
  node(node const&) = delete;
  node& operator=(node const&) = delete;
  ~node();

  /// A node has 2^bits processes, or fewer where it is made of_all.
  [[nodiscard]] unsigned bits() const noexcept { return bits_; }
  [[nodiscard]] int processes() const noexcept { return 1 << bits_; }
  /// Which node this is, and which of its processes this one.
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] int place() const noexcept { return place_; }
  [[nodiscard]] MPI_Comm handle() const noexcept { return handle_; }
  /// Whether these are the same processes in the same order, so that memory of one is the other's.
  [[nodiscard]] bool is_like(node const& other) const noexcept;
  /// Collective in the node: all get what its first process has.
  void share(void* data, int bytes) const;
  /// Collective in the node: what was written to memory before is seen by all afterwards.
  void synchronize() const;

 private:
  /// The most bits such that processes which differ in these alone share memory.
  [[nodiscard]] static unsigned shared_bits(communicator const& c, std::vector<int>& group);

  MPI_Comm handle_ = MPI_COMM_NULL;
  unsigned bits_ = 0;
  int number_ = 0, place_ = 0;
};

}  // namespace bmmc::comm

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/comm/node_once.hpp>
#endif
