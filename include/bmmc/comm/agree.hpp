// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <bmmc/comm/communicator.hpp>

namespace bmmc::comm {

/// A value that every process must hold alike: a figure that people know, or the fingerprint of
/// something larger, which error messages leave out.
struct common_fact {
  char const* name;
  std::uint64_t value;
  bool is_figure = true;
};

namespace detail {

/// All processes throw the objection of process `rank`.
[[noreturn]] inline void throw_objection(communicator const& c, std::string objection, int rank) {
  auto length = static_cast<int>(objection.size());
  check(MPI_Bcast(&length, 1, MPI_INT, rank, c.handle()), "MPI_Bcast");
  objection.resize(static_cast<std::size_t>(length));
  check(MPI_Bcast(objection.data(), length, MPI_CHAR, rank, c.handle()), "MPI_Bcast");
  throw bad_value(bmmc::detail::text({"process ", rank, ": ", objection}));
}

/// All processes throw, naming the first process that differs from process 0.
[[noreturn]] inline void throw_difference(communicator const& c, common_fact const& mine) {
  auto first = mine.value;
  check(MPI_Bcast(&first, 1, MPI_UINT64_T, 0, c.handle()), "MPI_Bcast");
  const int me = mine.value == first ? c.size() : c.rank();
  int differs = 0;
  check(MPI_Allreduce(&me, &differs, 1, MPI_INT, MPI_MIN, c.handle()), "MPI_Allreduce");
  auto other = mine.value;
  check(MPI_Bcast(&other, 1, MPI_UINT64_T, differs, c.handle()), "MPI_Bcast");
  std::string text = "processes disagree on the ";
  text.append(mine.name).append(": process ").append(std::to_string(differs));
  if (mine.is_figure)
    text.append(" has ")
        .append(std::to_string(other))
        .append(", process 0 has ")
        .append(std::to_string(first));
  else
    text.append(" has another than process 0");
  throw bad_value(text);
}

}  // namespace detail

/// Collective: returns on all processes, or throws the same bad_value on all of them: where a
/// process objects (its text is not empty), or where a fact is not the same everywhere.
/// Cost    one reduction of 8 (1 + 2 facts) bytes where all is well.
inline void agree(communicator const& c, std::string const& objection,
                  std::span<common_fact const> facts = {}) {
  std::vector<std::uint64_t> least;
  least.push_back(static_cast<std::uint64_t>(objection.empty() ? c.size() : c.rank()));
  for (common_fact const& fact : facts) {
    least.push_back(fact.value);
    least.push_back(~fact.value);  // its minimum tells the maximum
  }
  check(MPI_Allreduce(MPI_IN_PLACE, least.data(), static_cast<int>(least.size()), MPI_UINT64_T,
                      MPI_MIN, c.handle()),
        "MPI_Allreduce");
  if (const auto objector = static_cast<int>(least[0]); objector < c.size())
    detail::throw_objection(c, objection, objector);
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (least[1 + 2 * i] != ~least[2 + 2 * i]) detail::throw_difference(c, facts[i]);
}

/// Collective: whether all processes have the same value, after they have agreed that none objects.
/// Cost    one reduction of 24 bytes.
[[nodiscard]] inline bool all_have(communicator const& c, std::string const& objection,
                                   std::uint64_t value) {
  std::array<std::uint64_t, 3> least{
      static_cast<std::uint64_t>(objection.empty() ? c.size() : c.rank()), value, ~value};
  check(MPI_Allreduce(MPI_IN_PLACE, least.data(), 3, MPI_UINT64_T, MPI_MIN, c.handle()),
        "MPI_Allreduce");
  if (const auto objector = static_cast<int>(least[0]); objector < c.size())
    detail::throw_objection(c, objection, objector);
  return least[1] == ~least[2];
}

/// Collective: the sum of a word over all processes, modulo 2^64.
[[nodiscard]] inline std::uint64_t sum_of(communicator const& c, std::uint64_t mine) {
  check(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_SUM, c.handle()), "MPI_Allreduce");
  return mine;
}

/// Collective: the longest block of bytes of all processes, in a length that MPI can count.
[[nodiscard]] inline std::uint64_t padded_length(communicator const& c, std::uint64_t longest) {
  check(MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_UINT64_T, MPI_MAX, c.handle()),
        "MPI_Allreduce");
  constexpr std::uint64_t page = 4096, enough = std::uint64_t{1} << 30;
  return longest <= enough ? longest : (longest + page - 1) / page * page;
}

}  // namespace bmmc::comm
