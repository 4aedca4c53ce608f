// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

/// Which cases are run where all of them would take minutes: one in so many, others with another
/// phase. The environment may say BMMC_TEST_EVERY=1 for all of them, and BMMC_TEST_PHASE for
/// others: .ci/run takes the phase from the number of the commit.
class some_of {
 public:
  explicit some_of(std::uint64_t every)
      : every_(from_environment("BMMC_TEST_EVERY", every)),
        next_(from_environment("BMMC_TEST_PHASE", 0)) {}
  /// Whether the next case is one of them.
  bool operator()() { return next_++ % every_ == 0; }

 private:
  static std::uint64_t from_environment(char const* name, std::uint64_t otherwise) {
    char const* const text = std::getenv(name);
    return text != nullptr ? std::stoull(text) : otherwise;
  }
  std::uint64_t every_, next_;
};
