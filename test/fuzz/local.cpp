// SPDX-License-Identifier: BSL-1.0
// Compares local passes, out of place and in place, with the Gray-code loop on whatever map the
// fuzzer makes up; and what gather and reduce do inside a process with a loop over all elements.

#include <cstring>
#include <vector>

#include <bmmc/local/fold.hpp>
#include <bmmc/local/in_place.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/local/reference.hpp>
#include <bmmc/local/spread.hpp>

#include "input.hpp"

namespace {

using namespace bmmc;

using fuzz::input;

template <class T>
void compare(input& in, unsigned n, local::tuning const& t, std::size_t from, std::size_t to) {
  const permutation<> p = fuzz::made_up(in, n);
  const std::size_t count = bit(n), bytes = count * sizeof(T);
  std::vector<T> before(count), expected(count);
  auto* const raw = reinterpret_cast<unsigned char*>(before.data());
  for (std::size_t i = 0; i < bytes; ++i)
    raw[i] = static_cast<unsigned char>((i * 2654435761U) >> 11);
  local::gray_code_loop(static_cast<T const*>(before.data()), expected.data(), p);
  // Exactly as long as needed: AddressSanitizer watches both ends.
  const std::size_t from_bytes = from / alignof(T) * alignof(T);
  const std::size_t to_bytes = to / alignof(T) * alignof(T);
  std::vector<unsigned char> source(bytes + from_bytes), target(bytes + to_bytes);
  auto* const source_data = reinterpret_cast<T*>(source.data() + from_bytes);
  auto* const target_data = reinterpret_cast<T*>(target.data() + to_bytes);
  std::memcpy(source_data, before.data(), bytes);
  local::pass<T>(p, t)(const_cast<T const*>(source_data), target_data);
  fuzz::require(std::memcmp(target_data, expected.data(), bytes) == 0,
                "a pass does what the Gray-code loop does");
  local::in_place_pass<T>(p, t)(source_data);
  fuzz::require(std::memcmp(source_data, expected.data(), bytes) == 0,
                "a pass in place does what the Gray-code loop does");
}

struct three {
  unsigned char byte[3];
};

/// Any map, of any rank: the fuzzer's bytes are its entries.
template <class T>
void compare_any(input& in, unsigned rows, unsigned cols) {
  affine_map map{{rows, cols}, in.number(rows)};
  for (unsigned j = 0; j < cols; ++j) map.matrix.column[j] = in.number(rows);
  local::tuning t;
  t.shape.tile = 9 + in.below(8);  // so that there are several pieces
  std::vector<index_t> image(bit(cols), map.complement);
  for (index_t x = 0; x < image.size(); ++x)
    for (unsigned j = 0; j < cols; ++j)
      if ((x >> j & 1) != 0) image[x] ^= map.matrix.column[j];
  const auto value = [](index_t x) { return static_cast<T>(x * 2654435761U >> 7); };
  const auto op = [](T a, T b) { return static_cast<T>(3 * a + b); };  // the order matters

  std::vector<T> source(bit(rows)), target(bit(cols));
  for (index_t y = 0; y < source.size(); ++y) source[y] = value(y);
  local::spread<T>{map, t}(source.data(), target.data());
  bool right = true;
  for (index_t x = 0; x < target.size(); ++x) right &= target[x] == source[image[x]];
  fuzz::require(right, "spread takes each element from A x + c");

  std::vector<T> terms(bit(cols)), sums(bit(rows)), expected(bit(rows));
  std::vector<char> is_met(bit(rows), 0);
  for (index_t x = 0; x < terms.size(); ++x) {
    T& sum = expected[image[x]];
    terms[x] = value(x);
    sum = is_met[image[x]]++ == 0 ? terms[x] : op(sum, terms[x]);
    is_met[image[x]] = 1;
  }
  local::fold<T>{map, t}(terms.data(), sums.data(), op);
  fuzz::require(sums == expected, "fold adds up what is mapped to one place, in ascending order");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  input in(data, size);
  constexpr local::instructions all[] = {local::instructions::portable, local::instructions::neon,
                                         local::instructions::avx2, local::instructions::avx512};
  local::tuning t{all[in.below(4)], in.below(2) == 0 ? index_t{0} : ~index_t{0}};
  if (!local::available(t.use)) t.use = local::best_instructions();
  const unsigned kind = in.below(7), n = in.below(14);
  const std::size_t from = in.below(64), to = in.below(64);
  switch (kind) {
    case 0:
      compare<std::uint8_t>(in, n, t, from, to);
      break;
    case 1:
      compare<std::uint16_t>(in, n, t, from, to);
      break;
    case 2:
      compare<std::uint32_t>(in, n, t, from, to);
      break;
    case 3:
      compare<std::uint64_t>(in, n, t, from, to);
      break;
    case 4:
      compare_any<std::uint16_t>(in, n, in.below(14));
      break;
    case 5:
      compare_any<std::uint64_t>(in, n, in.below(14));
      break;
    default:
      compare<three>(in, n, t, from, to);
      break;
  }
  return 0;
}
