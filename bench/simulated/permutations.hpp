// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <random>
#include <stdexcept>
#include <string>

#include <bmmc/index/catalogue.hpp>

/// What is simulated, by name: permutations of 2^n elements on 2^p processes.
inline bmmc::permutation<> simulated_permutation(std::string const& name, unsigned n, unsigned p) {
  std::mt19937_64 random(1997);
  if (name == "reversal") return bmmc::bit_reversal(n);
  if (name == "random") return bmmc::random_permutation(n, random);
  if (name == "transpose") return bmmc::transpose(n / 2, n - n / 2);
  if (name == "shuffle") return bmmc::rotate_bits(n, 1);
  if (name == "gray") return bmmc::gray_encode(n);
  if (name == "half") return bmmc::block_to_cyclic(n, bmmc::bit(p / 2));
  throw std::invalid_argument("permutation " + name +
                              ": reversal, random, transpose, shuffle, gray and half are known");
}
