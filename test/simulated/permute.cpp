// SPDX-License-Identifier: BSL-1.0

// Permutations on many simulated processes. Prints "every element has its place" where all is well.

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <bmmc/comm/alltoallv.hpp>
#include <bmmc/comm/dimension_exchange.hpp>
#include <bmmc/comm/sendrecv.hpp>
#include <bmmc/permute.hpp>
#include <bmmc/permute/relabelled.hpp>
#include <bmmc/planning.hpp>

namespace {

using bmmc::index_t;

int proc() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// The payload is the source index, so p of it is where it must be.
template <class T, class Comm>
bool all_in_place(bmmc::permutation<> const& p, unsigned p_bits) {
  const index_t elements = bmmc::bit(p.bits() - p_bits);
  const index_t first = static_cast<index_t>(proc()) * elements;
  std::vector<T> chunk;
  const auto name = [](index_t x) {
    if constexpr (std::is_same_v<T, std::string>)
      return std::to_string(x);
    else
      return static_cast<T>(x);
  };
  for (index_t i = 0; i < elements; ++i) chunk.push_back(name(first + i));
  bmmc::permute<T, Comm>(MPI_COMM_WORLD, chunk, p);
  const auto source_of = inverse(p);
  for (index_t i = 0; i < elements; ++i)
    if (chunk[i] != name(source_of(first + i))) return false;
  return true;
}

/// On the communicator that comes back every process holds what its new number says.
bool stays_when_relabelled(bmmc::permutation<> const& p, unsigned p_bits) {
  const index_t elements = bmmc::bit(p.bits() - p_bits);
  std::vector<index_t> chunk(elements);
  for (index_t i = 0; i < elements; ++i) chunk[i] = static_cast<index_t>(proc()) * elements + i;
  const auto renamed = bmmc::permute_relabelled<index_t>(MPI_COMM_WORLD, chunk, p);
  int number = 0;
  MPI_Comm_rank(renamed, &number);
  for (index_t i = 0; i < elements; ++i)
    if (p(chunk[i]) != static_cast<index_t>(number) * elements + i) return false;
  return true;
}

/// Several pieces on their way.
struct small_pieces : bmmc::comm::pipelined {
  small_pieces() : pipelined{64, 3} {}
};

/// One process brings a chunk that is too long.
bool all_throw(unsigned p_bits) {
  std::vector<int> chunk(proc() == 5 ? 9 : 8);
  try {
    bmmc::permute<int>(MPI_COMM_WORLD, chunk, bmmc::bit_reversal(p_bits + 3));
  } catch (bmmc::bad_value const& error) {
    return std::string(error.what()).find("process 5") == 0;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int procs = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  const unsigned p = bmmc::proc_bits_of(static_cast<index_t>(procs));
  std::mt19937_64 random(64);
  int good = 1;
  for (unsigned m = 0; m < 9; m += 2) {  // one element per process, then fewer and more than 2^p
    const unsigned n = m + p;
    for (auto const& map : {bmmc::random_permutation(n, random), bmmc::bit_reversal(n),
                            bmmc::flip(n, n - 1), bmmc::gray_encode(n), bmmc::shuffle(n)}) {
      good &= all_in_place<std::uint32_t, bmmc::comm::sendrecv>(map, p);
      good &= all_in_place<double, bmmc::comm::sendrecv_replace>(map, p);
      good &= all_in_place<std::uint64_t, bmmc::comm::alltoallv>(map, p);
      good &= all_in_place<double, bmmc::comm::dimension_exchange>(map, p);
      good &= all_in_place<std::uint32_t, bmmc::comm::pipelined>(map, p);
      good &= all_in_place<double, small_pieces>(map, p);
      good &= all_in_place<double, bmmc::comm::radix_exchange>(map, p);
      good &= all_in_place<double, bmmc::comm::automatic>(map, p);
      good &= all_in_place<double, bmmc::comm::within_budget>(map, p);
      good &= stays_when_relabelled(map, p);
    }
  }
  good &= all_in_place<std::string, bmmc::comm::sendrecv>(bmmc::shuffle(p + 2), p);
  good &= all_throw(p);
  int all_good = 0;
  MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (proc() == 0) std::puts(all_good != 0 ? "every element has its place" : "WRONG");
  bmmc::forget_calls(MPI_COMM_WORLD);  // SMPI counts handles
  MPI_Finalize();
}
