// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <random>
#include <string>
#include <vector>

#include <bmmc.hpp>

/// What the benchmarks of whole permutations move, and how.
namespace workload {

struct named_permutation {
  std::string name;
  bmmc::permutation<> map;
};

/// 200 random CNOT gates on n qubits.
[[nodiscard]] inline bmmc::permutation<> random_cnots(unsigned n, std::mt19937_64& random) {
  bmmc::circuit<> cnots(n);
  for (int gate = 0; gate < 200 && n > 1; ++gate) {
    const auto control = static_cast<unsigned>(random() % n);
    cnots.cnot(control, (control + 1 + static_cast<unsigned>(random() % (n - 1))) % n);
  }
  return cnots;
}

/// Permutations of 2^n elements on 2^p processes; a square or nearly square matrix is transposed.
[[nodiscard]] inline std::vector<named_permutation> all(unsigned n, unsigned p) {
  std::mt19937_64 random(1997);
  return {{"bit reversal", bmmc::bit_reversal(n)},
          {"transpose", bmmc::transpose(n / 2, n - n / 2)},
          {"random A c", bmmc::random_permutation(n, random)},
          {"block to cyclic", bmmc::block_to_cyclic(n, bmmc::bit(p))},
          {"200 CNOTs", random_cnots(n, random)}};
}

}  // namespace workload
