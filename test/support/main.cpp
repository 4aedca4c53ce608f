// SPDX-License-Identifier: BSL-1.0

#include "runner.hpp"

int main(int argc, char** argv) { return run_tests(argc, argv); }
