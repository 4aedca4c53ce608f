// SPDX-License-Identifier: BSL-1.0

// The slow part of Catch2, compiled once for all test programs.
#define CATCH_CONFIG_RUNNER
#include "runner.hpp"

#include <vector>

#include "catch.hpp"

int run_tests(int argc, char const* const* argv) {
  std::vector<char const*> arguments(argv, argv + argc);
  arguments.insert(arguments.end(), {"--warn", "NoTests"});  // a filter that selects none fails
  const int failures = Catch::Session().run(static_cast<int>(arguments.size()), arguments.data());
  return failures == 0 ? 0 : 1;  // Catch2 counts: 77 failures would tell Meson "skipped"
}
