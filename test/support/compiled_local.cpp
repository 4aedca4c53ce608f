// SPDX-License-Identifier: BSL-1.0

#include <bmmc/local/compiled.hpp>
