// SPDX-License-Identifier: BSL-1.0

// Plans for files in constant expressions: to compile is to pass.

#include <bmmc/file/plan.hpp>
#include <bmmc/index/catalogue.hpp>

namespace {

using namespace bmmc;

/// Blocks of 2^2 elements and memory for two tiles of 2^4: rho = 2.
constexpr file::resources small{.memory = 32, .block = 4};

static_assert(file::spread_of(bit_reversal(8).matrix(), 3) == 3);
/// A plan lives as long as the constant expression alone.
constexpr bool takes(permutation<> const& p, file::resources const& given, std::size_t passes,
                     index_t bytes) {
  const auto plan = file::make_plan(p, 1, given);
  return plan.passes().size() == passes && plan.moves().bytes() == bytes;
}
static_assert(takes(bit_reversal(6), small, 1, 2 * 64));
static_assert(takes(bit_reversal(6), {.memory = 16, .block = 4}, 2, 4 * 64));
static_assert(takes(bit_reversal(6), {.memory = 24, .block = 4, .in_place = true}, 2, 6 * 64 - 16));

/// Every element of a plan's only pass goes where p says.
constexpr bool carries_out(permutation<> const& p) {
  const auto plan = file::make_plan(p, 1, small);
  auto const& t = plan.passes()[0];
  for (index_t tile = 0; tile < t.tiles(); ++tile)
    for (index_t at = 0; at < t.tile_elements(); ++at)
      if (t.target_index(tile, t.inside(tile)(at)) != p(t.source_index(tile, at))) return false;
  return true;
}
static_assert(carries_out(transpose(2, 3)) && carries_out(gray_decode(5)));

}  // namespace

int main() {}
