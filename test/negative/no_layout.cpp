// EXPECT: satisf[a-z]* (of )?'Layout
// SPDX-License-Identifier: BSL-1.0

// A layout that says how many processes there are, but not where an index lives.

#include <bmmc/plan/plan.hpp>

struct almost_a_layout {
#ifdef BROKEN
  int physical(unsigned n, unsigned p) const { return static_cast<int>(n + p); }
#else
  bmmc::permutation<> physical(unsigned n, unsigned) const { return bmmc::identity_permutation(n); }
#endif
};

int main() { return make_plan(bmmc::permutation<3>{}, almost_a_layout{}, 2).is_local() ? 0 : 1; }
