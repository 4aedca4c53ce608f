// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/index/permutation.hpp>

#include "oracle.hpp"

/// A matrix of single bits as one of the library.
inline bmmc::bit_matrix<> to_library(oracle::matrix const& a) {
  bmmc::bit_matrix<> words(a.rows, a.cols);
  for (unsigned j = 0; j < a.cols; ++j) words.column[j] = oracle::column_word(a, j);
  return words;
}
inline bmmc::permutation<> to_library(oracle::affine const& map) {
  return bmmc::permutation<>(to_library(map.a), oracle::to_number(map.c));
}

inline oracle::affine random_affine(unsigned n, oracle::generator& random) {
  return {oracle::random_nonsingular(n, random), oracle::to_bits(random() % oracle::power(n), n)};
}
