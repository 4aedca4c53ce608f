// SPDX-License-Identifier: BSL-1.0
#pragma once

/// How much repeated calls check: 0 nothing, 1 each process its own spans, 2 all processes
/// together.
#ifndef BMMC_ASSERTION_LEVEL
#define BMMC_ASSERTION_LEVEL 1
#endif
