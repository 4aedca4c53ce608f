// SPDX-License-Identifier: BSL-1.0

// CNOT, SWAP and X gates permute the amplitudes of a quantum register. A circuit of them is one
// affine map: it is composed first, and every amplitude moves once instead of once per gate.
// Run it on 4 processes.

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/serialization/complex.hpp>
#include <complex>
#include <iostream>
#include <vector>

#include <bmmc.hpp>

int main(int argc, char** argv) {
  using amplitude = std::complex<double>;
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;

  // 10 qubits, the 2 highest as process bits. The basis state |1>: amplitude 1 at index 1.
  std::vector<amplitude> state(256);
  if (world.rank() == 0) state[1] = 1;

  // A cascade of CNOTs takes it to |1...1>; then the middle qubits change places, and one flips.
  auto gates = bmmc::circuit<>(10);
  for (unsigned qubit = 0; qubit + 1 < 10; ++qubit) gates.cnot(qubit, qubit + 1);
  gates.swap(4, 5).flip(9);
  bmmc::permute(world, state, gates);

  std::vector<amplitude> all(1024);
  boost::mpi::gather(world, state.data(), 256, all.data(), 0);
  if (world.rank() != 0) return 0;
  for (bmmc::index_t index = 0; index < 1024; ++index)
    if (all[index] != 0.0) std::cout << "amplitude " << all[index] << " at " << index << '\n';
  const auto plan = bmmc::make_plan(gates, bmmc::layout::processor_major{}, 4);
  std::cout << "11 gates, one exchange of " << plan.messages() << " messages per process\n";
}

// Prints:
// amplitude (1,0) at 511
// 11 gates, one exchange of 2 messages per process
