// SPDX-License-Identifier: BSL-1.0

// A number-theoretic transform of 2^10 integers modulo a prime, over 4 processes: bit reversal, the
// butterflies within each process, then those between processes after a rotation of the index bits
// has brought their bits into each process. Every result is compared with the defining sum.

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/environment.hpp>
#include <cstdint>
#include <functional>
#include <iostream>
#include <vector>

#include <bmmc.hpp>

namespace {

using word = std::uint64_t;
constexpr word prime = 998244353, generator = 3;  // prime - 1 is a multiple of 2^23
constexpr unsigned n = 10;
constexpr word size = word{1} << n;

constexpr word power(word base, word exponent) {
  word result = 1;
  for (; exponent != 0; exponent >>= 1, base = base * base % prime)
    if ((exponent & 1) != 0) result = result * base % prime;
  return result;
}
/// A primitive root of unity of order 2^k.
constexpr word root(unsigned k) { return power(generator, (prime - 1) >> k); }

word input(word x) { return x * x + 7; }

/// One stage of butterflies on pairs whose indices differ in bit `stage`, which is bit `local` of
/// the offset here; index_at(offset) is the index of an element.
void butterflies(std::vector<word>& chunk, unsigned stage, unsigned local,
                 std::function<word(word)> const& index_at) {
  const word half = word{1} << stage;
  for (word i = 0; i < chunk.size(); ++i) {
    if ((i >> local & 1) != 0) continue;
    const word j = i | word{1} << local;
    const word turned = power(root(stage + 1), index_at(i) % half) * chunk[j] % prime;
    chunk[j] = (chunk[i] + prime - turned) % prime;
    chunk[i] = (chunk[i] + turned) % prime;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  constexpr unsigned p = 2, local_bits = n - p;
  const word first = static_cast<word>(world.rank()) << local_bits;

  std::vector<word> chunk(size / 4);
  for (word i = 0; i < chunk.size(); ++i) chunk[i] = input(first + i);

  bmmc::permute(world, chunk, bmmc::bit_reversal<n>());
  const auto in_place = [&](word offset) { return first + offset; };
  for (unsigned stage = 0; stage < local_bits; ++stage) butterflies(chunk, stage, stage, in_place);

  // Bit j becomes bit j + 2: the two process bits become the lowest two of the offset.
  const auto turn = bmmc::rotate_bits<n>(p), back = inverse(turn);
  bmmc::permute(world, chunk, turn);
  const auto turned = [&](word offset) { return back(first + offset); };
  for (unsigned stage = local_bits; stage < n; ++stage)
    butterflies(chunk, stage, stage - local_bits, turned);
  bmmc::permute(world, chunk, back);

  int wrong = 0;
  for (word i = 0; i < chunk.size(); ++i) {
    const word w = power(root(n), first + i);
    word sum = 0, factor = 1;
    for (word x = 0; x < size; ++x, factor = factor * w % prime)
      sum = (sum + input(x) * factor) % prime;
    if (chunk[i] != sum) ++wrong;
  }
  const int all_wrong = boost::mpi::all_reduce(world, wrong, std::plus<>());
  if (world.rank() != 0) return all_wrong;
  std::cout
      << "transform of " << size << " integers modulo " << prime << " begins " << chunk[0] << ' '
      << chunk[1] << ' ' << chunk[2] << '\n'
      << all_wrong << " differ from the defining sum\n"
      << "three exchanges; the bit reversal sends "
      << bmmc::make_plan(bmmc::bit_reversal<n>(), bmmc::layout::processor_major{}, 4).messages()
      << " messages per process\n";
  return all_wrong;
}

// Prints:
// transform of 1024 integers modulo 998244353 begins 357396992 823240124 601971388
// 0 differ from the defining sum
// three exchanges; the bit reversal sends 4 messages per process
