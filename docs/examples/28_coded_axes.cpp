// SPDX-License-Identifier: BSL-1.0

// Two Gray codes and a permutation of axes in between, as one pipeline over the dimensions of a
// hypercube and new names for them: corollary 3.7 of Edelman, Heller and Johnsson (1994), as we
// reconstruct it. And how much of the channels such pipelines use.

#include <bmmc/planning.hpp>
#include <bmmc/study.hpp>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace bmmc;

/// What each node of a 2^n cube holds after the exchanges and the renaming is what it must.
bool is_right(permutation<> const& map, exchange_and_rename const& parts) {
  for (index_t x = 0; x < bit(map.bits()); ++x) {
    index_t y = x;
    for (auto const& e : parts.exchanges) y = e(y);
    if (parts.renaming(y) != map(x)) return false;
  }
  return true;
}

/// An array whose axes are Gray coded is decoded, its index bits are permuted, and it is coded
/// anew.
void recoded(std::string const& name, array_layout const& source, permutation<> const& bits,
             array_layout const& target) {
  const auto map = compose(target.physical(), compose(bits, inverse(source.physical())));
  const auto parts = exchange_then_rename(map, bits);
  std::cout << name << '\n';
  if (!parts) {
    std::cout << "  no exchanges <>\n";
    return;
  }
  for (auto const& e : parts->exchanges)
    if (!e.is_identity()) std::cout << "  exchange  " << exchange_list{e} << '\n';
  std::cout << "  renamed  ";
  for (unsigned j = 0; j < map.bits(); ++j)
    std::cout << ' ' << j << "->" << detail::target_bit(bits, j);
  std::cout << "\n  every element in its place: " << (is_right(map, *parts) ? "yes" : "no <>")
            << "; exchanges without a renaming: " << (exchange_factors(map) ? "yes" : "none")
            << "\n  in reversed order: "
            << (exchange_factors(compose(inverse(bits), map), descending_order(map.bits()))
                    ? "yes"
                    : "none")
            << '\n';
}
array_layout gray(std::initializer_list<unsigned> shape) {
  unsigned n = 0;
  for (unsigned bits : shape) n += bits;
  return array_layout::over(shape, low_bits(n), axis_code::gray);
}

/// Channels in use in each step of a pipeline, of the n 2^n that there are.
void utilisation(char const* name, permutation<> const& p, unsigned elements) {
  const unsigned n = p.bits();
  const auto s = pipelined_schedule(p, elements, ascending_order(n));
  std::vector<std::size_t> used(s.steps(), 0);
  for (auto const& c : s.crossings) ++used[c.step];
  std::cout << "  " << std::left << std::setw(26) << name << std::right;
  for (std::size_t count : used) std::cout << std::setw(4) << 100 * count / (n * bit(n));
  std::cout << (fault_of(s, p).empty() ? "\n" : "  <> a fault\n");
}

}  // namespace

int main() {
  std::cout
      << "Gray code, index bits permuted, Gray code: exchanges, bit 0 first, then new names\n";
  recoded("2^6, transposed as 2^2 x 2^4, to 2^6", gray({6}), transpose(2, 4), gray({6}));
  recoded("2^3 x 2^3, transposed, to 2^6", gray({3, 3}), transpose(3, 3), gray({6}));
  recoded("2^6, its index reversed, to 2^2 x 2^4", gray({6}), bit_reversal(6), gray({2, 4}));
  recoded("2^2 x 2^4, transposed: the codes go with their axes", gray({2, 4}), transpose(2, 4),
          gray({4, 2}));

  std::cout << "Per cent of all channels in use in each step, 8 elements a node (the paper: fifty\n"
               "per cent in the steady state, of the dimensions that have an exchange)\n";
  utilisation("Gray to binary, 4 bits", gray_decode(4), 8);
  const permutation<> lower(bit_matrix<>(4, {0b1111, 0b1110, 0b0100, 0b1000}));
  utilisation("a lower triangle", lower, 8);
  utilisation("lower times upper", compose(lower, gray_decode(4)), 8);
  const auto coded = exchange_then_rename(
      compose(gray_encode(4), compose(bit_reversal(4), gray_decode(4))), bit_reversal(4));
  utilisation("the exchanges of 3.7", compose_exchanges(4, coded->exchanges), 8);
  utilisation("all bits complemented", vector_reversal(4), 8);
}

// Prints:
// Gray code, index bits permuted, Gray code: exchanges, bit 0 first, then new names
// 2^6, transposed as 2^2 x 2^4, to 2^6
//   exchange  x3 += x4 + x5
//   exchange  x5 += x0 + x1 + x2 + x3
//   renamed   0->2 1->3 2->4 3->5 4->0 5->1
//   every element in its place: yes; exchanges without a renaming: none
//   in reversed order: none
// 2^3 x 2^3, transposed, to 2^6
//   exchange  x5 += x0 + x1 + x2
//   renamed   0->3 1->4 2->5 3->0 4->1 5->2
//   every element in its place: yes; exchanges without a renaming: none
//   in reversed order: yes
// 2^6, its index reversed, to 2^2 x 2^4
//   exchange  x0 += x1 + x2 + x3 + x4 + x5
//   exchange  x1 += x0 + x2 + x3 + x4 + x5
//   exchange  x2 += x3 + x4 + x5
//   exchange  x3 += x2 + x4 + x5
//   exchange  x4 += x2 + x3 + x5
//   exchange  x5 += x2 + x3 + x4
//   renamed   0->5 1->4 2->3 3->2 4->1 5->0
//   every element in its place: yes; exchanges without a renaming: none
//   in reversed order: none
// 2^2 x 2^4, transposed: the codes go with their axes
//   renamed   0->2 1->3 2->4 3->5 4->0 5->1
//   every element in its place: yes; exchanges without a renaming: none
//   in reversed order: yes
// Per cent of all channels in use in each step, 8 elements a node (the paper: fifty
// per cent in the steady state, of the dimensions that have an exchange)
//   Gray to binary, 4 bits      12  25  37  37  37  37  37  37  25  12
//   a lower triangle             0  12  25  37  37  37  37  37  37  25  12
//   lower times upper           12  25  37  50  50  50  50  50  37  25  12
//   the exchanges of 3.7        12  25  37  50  50  50  50  50  37  25  12
//   all bits complemented       25  50  75 100 100 100 100 100  75  50  25
