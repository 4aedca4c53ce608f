// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include <bmmc/file/plan.hpp>
#include <bmmc/local/pass.hpp>

namespace bmmc::file {

namespace detail {

template <unsigned Bytes>
struct element_of {
  using type = std::array<unsigned char, Bytes>;
};
template <>
struct element_of<1> {
  using type = std::uint8_t;
};
template <>
struct element_of<2> {
  using type = std::uint16_t;
};
template <>
struct element_of<4> {
  using type = std::uint32_t;
};
template <>
struct element_of<8> {
  using type = std::uint64_t;
};
template <>
struct element_of<16> {
  using type = std::array<std::uint64_t, 2>;
};

/// The bits of an index behind `low` more bits, which stay.
[[nodiscard]] constexpr affine_map above(affine_map const& map, unsigned low) {
  affine_map wide{{map.matrix.rows() + low, map.matrix.cols() + low}, map.complement << low};
  for (unsigned j = 0; j < wide.matrix.cols(); ++j)
    wide.matrix.column[j] = j < low ? bit(j) : map.matrix.column[j - low] << low;
  return wide;
}

}  // namespace detail

/// Permutes the tiles of one pass in memory, elements of any size of 1 to 16 bytes times 2^k.
/// Several tiles may not be moved at once.
class tile_mover {
 public:
  /// Throws bad_value for elements of another size.
  tile_mover(tiling const& t, index_t element_bytes) {
    while (element_bytes > 16 && element_bytes % 2 == 0) {
      element_bytes /= 2;
      ++halvings_;
    }
    make(detail::above(t.inside(0), halvings_), element_bytes,
         std::make_integer_sequence<unsigned, 16>{});
    if (!move_)
      throw bad_value("elements of " + std::to_string(element_bytes << halvings_) +
                      " bytes cannot be moved: their size is not 1 to 16 times a power of two");
  }
  /// `target` becomes the image of a tile; `inside` is what the tiling says of it.
  void operator()(affine_map const& inside, unsigned char* source, unsigned char* target) const {
    move_(inside.complement << halvings_, source, target);
  }

 private:
  template <unsigned... Less>
  void make(affine_map const& map, index_t element_bytes,
            std::integer_sequence<unsigned, Less...>) {
    const auto try_one = [&]<unsigned Bytes>(std::integral_constant<unsigned, Bytes>) {
      using T = typename detail::element_of<Bytes>::type;
      if (element_bytes == Bytes)
        move_ = [pass = local::pass<T>(map)](index_t offset, void* source, void* target) mutable {
          pass.set_complement(offset);
          pass(static_cast<T const*>(source), static_cast<T*>(target));
        };
    };
    (try_one(std::integral_constant<unsigned, Less + 1>{}), ...);
  }

  unsigned halvings_ = 0;
  std::function<void(index_t, void*, void*)> move_;
};

}  // namespace bmmc::file
