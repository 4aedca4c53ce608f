// EXPECT: random_permutation needs a generator of full 32- or 64-bit words
// SPDX-License-Identifier: BSL-1.0

// A generator of 31-bit words would leave matrices out.

#include <random>

#include <bmmc/index/catalogue/random.hpp>

#ifdef BROKEN
std::minstd_rand random_words;
#else
std::mt19937 random_words;
#endif

int main() { return bmmc::random_permutation<3>(random_words).bits() == 3 ? 0 : 1; }
