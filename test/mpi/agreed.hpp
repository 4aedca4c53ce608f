// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include <bmmc/comm/mpi.hpp>

#include "support/catch.hpp"

/// What all processes must throw, tell and choose alike.
namespace agreed {

inline int procs() {
  int count = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

/// All processes have the same text.
inline bool all_alike(std::string text) {
  text.resize(400);
  std::vector<char> all(text.size() * static_cast<std::size_t>(procs()));
  MPI_Allgather(text.data(), 400, MPI_CHAR, all.data(), 400, MPI_CHAR, MPI_COMM_WORLD);
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k] != all[k % 400]) return false;
  return true;
}

/// So many calls of one kind leave no way to be tried: of eight ways, each with six single calls
/// and, where calls are short, three rows of 32.
inline constexpr int calls_that_try = 8 * (6 + 3 * 32);

/// Calls until no way is left to be tried for calls of this kind, or of all.
void settle(auto const& made, auto call, std::string const& kind = "") {
  for (int k = 0; k < calls_that_try; ++k) {
    if (k > 0 && made.choice().find(kind + "will be tried") == std::string::npos) return;
    call();
  }
}

/// The text of the bad_value that all processes must throw alike.
std::string agreed_text(auto call) {
  std::string text;
  try {
    call();
  } catch (bmmc::bad_value const& error) {
    text = error.what();
  }
  CHECK(all_alike(text));
  return text;
}
inline bool holds(std::string const& text, std::string const& part) {
  if (text.find(part) != std::string::npos) return true;
  UNSCOPED_INFO("no '" << part << "' in: " << text);
  return false;
}

}  // namespace agreed
