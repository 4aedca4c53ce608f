// SPDX-License-Identifier: BSL-1.0
// Compares local passes, out of place and in place, with the Gray-code loop on whatever map the
// fuzzer makes up.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <bmmc/local/in_place.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/local/reference.hpp>

namespace {

using namespace bmmc;

/// Numbers from the fuzzer's bytes; zeros when they are used up.
class input {
 public:
  input(std::uint8_t const* data, std::size_t size) : data_(data), size_(size) {}
  unsigned below(unsigned limit) {
    if (size_ == 0) return 0;
    --size_;
    return *data_++ % limit;
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  std::uint8_t const* data_;
  std::size_t size_;
};

/// Elementary steps on the identity: sums, exchanges and complements of bits.
permutation<> made_up(input& in, unsigned n) {
  auto a = identity_matrix(n);
  index_t c = 0;
  for (unsigned steps = 0; n > 0 && !in.empty() && steps < 200; ++steps) {
    const unsigned kind = in.below(4), i = in.below(n), j = in.below(n);
    if (kind == 3)
      c ^= bit(i);
    else if (kind == 2)
      std::swap(a.column[i], a.column[j]);
    else if (i != j)
      a.column[i] ^= a.column[j];
  }
  return permutation<>(a, c);
}

void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "%s differs from the Gray-code loop\n", what);
  std::abort();
}

template <class T>
void compare(input& in, unsigned n, local::tuning const& t, std::size_t from, std::size_t to) {
  const permutation<> p = made_up(in, n);
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
  require(std::memcmp(target_data, expected.data(), bytes) == 0, "a pass");
  local::in_place_pass<T>(p, t)(source_data);
  require(std::memcmp(source_data, expected.data(), bytes) == 0, "a pass in place");
}

struct three {
  unsigned char byte[3];
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  input in(data, size);
  constexpr local::instructions all[] = {local::instructions::portable, local::instructions::neon,
                                         local::instructions::avx2, local::instructions::avx512};
  local::tuning t{all[in.below(4)], in.below(2) == 0 ? index_t{0} : ~index_t{0}};
  if (!local::available(t.use)) t.use = local::best_instructions();
  const unsigned kind = in.below(5), n = in.below(14);
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
    default:
      compare<three>(in, n, t, from, to);
      break;
  }
  return 0;
}
