// SPDX-License-Identifier: BSL-1.0

// Contention, mappings and networks in constant expressions.

#include <bmmc/study.hpp>
#include <bmmc/planning.hpp>

namespace {

namespace cube = bmmc::cube;
namespace network = bmmc::network;

// Examples 3 and 4 of Hou et al.: matrix transpose, from degree 8 to 1.
constexpr auto transpose = cube::push(bmmc::transpose<4, 4>());
static_assert(cube::contention(transpose) == 8 && cube::contention(transpose, 2) == 4);
constexpr auto mapping = cube::find_mapping(transpose);
static_assert(cube::contention(mapping.after) == 1 && mapping.order[1] == 4);
static_assert(cube::remapped(transpose, mapping.q) == mapping.after);

// Every step of a plan takes the order of the first.
constexpr auto plan = bmmc::make_plan(bmmc::bit_reversal<8>(), bmmc::layout::processor_major{}, 64);
constexpr auto order = cube::find_mapping(cube::step(plan, 0)).q;
static_assert(cube::contention(cube::step(plan, 3)) == 2);
static_assert(cube::contention(cube::remapped(cube::step(plan, 3), order)) == 1);

// A scatter to all: node 0 sends to every node, and one channel carries half of the messages.
constexpr auto broadcast = cube::pull({bmmc::bit_matrix<>(4, 4), 0});
static_assert(cube::contention(broadcast) == 8);

constexpr bmmc::index_t hops(auto const& net, bmmc::index_t source, bmmc::index_t target) {
  bmmc::index_t count = 0;
  net.route(source, target, [&](bmmc::index_t) { ++count; });
  return count;
}
static_assert(hops(network::hypercube(8), 0b1010'0101, 0b0101'1010) == 8);
static_assert(hops(network::torus(8, 8), 0, 63) == 2);  // both axes wrap around
static_assert(hops(network::torus(4, 4, 4), 0, 42) == 6);
static_assert(hops(network::fat_tree(8, 8, 4), 0, 7) == 2);
static_assert(hops(network::fat_tree(8, 8, 4), 0, 8) == 4);

}  // namespace

int main() {}
