// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

#include <bmmc/index/catalogue/bits.hpp>
#include <bmmc/index/catalogue/gray.hpp>
#include <bmmc/layout/layout.hpp>

namespace bmmc::layout {

/// Consecutive blocks: the p high bits of an index name the process. The usual block layout.
struct processor_major {
  [[nodiscard]] constexpr permutation<> physical(unsigned n, unsigned p) const {
    detail::require_processes(n, p);
    return identity_permutation(n);
  }
  friend constexpr bool operator==(processor_major, processor_major) = default;
};

/// Elements dealt out one by one: the p low bits of an index name the process (cyclic layout).
struct processor_minor {
  [[nodiscard]] constexpr permutation<> physical(unsigned n, unsigned p) const {
    detail::require_processes(n, p);
    return rotate_bits(n, n - p);
  }
  friend constexpr bool operator==(processor_minor, processor_minor) = default;
};

/// Blocks of 2^f elements dealt out in turn: bits f .. f+p-1 name the process (block-cyclic).
/// f = n - p is processor-major, f = 0 processor-minor. Throws bad_value for f > n - p.
/// Source  Cormen 1997, sections 2 (figure 1) and 6 (the matrix Q).
struct banded {
  unsigned f = 0;

  constexpr explicit banded(unsigned first_proc_bit) : f(first_proc_bit) {}
  [[nodiscard]] constexpr permutation<> physical(unsigned n, unsigned p) const {
    detail::require_processes(n, p);
    if (f > n - p)
      bmmc::detail::refuse({p, " process bits from bit ", f, " on do not fit into ", n, " bits"});
    std::array<unsigned, most_bits> target_of{};
    for (unsigned j = 0; j < n; ++j) target_of[j] = j < f ? j : j < f + p ? j - f + (n - p) : j - p;
    return bit_permutation(std::span<unsigned const>(target_of.data(), n));
  }
  friend constexpr bool operator==(banded, banded) = default;
};

/// Any p index bits as process bits: bit k of the process number is index bit bits[k]. The other
/// index bits keep their order and make up the offset.
/// Throws bad_value unless there are p different ones below n.
class process_bits {
 public:
  constexpr process_bits(std::initializer_list<unsigned> bits) : process_bits(std::span(bits)) {}
  constexpr explicit process_bits(std::span<unsigned const> bits)
      : count_(static_cast<unsigned>(bits.size())) {
    if (bits.size() > most_bits)
      bmmc::detail::refuse({"at most 63 index bits can name a process, not ", bits.size()});
    std::copy(bits.begin(), bits.end(), bits_.begin());
  }

  [[nodiscard]] constexpr permutation<> physical(unsigned n, unsigned p) const {
    detail::require_processes(n, p);
    if (count_ != p)
      bmmc::detail::refuse({"2^", p, " processes need ", p, " process bits, not ", count_});
    constexpr unsigned none = ~0U;
    std::array<unsigned, most_bits> target_of{};
    target_of.fill(none);
    for (unsigned k = 0; k < p; ++k) {
      if (bits_[k] >= n || target_of[bits_[k]] != none)
        bmmc::detail::refuse({"process bit ", bits_[k], " is taken twice or beyond ", n, " bits"});
      target_of[bits_[k]] = n - p + k;
    }
    for (unsigned j = 0, offset_bit = 0; j < n; ++j)
      if (target_of[j] == none) target_of[j] = offset_bit++;
    return bit_permutation(std::span<unsigned const>(target_of.data(), n));
  }
  friend constexpr bool operator==(process_bits const&, process_bits const&) = default;

 private:
  std::array<unsigned, most_bits> bits_{};
  unsigned count_ = 0;
};

/// Process numbers in Gray code over another layout: what Base puts on process k lives on process
/// k ^ (k >> 1), so that neighbouring blocks live on neighbours of a hypercube.
template <SingleLayout Base = processor_major>
struct gray {
  Base base{};

  [[nodiscard]] constexpr permutation<> physical(unsigned n, unsigned p) const {
    detail::require_processes(n, p);
    return compose(detail::on_processes(n, gray_encode(p)), base.physical(n, p));
  }
  friend constexpr bool operator==(gray const&, gray const&) = default;
};

template <class Base>
gray(Base) -> gray<Base>;  // clang 16 deduces none for an aggregate

/// Any affine layout: the given permutation takes an index to its processor-major address.
/// Throws bad_value where n is not the permutation's.
template <unsigned N = dynamic_bits>
struct affine {
  permutation<N> map{};

  constexpr affine() = default;
  constexpr explicit affine(permutation<N> const& index_to_address) : map(index_to_address) {}
  [[nodiscard]] constexpr permutation<> physical(unsigned n, unsigned p) const {
    detail::require_processes(n, p);
    if (map.bits() != n)
      bmmc::detail::refuse({"a layout of ", map.bits(), " bits cannot place 2^", n, " elements"});
    return map;
  }
  friend constexpr bool operator==(affine const&, affine const&) = default;
};

/// Two layouts as one argument: elements come from `source` and go to `target`. Redistribution is
/// the identity permutation between two layouts.
template <SingleLayout Source, SingleLayout Target>
struct between {
  Source source{};
  Target target{};
  friend constexpr bool operator==(between const&, between const&) = default;
};
template <class Source, class Target>
between(Source, Target) -> between<Source, Target>;

static_assert(Layout<processor_major> && Layout<processor_minor> && Layout<banded> &&
              Layout<process_bits> && Layout<gray<processor_minor>> && Layout<affine<>> &&
              Layout<affine<3>> && Layout<between<banded, processor_minor>>);

}  // namespace bmmc::layout
