// SPDX-License-Identifier: BSL-1.0

// The theorems on which no data is lost, looked at in every case of up to four bits: all matrices,
// all numbers of processes, all layouts. docs/theory/faults.md says where each is proved. Prints
// how many cases there were; ends with status 1 at the first that is not as it should be.
//   proofs [--all-complements]     for four bits, too; otherwise one of the sixteen for each matrix

#include <cstring>

#include "layouts.hpp"
#include "plans.hpp"
#include "routes.hpp"
#include "tiles.hpp"

int main(int argc, char** argv) {
  proofs::all_complements = argc > 1 && std::strcmp(argv[1], "--all-complements") == 0;
  if (argc > 2 || (argc == 2 && !proofs::all_complements)) {
    std::fprintf(stderr, "usage: proofs [--all-complements]\n");
    return 2;
  }
  proofs::number matrices = 0;
  for (unsigned n = 0; n <= 4; ++n)
    proofs::each_matrix(n, [&](auto const&) { ++matrices; });
  proofs::require(matrices == 1 + 1 + 6 + 168 + 20160, "these are all nonsingular matrices");
  proofs::report("nonsingular matrices of 0 to 4 bits", matrices);
  proofs::check_layouts();
  proofs::check_plans();
  proofs::check_numbers();
  proofs::check_local();
  proofs::check_routes();
  return 0;
}
