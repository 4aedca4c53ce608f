// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>

#include <bmmc/comm/agree.hpp>

namespace bmmc::comm {

namespace detail {

BMMC_ONCE objection text_of(communicator const& c, std::string_view mine, int root) {
  std::array<char, objection::most> text{};
  std::copy_n(mine.data(), std::min(mine.size(), text.size() - 1), text.data());
  check(MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, root, c.handle()),
        "MPI_Bcast");
  return std::string_view(text.data());
}

BMMC_ONCE void throw_objection(communicator const& c, objection const& mine, int rank) {
  throw refusal(rank, text_of(c, mine.text(), rank));
}

BMMC_ONCE void throw_difference(communicator const& c, common_fact const& mine) {
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

BMMC_ONCE all_facts padded(std::span<common_fact const> facts) {
  all_facts all{};
  if (facts.size() > all.size()) throw bad_value("too many facts for one agreement");
  std::copy(facts.begin(), facts.end(), all.begin());
  return all;
}

BMMC_ONCE std::size_t first_difference(communicator const& c, objection const& mine,
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

BMMC_ONCE void agree(communicator const& c, objection const& mine,
                     std::span<common_fact const> facts) {
  const auto all = detail::padded(facts);
  if (const auto i = detail::first_difference(c, mine, all); i < all.size())
    detail::throw_difference(c, all[i]);
}

BMMC_ONCE bool agree_and_compare(communicator const& c, objection const& mine,
                                 std::span<common_fact const> facts, std::uint64_t number) {
  auto all = detail::padded(facts);
  all.back().value = number;
  const auto i = detail::first_difference(c, mine, all);
  if (i + 1 < all.size()) detail::throw_difference(c, all[i]);
  return i == all.size();
}

BMMC_ONCE std::uint64_t sum_of(communicator const& c, std::uint64_t mine) {
  check(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_SUM, c.handle()), "MPI_Allreduce");
  return mine;
}

BMMC_ONCE std::uint64_t padded_length(communicator const& c, std::uint64_t longest) {
  check(MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_UINT64_T, MPI_MAX, c.handle()),
        "MPI_Allreduce");
  constexpr std::uint64_t page = 4096, enough = std::uint64_t{1} << 30;
  return longest <= enough ? longest : (longest + page - 1) / page * page;
}

}  // namespace bmmc::comm
