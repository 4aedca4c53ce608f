// SPDX-License-Identifier: BSL-1.0

// A Toffoli gate moves a quarter of a quantum register, and only where its controls are 1: it is a
// permutation on a coset. In a circuit the CNOT, SWAP and X gates move through such gates to the
// end, and data moves as often as moves() says.
// Run it on 4 processes.

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/environment.hpp>
#include <iostream>
#include <vector>

#include <bmmc.hpp>

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  using bmmc::bit;

  // 10 qubits, the 2 highest as process bits. Each amplitude holds its own index.
  std::vector<double> state(256);
  for (std::size_t i = 0; i < state.size(); ++i)
    state[i] = static_cast<double>(i + state.size() * static_cast<std::size_t>(world.rank()));

  // Qubits 6 and 8 control qubit 9: processes 1 and 3 exchange half of what they hold.
  const auto toffoli = bmmc::controlled(bmmc::flip(10, 9), bit(6) | bit(8));
  const auto plan = bmmc::make_plan(toffoli, {}, 4);
  if (world.rank() == 0)
    std::cout << "process 0 sends " << plan.sent(0).elements << ", process 1 sends "
              << plan.sent(1).elements << '\n';
  bmmc::permute(world, state, toffoli);
  std::vector<double> of_each(4);  // offset 64, where qubit 6 is 1
  boost::mpi::gather(world, state[64], of_each.data(), 0);
  if (world.rank() == 0)
    for (const double index : of_each) std::cout << index << '\n';

  // A controlled SWAP before and after other gates: as they see it, it is the same gate, and undone.
  const auto gates = bmmc::circuit<>(10).controlled_swap(0, 3, 9).cnot(7, 0).swap(0, 2).cnot(7, 2)
                         .controlled_swap(2, 3, 9);
  if (world.rank() == 0) std::cout << gates.moves() << " move\n";
  bmmc::permute(world, state, gates);
  if (world.rank() == 0) std::cout << state[0] << ' ' << state[1] << ' ' << state[4] << '\n';
}

// Prints:
// process 0 sends 0, process 1 sends 128
// 64
// 832
// 576
// 320
// 1 move
// 0 4 1
