// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Runs every test that the arguments select; the exit status is 0 where all passed.
int run_tests(int argc, char const* const* argv);
