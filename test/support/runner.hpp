// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Runs every test that the arguments select; returns 0 where all passed, else 1.
int run_tests(int argc, char const* const* argv);
