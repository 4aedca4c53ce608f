// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/index/catalogue/axes.hpp>
#include <bmmc/index/catalogue/bits.hpp>
#include <bmmc/index/catalogue/gates.hpp>
#include <bmmc/index/catalogue/gray.hpp>
#include <bmmc/index/catalogue/morton.hpp>
#include <bmmc/index/catalogue/random.hpp>
