// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <bmmc/comm/agree.hpp>

/// How much repeated calls check: 0 nothing, 1 each process its own spans, 2 all processes
/// together.
#ifndef BMMC_ASSERTION_LEVEL
#define BMMC_ASSERTION_LEVEL 1
#endif

namespace bmmc::detail {

/// Throws bad_value where this process has something to say against a repeated call: `text`. At
/// level 2 it is collective, and all processes throw.
template <int Level = BMMC_ASSERTION_LEVEL>
void refuse_call(comm::communicator const& c, std::string const& text) {
  if constexpr (Level >= 2) comm::agree(c, text);
  if (!text.empty()) throw bad_value(text);
}

}  // namespace bmmc::detail
