// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <bmmc/comm/communicator.hpp>
#include <bmmc/comm/datatype.hpp>
#include <bmmc/comm/policy.hpp>
#include <bmmc/plan/pattern.hpp>

namespace bmmc::comm {

/// What a policy has to do: a pattern of messages whose blocks are of equal length, in elements of
/// some MPI datatype. In round b a process sends a block to target(b) and receives one from
/// source(b); where there is none that is MPI_PROC_NULL, to which MPI sends nothing. Only data
/// travels: each process knows target and source of every round by itself.
/// For permute() every round has both, and what comes in round b takes the place of what left. For
/// gather() and reduce() either may be missing, and processes may have different numbers of rounds.
class exchange {
 public:
  /// All blocks of the pattern have `elements` elements, of `element_bytes` bytes each.
  exchange(std::shared_ptr<communicator const> c, message_pattern pattern, MPI_Datatype element,
           std::size_t element_bytes, index_t elements);
  /// The 2^r blocks of a chunk. `moves` is a permutation of r + p bits: block b (the r low bits) of
  /// process k (the p high ones) becomes block b of another process.
  exchange(std::shared_ptr<communicator const> c, permutation<> const& moves, MPI_Datatype element,
           std::size_t element_bytes, index_t elements);

  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_->handle(); }
  [[nodiscard]] communicator const& owner() const noexcept { return *comm_; }
  [[nodiscard]] int proc() const noexcept { return comm_->rank(); }
  [[nodiscard]] int procs() const noexcept { return comm_->size(); }
  [[nodiscard]] message_pattern const& pattern() const noexcept { return pattern_; }

  /// Rounds of this process.
  [[nodiscard]] index_t blocks() const noexcept { return pattern_.rounds.size(); }
  [[nodiscard]] int target(index_t b) const noexcept { return peer(pattern_.rounds[b].sent); }
  [[nodiscard]] int source(index_t b) const noexcept { return peer(pattern_.rounds[b].received); }
  /// The block of round b does not leave this process.
  [[nodiscard]] bool stays(index_t b) const noexcept { return target(b) == proc(); }

  /// All moves of all processes, as the constructor has them, where an exchange was made so.
  [[nodiscard]] std::optional<permutation<>> const& moves() const noexcept { return moves_; }

  /// One element. It belongs to who made the exchange.
  [[nodiscard]] MPI_Datatype element_type() const noexcept { return element_; }
  [[nodiscard]] std::size_t element_bytes() const noexcept { return element_bytes_; }
  [[nodiscard]] index_t block_elements() const noexcept { return block_elements_; }
  /// One whole block, however many bytes it has: send with count 1.
  [[nodiscard]] MPI_Datatype block_type() const noexcept { return block_.handle(); }
  [[nodiscard]] std::size_t block_bytes() const noexcept {
    return block_elements_ * element_bytes_;
  }
  /// An equal part of a block of 128 KiB or less where elements allow it, for policies whose MPI
  /// calls buffer a whole message: piece and buffer together stay in a second-level cache.
  [[nodiscard]] MPI_Datatype piece_type() const noexcept { return piece_.handle(); }
  [[nodiscard]] std::size_t piece_bytes() const noexcept { return piece_bytes_; }

  /// Where the block that is sent in round b starts in the source, a pointer to const; and where
  /// the one that is received starts in the target. In one array that is the same place.
  [[nodiscard]] std::byte const* at(void const* source, index_t b) const noexcept {
    return static_cast<std::byte const*>(source) + pattern_.rounds[b].sent.first * element_bytes_;
  }
  [[nodiscard]] std::byte* at(void* target, index_t b) const noexcept {
    return static_cast<std::byte*>(target) + pattern_.rounds[b].received.first * element_bytes_;
  }

  /// What a process sends itself.
  void keep(index_t b, void const* source, void* target) const noexcept {
    std::memcpy(at(target, b), at(source, b), block_bytes());
  }

  /// Throws transport_error, naming the partners of round b, where an MPI call for it failed.
  void check(int code, char const* routine, index_t b) const {
    if (code != MPI_SUCCESS) comm::detail::throw_transport_error(code, routine, partners(b));
  }
  /// The same for a receive, which must also have brought `type` `count` times, if anything was to
  /// come: a shorter message leaves part of the data as it was.
  void check(int code, char const* routine, index_t b, MPI_Status const& status, MPI_Datatype type,
             int count = 1) const;

 private:
  [[nodiscard]] static int peer(message const& m) noexcept {
    return m.elements == 0 ? MPI_PROC_NULL : static_cast<int>(m.proc);
  }
  [[nodiscard]] std::string partners(index_t b) const;

  static constexpr std::size_t most_piece_bytes = std::size_t{1} << 17;

  std::shared_ptr<communicator const> comm_;
  message_pattern pattern_;
  std::optional<permutation<>> moves_;
  MPI_Datatype element_;
  std::size_t element_bytes_;
  index_t block_elements_;
  datatype block_, piece_;
  std::size_t piece_bytes_ = 0;
};

}  // namespace bmmc::comm

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/transport/exchange_once.hpp>
#endif
