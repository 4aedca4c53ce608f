// SPDX-License-Identifier: BSL-1.0
#pragma once

// Catch2 of either kind: version 3 has many headers and a library, version 2 is one header.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
