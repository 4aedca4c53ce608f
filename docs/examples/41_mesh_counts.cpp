// SPDX-License-Identifier: BSL-1.0

// What Orcutt's programs cost on a mesh of N = 2^n elements: routes R and unit routes L, counted by
// running them, with the routes of the masks and with masks at hand; against sending everything
// around the ring. With the argument "data" it prints the table bench/measured/mesh.csv.

#include <bmmc/planning.hpp>
#include <bmmc/study.hpp>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace mesh = bmmc::mesh;
using bmmc::index_t;
using bmmc::permutation;

namespace {

struct cost {
  double routes = 0, units = 0;
};
struct counts {
  cost all, masks_at_hand;
};

/// Runs a program, and what it recorded once more; the data must be where they belong.
counts run(unsigned n, auto const& target_of, std::function<void(mesh::machine&)> const& program) {
  const auto count = [](mesh::machine const& m) {
    if (!m.is_done()) throw std::logic_error("a datum is not in its place");
    return cost{static_cast<double>(m.routes()), static_cast<double>(m.unit_route_count())};
  };
  mesh::machine m(n);
  m.load(target_of);
  program(m);
  const auto all = count(m);
  const auto recorded = m.trace();
  if (recorded.empty()) return {all, all};
  m.load(target_of);
  m.replay(recorded);
  return {all, count(m)};
}

const auto general = [](mesh::machine& m) { (void)mesh::general(m); };
const auto composite = [](mesh::machine& m) { (void)mesh::composite(m); };
const auto universal = [](mesh::machine& m) { mesh::universal(m); };
auto exchanges_of(permutation<> const& p) {
  return [program = mesh::make_affine_program(p)](mesh::machine& m) { mesh::run(m, program); };
}

/// Fixes the lower half of the bits and reverses the upper one: a conflict in step n/2.
permutation<> half_reversal(unsigned n) {
  auto a = bmmc::identity_matrix(n);
  for (unsigned j = n / 2; j < n; ++j) a.column[j] = bmmc::bit(n / 2 + n - 1 - j);
  return permutation<>(a);
}

struct row {
  char const* name;
  counts found;
};
std::vector<row> all_programs(unsigned n) {
  const auto shuffle = bmmc::shuffle(n), reversal = bmmc::bit_reversal(n);
  std::mt19937_64 random(n);
  const auto any = bmmc::random_permutation(n, random);
  return {{"straightforward", run(n, any, mesh::straightforward)},
          {"perfect shuffle", run(n, shuffle, mesh::perfect_shuffle)},
          {"  by neighbouring bits", run(n, shuffle, exchanges_of(shuffle))},
          {"bit reversal", run(n, reversal, mesh::bit_reversal)},
          {"general", run(n, bmmc::gray_decode(n), general)},
          {"composite, at n/2", run(n, half_reversal(n), composite)},
          {"universal", run(n, any, universal)},
          {"exchanges, random A", run(n, any, exchanges_of(any))}};
}

void print_table(unsigned n) {
  const double size = static_cast<double>(bmmc::bit(n));
  std::printf("N = 2^%-2u                     R      L | masks at hand |  speed-up in R, L\n", n);
  for (auto const& [name, found] : all_programs(n))
    std::printf("  %-22s %6.0f %6.0f | %6.0f %6.0f | %8.1f %8.1f\n", name, found.all.routes,
                found.all.units, found.masks_at_hand.routes, found.masks_at_hand.units,
                (size - 1) / found.all.routes, (size - 1) / found.all.units);
}

void print_slip(unsigned n) {
  const auto found = run(n, bmmc::bit_reversal(n), mesh::bit_reversal);
  const double root = static_cast<double>(bmmc::bit(n / 2));
  std::printf(
      "  n = %2u: counted %4.0f   6 sqrt N - 9 = %4.0f   printed (11/2) sqrt N - 9 = %4.0f%s\n", n,
      found.all.units, 6 * root - 9, 5.5 * root - 9,
      found.all.units == 5.5 * root - 9 ? "" : " <>");
}

/// R / L of all ways for one permutation of 64 elements, the routes of masks included.
void print_choice(char const* name, permutation<> const& p) {
  const unsigned n = p.bits();
  std::string line, best;
  double least = 1e9;
  const auto consider = [&](char const* way, std::function<void(mesh::machine&)> const& program) {
    const auto found = run(n, p, program).all;
    char text[32];
    std::snprintf(text, sizeof text, "%5.0f /%4.0f", found.routes, found.units);
    line += text;
    if (found.routes + found.units >= least) return;
    least = found.routes + found.units;
    best = way;
  };
  if (mesh::first_singular_minor(p.matrix()))
    line += "    refused";
  else
    consider("general", general);
  consider("composite", composite);
  consider("universal", universal);
  consider("exchanges", exchanges_of(p));
  std::printf("  %-18s %s   %s\n", name, line.c_str(), best.c_str());
}

/// 2^(N/2) of the N! / ((N/2)!)^2 ways to split the tags over N/2 pairs put one of each kind in
/// each.
double chance_of_any(unsigned n) {
  double chance = 1;
  const double half = static_cast<double>(bmmc::bit(n - 1));
  for (double k = 1; k <= half; ++k) chance *= 2 * k / (half + k);
  return chance;
}
double chance_of_affine(unsigned n) {
  const double size = static_cast<double>(bmmc::bit(n));
  return size / 2 / (size - 1);
}

void print_data() {
  std::printf("# Counted by 41_mesh_counts data\nelements,program,routes,units\n");
  for (unsigned n = 4; n <= 12; n += 2)
    for (auto const& [name, found] : all_programs(n))
      std::printf("%llu,\"%s\",%.0f,%.0f\n", static_cast<unsigned long long>(bmmc::bit(n)), name,
                  found.all.routes, found.all.units);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "data") == 0) {
    print_data();
    return 0;
  }
  for (unsigned n = 4; n <= 12; n += 2) print_table(n);

  std::printf("L of the bit reversal\n");
  for (unsigned n = 4; n <= 12; n += 2) print_slip(n);

  std::printf("R / L on 64 elements   general  composite  universal  exchanges   best by R + L\n");
  print_choice("identity", bmmc::identity_permutation(6));
  print_choice("perfect shuffle", bmmc::shuffle(6));
  print_choice("unshuffle", bmmc::unshuffle(6));
  print_choice("bit reversal", bmmc::bit_reversal(6));
  print_choice("transpose 8 x 8", bmmc::transpose(3, 3));
  print_choice("transpose 4 x 16", bmmc::transpose(2, 4));
  print_choice("vector reversal", bmmc::vector_reversal(6));
  print_choice("Gray encode", bmmc::gray_encode(6));
  print_choice("Gray decode", bmmc::gray_decode(6));
  print_choice("Morton encode", bmmc::morton_encode(6));
  print_choice("Morton decode", bmmc::morton_decode(6));
  print_choice("block to cyclic, 8", bmmc::block_to_cyclic(6, 8));
  print_choice("swap bits 1, 4", bmmc::swap_bits(6, 1, 4));
  print_choice("CNOT 0 -> 5", bmmc::cnot(6, 0, 5));
  std::mt19937_64 random(64);
  print_choice("random A, c", bmmc::random_permutation(6, random));

  std::printf("composite beats universal for    of all permutations   of affine ones\n");
  for (unsigned n = 2; n <= 8; n += 2)
    std::printf("  N = %3d                         %.3g   %.4f\n", 1 << n, chance_of_any(n),
                chance_of_affine(n));
}

