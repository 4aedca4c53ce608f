// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <bmmc/file/transfer.hpp>

namespace bmmc::file {

/// The axes of an array of any extents, permuted: axis k of the result is axis axes[k] of the
/// source, both row-major (the last axis is the fastest). A tile is a box, an interval along each
/// axis.
struct axis_boxes {
  static constexpr unsigned buffers = 4;  // boxes in memory at a time

  std::vector<index_t> extents;  // of the source
  std::vector<unsigned> axes;
  index_t element_bytes = 1, source_offset = 0, target_offset = 0;
  std::vector<index_t> widths{};  // of a box; those at the ends are smaller

  [[nodiscard]] index_t elements() const noexcept { return product(extents); }
  [[nodiscard]] index_t count() const noexcept {
    index_t boxes = 1;
    for (std::size_t k = 0; k < extents.size(); ++k) boxes *= along(k);
    return boxes;
  }
  [[nodiscard]] index_t bytes() const noexcept { return product(widths) * element_bytes; }
  [[nodiscard]] index_t source_run_bytes() const {
    return run_elements(source_order()) * element_bytes;
  }
  [[nodiscard]] index_t target_run_bytes() const { return run_elements(axes) * element_bytes; }
  [[nodiscard]] std::vector<run> source(index_t tile, unsigned char* memory) const {
    return runs(tile, memory, source_order(), source_offset);
  }
  [[nodiscard]] std::vector<run> target(index_t tile, unsigned char* memory) const {
    return runs(tile, memory, axes, target_offset);
  }
  /// Permutes the axes of a box in memory; bmmc/file/box_mover.hpp has it.
  void move(index_t tile, unsigned char const* from, unsigned char* to) const;

  /// The longest runs on both sides that boxes of so many bytes allow.
  void choose_widths(index_t most_bytes) {
    widths.assign(extents.size(), 1);
    const auto order = source_order();
    for (bool grown = true; grown;) {
      // The shorter side first; the other one where that cannot grow.
      const bool first = run_elements(order) <= run_elements(axes);
      grown = grow(first ? order : axes, most_bytes) || grow(first ? axes : order, most_bytes);
    }
  }

 private:
  struct box {
    std::vector<index_t> begin, width;
  };
  [[nodiscard]] static index_t product(std::vector<index_t> const& of) noexcept {
    index_t all = 1;
    for (const index_t x : of) all *= x;
    return all;
  }
  [[nodiscard]] index_t along(std::size_t k) const noexcept {
    return (extents[k] + widths[k] - 1) / widths[k];
  }
  [[nodiscard]] std::vector<unsigned> source_order() const {
    std::vector<unsigned> order;
    for (unsigned k = 0; k < extents.size(); ++k) order.push_back(k);
    return order;
  }
  /// Elements side by side when axes stand in this order: whole fast axes, and one more.
  [[nodiscard]] index_t run_elements(std::vector<unsigned> const& order) const noexcept {
    index_t run = 1;
    for (std::size_t k = order.size(); k-- > 0;) {
      run *= widths[order[k]];
      if (widths[order[k]] != extents[order[k]]) break;
    }
    return run;
  }
  /// Makes boxes up to twice as wide along the fastest axis of an order that they do not fill.
  bool grow(std::vector<unsigned> const& order, index_t most_bytes) {
    for (std::size_t k = order.size(); k-- > 0;) {
      index_t& width = widths[order[k]];
      const index_t extent = extents[order[k]];
      if (width == extent) continue;
      const index_t most = most_bytes / (bytes() / width),
                    wider = std::min({2 * width, extent, most});
      if (wider <= width) return false;
      width = wider;
      return true;
    }
    return false;
  }
  [[nodiscard]] box box_of(index_t tile) const {
    box b{std::vector<index_t>(extents.size()), std::vector<index_t>(extents.size())};
    for (std::size_t k = extents.size(); k-- > 0;) {
      b.begin[k] = tile % along(k) * widths[k];
      b.width[k] = std::min(widths[k], extents[k] - b.begin[k]);
      tile /= along(k);
    }
    return b;
  }
  [[nodiscard]] std::vector<run> runs(index_t tile, unsigned char* memory,
                                      std::vector<unsigned> const& order, index_t offset) const;

  /// Calls use(position) with the position, in a box, along each axis of `order` but the last
  /// `inner` ones; the last of the others runs fastest.
  template <class Use>
  static void each(std::vector<unsigned> const& order, std::size_t inner,
                   std::vector<index_t> const& width, Use use) {
    std::vector<index_t> at(width.size(), 0);
    for (;;) {
      use(at);
      std::size_t k = order.size() - inner;
      while (k > 0 && ++at[order[k - 1]] == width[order[k - 1]]) at[order[--k]] = 0;
      if (k == 0) return;
    }
  }
  /// Distance of neighbours along each axis, for axes of these extents in this order.
  [[nodiscard]] static std::vector<index_t> strides(std::vector<unsigned> const& order,
                                                    std::vector<index_t> const& of) {
    std::vector<index_t> stride(of.size());
    index_t all = 1;
    for (std::size_t k = order.size(); k-- > 0; all *= of[order[k]]) stride[order[k]] = all;
    return stride;
  }
};

inline std::vector<run> axis_boxes::runs(index_t tile, unsigned char* memory,
                                         std::vector<unsigned> const& order, index_t offset) const {
  const box b = box_of(tile);
  const auto stride = strides(order, extents);
  std::size_t inner = 0;  // axes of one run: whole ones and the next slower one
  index_t elements = 1;
  while (inner < order.size()) {
    const unsigned axis = order[order.size() - ++inner];
    elements *= b.width[axis];
    if (b.width[axis] != extents[axis]) break;
  }
  std::vector<run> list;
  index_t done = 0;
  each(order, inner, b.width, [&](std::vector<index_t> const& at) {
    index_t index = 0;
    for (std::size_t k = 0; k < at.size(); ++k) index += (b.begin[k] + at[k]) * stride[k];
    list.push_back(
        {offset + index * element_bytes, memory + done * element_bytes, elements * element_bytes});
    done += elements;
  });
  return list;
}

/// Boxes of which four fit into the share that each process has of so many bytes. Throws bad_value
/// for axes that are not each named once, arrays over 2^63 bytes, and too little memory.
[[nodiscard]] inline axis_boxes make_boxes(std::vector<index_t> const& extents,
                                           std::vector<unsigned> const& axes, index_t element_bytes,
                                           index_t memory, unsigned processes = 1) {
  std::vector<bool> named(extents.size());
  for (const unsigned axis : axes) {
    if (axes.size() != extents.size() || axis >= extents.size() || named[axis])
      throw bad_value("each of the " + std::to_string(extents.size()) + " axes must be named once");
    named[axis] = true;
  }
  index_t left = (index_t{1} << most_bits) / std::max<index_t>(element_bytes, 1);
  for (const index_t extent : extents) {
    if (extent == 0 || extent > left)
      throw bad_value("an array without elements, or of more than 2^63 bytes");
    left /= extent;
  }
  const index_t most = memory / axis_boxes::buffers / std::max(processes, 1U);
  if (extents.empty() || most < element_bytes)
    throw bad_value(std::to_string(memory) + " bytes of memory are too little for 4 boxes");
  axis_boxes boxes{extents, axes, element_bytes};
  boxes.choose_widths(most);
  return boxes;
}

}  // namespace bmmc::file
