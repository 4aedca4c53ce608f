// SPDX-License-Identifier: BSL-1.0

// The slow part of Catch2, compiled once for all test programs.
#define CATCH_CONFIG_RUNNER
#include "runner.hpp"

#include "catch.hpp"

int run_tests(int argc, char const* const* argv) { return Catch::Session().run(argc, argv); }
