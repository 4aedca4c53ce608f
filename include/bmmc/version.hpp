// SPDX-License-Identifier: BSL-1.0
#pragma once

// Included first by every header: the version, and what is needed to compile the library.

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "bmmc needs C++20: compile with -std=c++20 or newer (g++ 12, clang 16 or newer)"
#endif

/// 10000 * major + 100 * minor + patch: `#if BMMC_VERSION >= 100` asks for 0.1.0 or newer.
#define BMMC_VERSION 100

/// Defined where Boost.MPI's and Boost.Serialization's headers are there, and run-time type
/// information, which they need. Without them elements must be trivially copyable, and no library
/// but MPI is linked.
#if defined(__cpp_rtti) && __has_include(<boost/mpi/datatype.hpp>)
#define BMMC_HAS_BOOST 1
#endif

/// Before what bmmc/compiled.hpp compiles once for a program; inline where nothing is compiled before.
#ifdef BMMC_COMPILED
#define BMMC_ONCE
#else
#define BMMC_ONCE inline
#endif
