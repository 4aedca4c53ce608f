// SPDX-License-Identifier: BSL-1.0
#pragma once

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
objection text_of(communicator const& c, std::string_view mine, int root);

/// All processes throw the objection of process `rank`.
[[noreturn]] void throw_objection(communicator const& c, objection const& mine, int rank);

/// All processes throw, naming the first process that differs from process 0.
[[noreturn]] void throw_difference(communicator const& c, common_fact const& mine);

using all_facts = std::array<common_fact, most_facts>;
[[nodiscard]] all_facts padded(std::span<common_fact const> facts);

/// The number of the first fact that is not the same everywhere, most_facts where all are; throws
/// on all processes where one objects. When MPI fails meanwhile, so has the communicator.
[[nodiscard]] std::size_t first_difference(communicator const& c, objection const& mine,
                                           all_facts const& all);

}  // namespace detail

/// Collective: returns on all processes, or throws the same bad_value on all of them: where a
/// process objects, or where a fact is not the same everywhere: the first of them is named. There
/// are most_facts of them at most. Allocates nothing where all is well.
/// Cost    one reduction of 8 (1 + 2 most_facts) bytes where all is well.
void agree(communicator const& c, objection const& mine, std::span<common_fact const> facts = {});

/// The same, and whether all processes have the same `number`: that they need not. It takes the
/// place of the last fact.
[[nodiscard]] bool agree_and_compare(communicator const& c, objection const& mine,
                                     std::span<common_fact const> facts, std::uint64_t number);

/// Collective: the sum of a word over all processes, modulo 2^64.
[[nodiscard]] std::uint64_t sum_of(communicator const& c, std::uint64_t mine);

/// Collective: the longest block of bytes of all processes, in a length that MPI can count.
[[nodiscard]] std::uint64_t padded_length(communicator const& c, std::uint64_t longest);

}  // namespace bmmc::comm

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/comm/agree_once.hpp>
#endif
