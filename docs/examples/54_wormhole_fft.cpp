// SPDX-License-Identifier: BSL-1.0

// Times of a parallel FFT on a hypercube of 256 processors like an nCUBE 2, with and without
// contention in its bit reversal: ours beside tables 1 and 2 of Hou et al.

#include <algorithm>
#include <array>
#include <bmmc/study.hpp>
#include <bmmc/planning.hpp>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

namespace cube = bmmc::cube;
namespace wormhole = bmmc::wormhole;
using bmmc::index_t;
using bmmc::permutation;

using four = std::array<double, 4>;  // for 2^8, 2^10, 2^12, 2^14 points
/// Times of the bit reversal in table 1 for routings that the paper does not define.
const std::map<std::string, four> undefined_there{{"Chiu et al.", {276.9, 577.8, 1781.7, 6597.0}},
                                                  {"Min (Li)", {248.4, 467.2, 1342.8, 4844.8}},
                                                  {"MIXab3", {258.1, 504.3, 1489.3, 5429.1}},
                                                  {"MIXbb3", {258.6, 504.9, 1489.8, 5429.7}}};

four each_size(auto time_of) {
  four found{};
  for (unsigned d = 0; d < 4; ++d) found[d] = time_of(wormhole::parallel_fft{8, d});
  return found;
}
four divided(four a, four const& b) {
  for (unsigned d = 0; d < 4; ++d) a[d] /= b[d];
  return a;
}
four plus(four a, four const& b) {
  for (unsigned d = 0; d < 4; ++d) a[d] += b[d];
  return a;
}

/// A row of ours beside the paper's; a value below 0 stands for none. Marked where what is printed
/// would differ by more than a rounding to either side.
void print_row(char const* name, four const& ours, four const& papers, int digits = 1) {
  std::printf("%-24s", name);
  bool differs = false;
  for (unsigned d = 0; d < 4; ++d) {
    const double rounding = 0.5001 * std::pow(10, -digits);
    differs =
        differs || (ours[d] >= 0 && papers[d] >= 0 && std::abs(ours[d] - papers[d]) > rounding);
    ours[d] < 0 ? std::printf("%9s", "-") : std::printf("%9.*f", digits, ours[d]);
    papers[d] < 0 ? std::printf(" %8s", "") : std::printf(" %8.*f", digits, papers[d]);
  }
  std::printf("%s\n", differs ? " <>" : "");
}

/// The shortest and the longest time of P-cube's bit reversal over 100 orders of handing over (1000
/// for the shortest messages), which decide between headers that come in one cycle.
std::array<four, 2> times_by_ties() {
  std::array<four, 2> found{};
  for (unsigned d = 0; d < 4; ++d) {
    const wormhole::parallel_fft fft{8, d};
    std::mt19937_64 random(1);
    std::vector<index_t> senders;
    for (index_t x = 0; x < 256; ++x) senders.push_back(x);
    for (unsigned k = 0; k < (d == 0 ? 1000U : 100U); ++k) {
      for (std::size_t i = senders.size(); i > 1; --i)
        std::swap(senders[i - 1], senders[random() % i]);
      const double time =
          fft.costs.message +
          fft.costs.byte * static_cast<double>(wormhole::burst(
                               8, wormhole::p_cube{}, bmmc::bit_reversal(8), fft.flits(), senders));
      found[0][d] = k == 0 ? time : std::min(found[0][d], time);
      found[1][d] = std::max(found[1][d], time);
    }
  }
  return found;
}

}  // namespace

