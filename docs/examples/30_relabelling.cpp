// SPDX-License-Identifier: BSL-1.0

// Where only the processes change places, it is enough to change their numbers. Here three of four
// chunks move on in a cycle: nothing is sent. Then index bits 0 and 3 change places as well, and
// half of the elements must move. Run it on 4 processes.

#include <boost/mpi/environment.hpp>

#include "support/gathered.hpp"

namespace {

/// Permutes 0 .. 15 over 4 processes and prints them in the order of the new communicator.
void show(boost::mpi::communicator const& world, char const* title, bmmc::permutation<> const& p) {
  const bmmc::layout::processor_major by_blocks{};
  const auto plain = bmmc::make_plan(p, by_blocks, 4);
  const auto relabelled = bmmc::make_plan(p, bmmc::relabelled(p), 4);

  std::vector<int> chunk(4);
  std::iota(chunk.begin(), chunk.end(), 4 * world.rank());
  auto renamed = bmmc::permute_relabelled<int>(world, chunk, p);

  const boost::mpi::communicator again(renamed.release(), boost::mpi::comm_take_ownership);
  std::vector<int> ranks(4);
  boost::mpi::gather(again, world.rank(), ranks, 0);
  if (again.rank() == 0) {
    std::cout << title << ": " << plain.stays() << " of 16 elements stay, relabelled "
              << relabelled.stays() << "\n  in the new order, the processes";
    for (const int rank : ranks) std::cout << ' ' << rank;
    std::cout << std::endl;
  }
  example::print_chunks(again, "  hold", chunk, 4);
}

}  // namespace

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  const bmmc::permutation<> cycle = bmmc::circuit<>(4).cnot(3, 2).swap(2, 3);
  show(world, "a cycle of processes", cycle);
  show(world, "and bits 0 and 3 exchanged", compose(bmmc::swap_bits(4, 0, 3), cycle));
}

// Prints:
// a cycle of processes: 4 of 16 elements stay, relabelled 16
//   in the new order, the processes 0 3 1 2
//   hold
//   process 0:   0   1   2   3
//   process 1:  12  13  14  15
//   process 2:   4   5   6   7
//   process 3:   8   9  10  11
// and bits 0 and 3 exchanged: 4 of 16 elements stay, relabelled 8
//   in the new order, the processes 0 2 1 3
//   hold
//   process 0:   0   4   2   6
//   process 1:  12   8  14  10
//   process 2:   1   5   3   7
//   process 3:  13   9  15  11
