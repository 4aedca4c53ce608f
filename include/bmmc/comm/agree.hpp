// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <bmmc/comm/communicator.hpp>
#include <bmmc/comm/objection.hpp>

namespace bmmc::comm {

/// A value that every process must hold alike: a figure that people know, the fingerprint of
/// something larger, which error messages leave out, or the number of a text, which they show.
struct common_fact {
  char const* name = "function called";
  std::uint64_t value = 0;
  bool is_figure = true;
  std::string_view text{};
};

/// All agreements have one shape, so that processes which call different functions learn of it
/// instead of waiting for each other: this many facts at most, the first of which tells functions
/// apart. See comm/call.hpp.
inline constexpr std::size_t most_facts = 10;

namespace detail {

/// What all processes throw where one objects: its number, and its text without the number.
struct refusal : bad_value {
  refusal(int number, objection const& against)
      : bad_value(bmmc::detail::text({"process ", number, ": "}).append(against.text())),
        process(number),
        text(against) {}
  int process;
  objection text;
};

/// All processes get the text of process `root`, cut to what an objection holds.
inline objection text_of(communicator const& c, std::string_view mine, int root) {
  std::array<char, objection::most> text{};
  std::copy_n(mine.data(), std::min(mine.size(), text.size() - 1), text.data());
  check(MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, root, c.handle()),
        "MPI_Bcast");
  return std::string_view(text.data());
}

/// All processes throw the objection of process `rank`.
[[noreturn]] inline void throw_objection(communicator const& c, objection const& mine, int rank) {
  throw refusal(rank, text_of(c, mine.text(), rank));
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
  const auto theirs = text_of(c, mine.text, differs), of_first = text_of(c, mine.text, 0);
  std::string text = "processes disagree on the ";
  text.append(mine.name).append(": process ").append(std::to_string(differs));
  if (!theirs.empty() || !of_first.empty())
    text.append(" has ").append(theirs.text()).append(", process 0 has ").append(of_first.text());
  else if (mine.is_figure)
    text.append(" has ")
        .append(std::to_string(other))
        .append(", process 0 has ")
        .append(std::to_string(first));
  else
    text.append(" has another than process 0");
  throw bad_value(text);
}

}  // namespace detail

namespace detail {

using all_facts = std::array<common_fact, most_facts>;
[[nodiscard]] inline all_facts padded(std::span<common_fact const> facts) {
  all_facts all{};
  if (facts.size() > all.size()) throw bad_value("too many facts for one agreement");
  std::copy(facts.begin(), facts.end(), all.begin());
  return all;
}

/// The number of the first fact that is not the same everywhere, most_facts where all are; throws
/// on all processes where one objects. When MPI fails meanwhile, so has the communicator.
[[nodiscard]] inline std::size_t first_difference(communicator const& c, objection const& mine,
                                                  all_facts const& all) {
  const exclusive_use use(c);
  std::array<std::uint64_t, 1 + 2 * most_facts> least{};
  least[0] = static_cast<std::uint64_t>(mine.empty() ? c.size() : c.rank());
  for (std::size_t i = 0; i < all.size(); ++i) {
    least[1 + 2 * i] = all[i].value;
    least[2 + 2 * i] = ~all[i].value;  // its minimum tells the maximum
  }
  check(MPI_Allreduce(MPI_IN_PLACE, least.data(), static_cast<int>(least.size()), MPI_UINT64_T,
                      MPI_MIN, c.handle()),
        "MPI_Allreduce");
  if (const auto objector = static_cast<int>(least[0]); objector < c.size())
    throw_objection(c, mine, objector);
  std::size_t i = 0;
  while (i < all.size() && least[1 + 2 * i] == ~least[2 + 2 * i]) ++i;
  return i;
}

}  // namespace detail

/// Collective: returns on all processes, or throws the same bad_value on all of them: where a
/// process objects, or where a fact is not the same everywhere: the first of them is named. There
/// are most_facts of them at most. Allocates nothing where all is well.
/// Cost    one reduction of 8 (1 + 2 most_facts) bytes where all is well.
inline void agree(communicator const& c, objection const& mine,
                  std::span<common_fact const> facts = {}) {
  const auto all = detail::padded(facts);
  if (const auto i = detail::first_difference(c, mine, all); i < all.size())
    detail::throw_difference(c, all[i]);
}

/// The same, and whether all processes have the same `number`: that they need not. It takes the
/// place of the last fact.
[[nodiscard]] inline bool agree_and_compare(communicator const& c, objection const& mine,
                                            std::span<common_fact const> facts,
                                            std::uint64_t number) {
  auto all = detail::padded(facts);
  all.back().value = number;
  const auto i = detail::first_difference(c, mine, all);
  if (i + 1 < all.size()) detail::throw_difference(c, all[i]);
  return i == all.size();
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