int main() {
  const auto here = bmmc::identity_permutation(8);
  const auto mapped = cube::find_mapping(cube::push(bmmc::bit_reversal(8))).q;
  const auto reversal = [](auto routing, permutation<> const& order) {
    return each_size([&](auto const& fft) { return reversal_time(fft, routing, order); });
  };
  const auto whole = [](auto routing, permutation<> const& order) {
    return each_size([&](auto const& fft) { return wormhole::fft_time(fft, routing, order); });
  };
  const four none{-1, -1, -1, -1};
  const wormhole::e_cube e_cube;
  const wormhole::p_cube p_cube;
  const four computation = each_size([](auto const& fft) { return fft.computation(); });
  const four neighbours = each_size([](auto const& fft) { return fft.neighbours(); });
  const four before = reversal(e_cube, here), after = reversal(e_cube, mapped);
  const four sum_before = plus(plus(computation, neighbours), before);
  const four sum_after = plus(plus(computation, neighbours), after);
  const auto [shortest, longest] = times_by_ties();
  std::printf("Parallel FFT on 256 processors, microseconds: ours, and beside it the paper's\n");
  std::printf(
      "points                       2^8              2^10             2^12             2^14\n");
  print_row("computation", computation, {35.8, 163.5, 736.0, 3271.7});
  print_row("neighbours", neighbours, {1398.6, 1617.5, 2493.0, 5995.1});
  print_row("bit reversal, e-cube", before, {248.9, 467.8, 1343.3, 4845.4});
  print_row("  p-cube", reversal(p_cube, here), {299.7, 693.5, 2225.7, 8354.3});
  print_row("    at least, by ties", shortest, none);
  print_row("    at most, by ties", longest, none);
  print_row("  ascending falls", reversal(wormhole::ascending_falls{}, here), none);
  for (auto const& [name, times] : undefined_there) print_row(("  " + name).c_str(), none, times);
  print_row("  mapped, e-cube", after, {178.8, 206.2, 315.6, 753.4});
  print_row("  speed-up", divided(before, after), {1.39, 2.27, 4.26, 6.43}, 2);
  print_row("all, e-cube", sum_before, {1683.3, 2248.9, 4572.4, 14112.2});
  print_row("all, mapped", sum_after, {1613.2, 1987.2, 3544.7, 10020.2});
  print_row("  speed-up", divided(sum_before, sum_after), {1.04, 1.13, 1.29, 1.41}, 2);
  const four free_before = whole(e_cube, here), free_after = whole(e_cube, mapped);
  print_row("no barrier, e-cube", free_before, none);
  print_row("  p-cube", whole(p_cube, here), none);
  print_row("  ascending falls", whole(wormhole::ascending_falls{}, here), none);
  print_row("  mapped, e-cube", free_after, none);
  print_row("  speed-up by mapping", divided(free_before, free_after), none, 2);
}

// Prints:
// Parallel FFT on 256 processors, microseconds: ours, and beside it the paper's
// points                       2^8              2^10             2^12             2^14
// computation                  35.8     35.8    163.5    163.5    736.0    736.0   3271.7   3271.7
// neighbours                 1398.6   1398.6   1617.5   1617.5   2493.0   2493.0   5995.1   5995.1
// bit reversal, e-cube        248.9    248.9    467.8    467.8   1343.3   1343.3   4845.4   4845.4
//   p-cube                    330.4    299.7    768.2    693.5   2519.2   2225.7   9523.4   8354.3 <>
//     at least, by ties       300.2             693.0            2225.1            8353.8
//     at most, by ties        331.0             768.8            2519.8            9524.0
//   ascending falls           248.9             467.8            1343.3            4845.4
//   Chiu et al.                   -    276.9        -    577.8        -   1781.7        -   6597.0
//   MIXab3                        -    258.1        -    504.3        -   1489.3        -   5429.1
//   MIXbb3                        -    258.6        -    504.9        -   1489.8        -   5429.7
//   Min (Li)                      -    248.4        -    467.2        -   1342.8        -   4844.8
//   mapped, e-cube            178.8    178.8    206.2    206.2    315.6    315.6    753.4    753.4
//   speed-up                   1.39     1.39     2.27     2.27     4.26     4.26     6.43     6.43
// all, e-cube                1683.3   1683.3   2248.8   2248.9   4572.4   4572.4  14112.2  14112.2
// all, mapped                1613.2   1613.2   1987.2   1987.2   3544.7   3544.7  10020.2  10020.2
//   speed-up                   1.04     1.04     1.13     1.13     1.29     1.29     1.41     1.41
// no barrier, e-cube         1683.3            2248.9            4907.0           16449.2
//   p-cube                   1764.8            2498.5            5970.0           20343.5
//   ascending falls          1683.3            2248.9            4749.6           15074.4
//   mapped, e-cube           1619.5            1987.2            3544.7           10020.2
//   speed-up by mapping        1.04              1.13              1.38              1.64
