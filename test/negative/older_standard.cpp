// EXPECT: bmmc needs C..20
// SPDX-License-Identifier: BSL-1.0

// A compiler told to take C++17. Feigned by the macro, since the control must compile.

#ifdef BROKEN
#undef __cplusplus
#define __cplusplus 201703L
#endif
#include <bmmc/version.hpp>

static_assert(BMMC_VERSION >= 100);
