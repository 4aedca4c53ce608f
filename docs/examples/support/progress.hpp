// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>

namespace example {

/// Tells on the error stream how far a long piece of work has come: at most one line every two
/// seconds, and nothing at all for short work.
class progress {
 public:
  progress(std::string what, std::uint64_t total, bool speaks)
      : what_(std::move(what)), total_(total), speaks_(speaks) {}

  void reached(std::uint64_t done) {
    const auto now = std::chrono::steady_clock::now();
    if (!speaks_ || done >= total_ || now - said_ < std::chrono::seconds(2)) return;
    said_ = now;
    std::cerr << what_ << ": " << done * 100 / total_ << " %" << std::endl;
  }

 private:
  std::string what_;
  std::uint64_t total_;
  bool speaks_;
  std::chrono::steady_clock::time_point said_ = std::chrono::steady_clock::now();
};

}  // namespace example
