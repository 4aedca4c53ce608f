// EXPECT: conversion from 'permutation<.*'permutation<4>'
// SPDX-License-Identifier: BSL-1.0

// From a size known at run time to one in the type the conversion is explicit: it may throw.

#include <bmmc/index/catalogue.hpp>

#ifdef BROKEN
bmmc::permutation<4> p = bmmc::shuffle(4);
#else
bmmc::permutation<4> p(bmmc::shuffle(4));
#endif
