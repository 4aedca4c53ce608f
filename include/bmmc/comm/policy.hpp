// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <bmmc/comm/communicator.hpp>
#include <bmmc/comm/datatype.hpp>
#include <bmmc/index/affine_map.hpp>
#include <bmmc/index/permutation.hpp>

namespace bmmc::comm {

/// What a policy has to do. The array of a process is a row of `blocks()` blocks of equal length;
/// block b goes to process target(b), and what process source(b) has sent as its block b takes
/// its place. Every b is a permutation of the processes. Only data travels: each process knows
/// target and source of every block by itself.
class exchange {
 public:
  /// 2^r blocks of `elements` elements each, of `element_bytes` bytes each. `moves` is a
  /// permutation of r + p bits: block b (the r low bits) of process k (the p high ones) becomes
  /// block b of another process.
  exchange(std::shared_ptr<communicator const> c, permutation<> const& moves, MPI_Datatype element,
           std::size_t element_bytes, index_t elements)
      : comm_(std::move(c)),
        moves_(moves),
        targets_(as_map_of_block(moves)),
        sources_(as_map_of_block(inverse(moves))),
        element_(element),
        element_bytes_(element_bytes),
        block_(datatype::row_of(element, elements)),
        block_bytes_(elements * element_bytes) {
    index_t piece_elements = elements;  // halved while it stays whole
    while (piece_elements % 2 == 0 && piece_elements * element_bytes > most_piece_bytes)
      piece_elements /= 2;
    piece_ = datatype::row_of(element, piece_elements);
    piece_bytes_ = piece_elements * element_bytes;
  }

  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_->handle(); }
  [[nodiscard]] communicator const& owner() const noexcept { return *comm_; }
  [[nodiscard]] int proc() const noexcept { return comm_->rank(); }
  [[nodiscard]] int procs() const noexcept { return comm_->size(); }

  [[nodiscard]] index_t blocks() const noexcept { return bit(targets_.matrix.cols()); }
  [[nodiscard]] int target(index_t b) const noexcept { return static_cast<int>(targets_(b)); }
  [[nodiscard]] int source(index_t b) const noexcept { return static_cast<int>(sources_(b)); }

  /// All moves of all processes, as the constructor has them.
  [[nodiscard]] permutation<> const& moves() const noexcept { return moves_; }

  /// One element. It belongs to who made the exchange.
  [[nodiscard]] MPI_Datatype element_type() const noexcept { return element_; }
  [[nodiscard]] std::size_t element_bytes() const noexcept { return element_bytes_; }
  /// One whole block, however many bytes it has: send with count 1.
  [[nodiscard]] MPI_Datatype block_type() const noexcept { return block_.handle(); }
  [[nodiscard]] std::size_t block_bytes() const noexcept { return block_bytes_; }
  /// An equal part of a block of 1 MiB or less where elements allow it, for policies whose MPI
  /// calls buffer a whole message.
  [[nodiscard]] MPI_Datatype piece_type() const noexcept { return piece_.handle(); }
  [[nodiscard]] std::size_t piece_bytes() const noexcept { return piece_bytes_; }

  /// Where block b starts in an array.
  [[nodiscard]] std::byte* at(void* data, index_t b) const noexcept {
    return static_cast<std::byte*>(data) + b * block_bytes_;
  }
  [[nodiscard]] std::byte const* at(void const* data, index_t b) const noexcept {
    return static_cast<std::byte const*>(data) + b * block_bytes_;
  }

  /// Throws transport_error, naming the partners of block b, where an MPI call for it failed.
  void check(int code, char const* routine, index_t b) const {
    if (code != MPI_SUCCESS) comm::detail::throw_transport_error(code, routine, partners(b));
  }
  /// The same for a receive, which must also have brought `type` once: a shorter message leaves
  /// part of the data as it was.
  void check(int code, char const* routine, index_t b, MPI_Status const& status,
             MPI_Datatype type) const {
    check(code, routine, b);
    int received = 0;
    comm::check(MPI_Get_count(&status, type, &received), "MPI_Get_count");
    if (received != 1)
      throw transport_error(std::string(routine) + " received a short message" + partners(b));
  }

 private:
  /// The other process as a function of the block, for this process.
  [[nodiscard]] affine_map as_map_of_block(permutation<> const& p) const {
    const auto procs =
        static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(comm_->size())));
    const unsigned r = p.bits() - procs;
    return {submatrix(p.matrix(), r, procs, 0, r), p(static_cast<index_t>(proc()) << r) >> r};
  }
  [[nodiscard]] std::string partners(index_t b) const {
    return " (process " + std::to_string(proc()) + ", to " + std::to_string(target(b)) + ", from " +
           std::to_string(source(b)) + ", " + std::to_string(block_bytes_) + " bytes)";
  }

  static constexpr std::size_t most_piece_bytes = std::size_t{1} << 20;

  std::shared_ptr<communicator const> comm_;
  permutation<> moves_;
  affine_map targets_, sources_;
  MPI_Datatype element_;
  std::size_t element_bytes_;
  datatype block_, piece_;
  std::size_t block_bytes_, piece_bytes_ = 0;
};

/// Replaces the blocks of one array.
template <class P>
concept ReplacingPolicy = std::copyable<P> && requires(P& policy, exchange const& e, void* data) {
  policy.replace(e, data);
};

/// Moves the blocks of one array into another.
template <class P>
concept MovingPolicy =
    std::copyable<P> && requires(P& policy, exchange const& e, void const* source, void* target) {
      policy.move(e, source, target);
    };

/// A way to carry out an exchange on a plain MPI_Comm: one of the two functions above, called by
/// all processes alike. It moves every block, those that stay on their process too; it throws
/// transport_error where MPI fails; it sends nothing else to others.
template <class P>
concept Policy = ReplacingPolicy<P> || MovingPolicy<P>;

/// A policy that keeps tables: prepare(e) is called once, by all processes, before e is performed.
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
[[nodiscard]] Comm for_one_call(Comm policy) {
  if constexpr (requires { policy.calls = 1; }) policy.calls = 1;
  return policy;
}

}  // namespace bmmc::detail
