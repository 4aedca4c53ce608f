// SPDX-License-Identifier: BSL-1.0

#include <bmmc/planning_compiled.hpp>
