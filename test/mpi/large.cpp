// SPDX-License-Identifier: BSL-1.0

// Messages of 2^31 bytes and more, which an int cannot count: 2 processes, 9 GiB of memory. With
// the argument "[huge]" of 2^32 bytes, where a count that wraps is 0 again: 17 GiB.

#include "mpi/cases.hpp"
#include "support/catch.hpp"

namespace {

using bmmc::index_t;
namespace comm = bmmc::comm;

/// The top byte of a word tells the process, the rest the offset.
class large_chunk {
 public:
  explicit large_chunk(unsigned lg_words) : words_(std::size_t{1} << lg_words) {}
  [[nodiscard]] std::vector<std::uint64_t>& words() { return words_; }
  std::vector<std::uint64_t>& filled() {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = me() << 56 | i;
    return words_;
  }
  /// The halves have changed places, and nothing else.
  [[nodiscard]] bool is_of_partner() const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (words_[i] != ((me() ^ 1) << 56 | i)) return false;
    return true;
  }

 private:
  static std::uint64_t me() { return static_cast<std::uint64_t>(cases::proc()); }
  std::vector<std::uint64_t> words_;
};

/// One message of 2^lg_words words to the other process.
template <class Comm>
bool moves_in_place(unsigned lg_words) {
  const auto p = bmmc::flip(lg_words + 1, lg_words);
  large_chunk chunk(lg_words);
  bmmc::permute<std::uint64_t, Comm>(MPI_COMM_WORLD, chunk.filled(), p);
  return chunk.is_of_partner();
}
/// `move` takes a source and a target.
template <class Move>
bool moves(unsigned lg_words, Move move) {
  large_chunk source(lg_words), target(lg_words);
  move(source.filled(), target.words());
  bmmc::forget_calls(MPI_COMM_WORLD);
  return target.is_of_partner();
}
template <class Comm>
bool moves_to_a_target(unsigned lg_words) {
  const auto p = bmmc::flip(lg_words + 1, lg_words);
  return moves(lg_words, [&](auto const& source, auto& target) {
    bmmc::permute<std::uint64_t, Comm>(MPI_COMM_WORLD, source, target, p);
  });
}

}  // namespace

TEST_CASE("blocks of 2^31 bytes arrive whole", "[large]") {
  REQUIRE(cases::proc_bits() == 1);
  constexpr unsigned m = 28;
  CHECK(moves_in_place<comm::sendrecv_replace>(m));
  CHECK(moves_in_place<comm::within_budget>(m));
  CHECK(moves_in_place<comm::pipelined>(m));
  CHECK(moves_to_a_target<comm::sendrecv>(m));
  CHECK(moves_to_a_target<comm::alltoallv>(m));
  CHECK(moves_to_a_target<comm::pipelined>(m));
  CHECK(moves_to_a_target<comm::dimension_exchange>(m));
  CHECK(moves_to_a_target<comm::radix_exchange>(m));
  CHECK(moves_to_a_target<comm::shared_window>(m));
  CHECK(moves_to_a_target<comm::automatic>(m));
}

TEST_CASE("and those of gather and reduce", "[large]") {
  REQUIRE(cases::proc_bits() == 1);
  constexpr unsigned m = 28;
  const auto map = bmmc::as_map(bmmc::flip(m + 1, m));
  CHECK(moves(m, [&](auto const& source, auto& target) {
    bmmc::gather<std::uint64_t, comm::alltoallv>(MPI_COMM_WORLD, source, target, map);
  }));
  CHECK(moves(m, [&](auto const& source, auto& target) {
    bmmc::gather<std::uint64_t>(MPI_COMM_WORLD, source, target, map);
  }));
  CHECK(moves(m, [&](auto const& source, auto& target) {
    bmmc::reduce<std::uint64_t>(MPI_COMM_WORLD, source, target, map);
  }));
}

TEST_CASE("blocks of 2^32 bytes arrive whole", "[.][huge]") {
  REQUIRE(cases::proc_bits() == 1);
  constexpr unsigned m = 29;
  CHECK(moves_in_place<comm::sendrecv_replace>(m));
  CHECK(moves_in_place<comm::within_budget>(m));
  CHECK(moves_to_a_target<comm::pipelined>(m));
  CHECK(moves_to_a_target<comm::sendrecv>(m));
}
