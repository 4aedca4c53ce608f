// SPDX-License-Identifier: BSL-1.0
#pragma once

// Included first by every header: the version, and what is needed to compile the library.

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "bmmc needs C++20: compile with -std=c++20 or newer (g++ 12, clang 16 or newer)"
#endif

/// 10000 * major + 100 * minor + patch: `#if BMMC_VERSION >= 100` asks for 0.1.0 or newer.
#define BMMC_VERSION 100