// Prints:
// N = 2^4                      R      L | masks at hand |  speed-up in R, L
//   straightforward            15     15 |     15     15 |      1.0      1.0
//   perfect shuffle             9     18 |      6     12 |      1.7      0.8
//     by neighbouring bits      9     12 |      6      8 |      1.7      1.2
//   bit reversal                6     15 |      4     10 |      2.5      1.0
//   general                    16     24 |      8     12 |      0.9      0.6
//   composite, at n/2          21     29 |     10     14 |      0.7      0.5
//   universal                  40     56 |     20     28 |      0.4      0.3
//   exchanges, random A        12     18 |      8     12 |      1.2      0.8
// N = 2^6                      R      L | masks at hand |  speed-up in R, L
//   straightforward            63     63 |     63     63 |      1.0      1.0
//   perfect shuffle            15     42 |     10     28 |      4.2      1.5
//     by neighbouring bits     15     30 |     10     20 |      4.2      2.1
//   bit reversal                9     39 |      6     26 |      7.0      1.6
//   general                    24     56 |     12     28 |      2.6      1.1
//   composite, at n/2          37     73 |     18     36 |      1.7      0.9
//   universal                  84    172 |     42     86 |      0.8      0.4
//   exchanges, random A        21     51 |     14     34 |      3.0      1.2
// N = 2^8                      R      L | masks at hand |  speed-up in R, L
//   straightforward           255    255 |    255    255 |      1.0      1.0
//   perfect shuffle            21     90 |     14     60 |     12.1      2.8
//     by neighbouring bits     21     66 |     14     44 |     12.1      3.9
//   bit reversal               12     87 |      8     58 |     21.2      2.9
//   general                    32    120 |     16     60 |      8.0      2.1
//   composite, at n/2          57    165 |     28     82 |      4.5      1.5
//   universal                 144    448 |     72    224 |      1.8      0.6
//   exchanges, random A        27    105 |     18     70 |      9.4      2.4
// N = 2^10                     R      L | masks at hand |  speed-up in R, L
//   straightforward          1023   1023 |   1023   1023 |      1.0      1.0
//   perfect shuffle            27    186 |     18    124 |     37.9      5.5
//     by neighbouring bits     27    138 |     18     92 |     37.9      7.4
//   bit reversal               15    183 |     10    122 |     68.2      5.6
//   general                    40    248 |     20    124 |     25.6      4.1
//   composite, at n/2          81    353 |     40    176 |     12.6      2.9
//   universal                 220   1076 |    110    538 |      4.7      1.0
//   exchanges, random A        39    273 |     26    182 |     26.2      3.7
// N = 2^12                     R      L | masks at hand |  speed-up in R, L
//   straightforward          4095   4095 |   4095   4095 |      1.0      1.0
//   perfect shuffle            33    378 |     22    252 |    124.1     10.8
//     by neighbouring bits     33    282 |     22    188 |    124.1     14.5
//   bit reversal               18    375 |     12    250 |    227.5     10.9
//   general                    48    504 |     24    252 |     85.3      8.1
//   composite, at n/2         109    733 |     54    366 |     37.6      5.6
//   universal                 312   2472 |    156   1236 |     13.1      1.7
//   exchanges, random A        51    594 |     34    396 |     80.3      6.9
// L of the bit reversal
//   n =  4: counted   15   6 sqrt N - 9 =   15   printed (11/2) sqrt N - 9 =   13 <>
//   n =  6: counted   39   6 sqrt N - 9 =   39   printed (11/2) sqrt N - 9 =   35 <>
//   n =  8: counted   87   6 sqrt N - 9 =   87   printed (11/2) sqrt N - 9 =   79 <>
//   n = 10: counted  183   6 sqrt N - 9 =  183   printed (11/2) sqrt N - 9 =  167 <>
//   n = 12: counted  375   6 sqrt N - 9 =  375   printed (11/2) sqrt N - 9 =  343 <>
// R / L on 64 elements   general  composite  universal  exchanges   best by R + L
//   identity              24 /  56   24 /  56   84 / 172    0 /   0   exchanges
//   perfect shuffle        refused   85 / 173   84 / 172   15 /  30   exchanges
//   unshuffle              refused   85 / 173   84 / 172   15 /  30   exchanges
//   bit reversal           refused   85 / 173   84 / 172    9 /  39   exchanges
//   transpose 8 x 8        refused   85 / 173   84 / 172    9 /  39   exchanges
//   transpose 4 x 16       refused   85 / 173   84 / 172   12 /  36   exchanges
//   vector reversal       24 /  56   24 /  56   84 / 172   18 /  42   exchanges
//   Gray encode           24 /  56   24 /  56   84 / 172   15 /  30   exchanges
//   Gray decode           24 /  56   24 /  56   84 / 172   15 /  30   exchanges
//   Morton encode          refused   65 / 154   84 / 172    9 /  18   exchanges
//   Morton decode          refused   65 / 154   84 / 172    9 /  18   exchanges
//   block to cyclic, 8     refused   85 / 173   84 / 172    9 /  39   exchanges
//   swap bits 1, 4         refused   65 / 154   84 / 172    3 /  12   exchanges
//   CNOT 0 -> 5           24 /  56   24 /  56   84 / 172    3 /  12   exchanges
//   random A, c            refused   85 / 173   84 / 172   27 /  72   exchanges
// composite beats universal for    of all permutations   of affine ones
//   N =   4                         0.667   0.6667
//   N =  16                         0.0199   0.5333
//   N =  64                         2.34e-09   0.5079
//   N = 256                         5.9e-38   0.5020
