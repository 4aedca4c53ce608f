// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <boost/mpi/communicator.hpp>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/index/permutation.hpp>

#include "array_file.hpp"
#include "progress.hpp"
#include "together.hpp"

namespace example {

/// y = A x + c by the definition: bit i of y is the parity of the 1s that row i of A and x share,
/// plus bit i of c. Nothing of how the library multiplies or plans is used; for speed the sums over
/// each byte of x are tabulated.
class row_by_row {
 public:
  explicit row_by_row(bmmc::permutation<> const& p) : complement_(p.complement()) {
    std::array<bmmc::index_t, 64> row{};
    for (unsigned i = 0; i < p.bits(); ++i)
      for (unsigned j = 0; j < p.bits(); ++j)
        if (bmmc::entry(p.matrix(), i, j)) row[i] |= bmmc::index_t{1} << j;
    for (unsigned byte = 0; byte < 8; ++byte)
      for (bmmc::index_t value = 0; value < 256; ++value)
        for (unsigned i = 0; i < p.bits(); ++i)
          if (std::popcount(row[i] & value << (8 * byte)) % 2 == 1)
            sum_[byte][value] |= bmmc::index_t{1} << i;
  }
  [[nodiscard]] bmmc::index_t operator()(bmmc::index_t x) const noexcept {
    bmmc::index_t y = complement_;
    for (auto const& of_byte : sum_) {
      y ^= of_byte[x & 0xff];
      x >>= 8;
    }
    return y;
  }

 private:
  std::array<std::array<bmmc::index_t, 256>, 8> sum_{};
  bmmc::index_t complement_;
};

/// Where the axes of an array take the element at a row-major index: position by position.
class axis_by_axis {
 public:
  axis_by_axis(std::vector<bmmc::index_t> extents, std::vector<unsigned> axes)
      : extents_(std::move(extents)), axes_(std::move(axes)) {}

  [[nodiscard]] bmmc::index_t operator()(bmmc::index_t x) const {
    std::vector<bmmc::index_t> at(extents_.size());
    for (std::size_t k = extents_.size(); k-- > 0; x /= extents_[k]) at[k] = x % extents_[k];
    bmmc::index_t y = 0;
    for (const unsigned axis : axes_) y = y * extents_[axis] + at[axis];
    return y;
  }

 private:
  std::vector<bmmc::index_t> extents_;
  std::vector<unsigned> axes_;
};

/// A file mapped into memory, to read.
class mapped_array {
 public:
  mapped_array(std::string const& path, array_format const& format)
      : file_(path.c_str(), boost::interprocess::read_only),
        region_(file_, boost::interprocess::read_only),
        format_(format) {
    if (region_.get_size() < format.data_offset + format.bytes())
      throw std::runtime_error(path + ": it has only " + std::to_string(region_.get_size()) +
                               " bytes");
  }
  [[nodiscard]] char const* element(bmmc::index_t x) const noexcept {
    return static_cast<char const*>(region_.get_address()) + format_.data_offset +
           x * format_.element_bytes;
  }

 private:
  boost::interprocess::file_mapping file_;
  boost::interprocess::mapped_region region_;
  array_format format_;
};

/// Collective: compares two files element by element, each process its share of the source.
/// Returns the number of elements compared by all; throws `failure` for the first that is wrong.
/// target_of(x) says where the element at index x should be.
template <class TargetOf>
[[nodiscard]] bmmc::index_t verify_files(boost::mpi::communicator const& world,
                                         std::string const& source_path,
                                         array_format const& source_format,
                                         std::string const& target_path,
                                         array_format const& target_format,
                                         TargetOf const& target_of) {
  const auto procs = static_cast<bmmc::index_t>(world.size()),
             rank = static_cast<bmmc::index_t>(world.rank());
  const bmmc::index_t share = (source_format.elements + procs - 1) / procs;
  const bmmc::index_t first = std::min(share * rank, source_format.elements),
                      last = std::min(first + share, source_format.elements);
  bmmc::index_t compared = 0;
  together(world, [&] {
    const mapped_array source(source_path, source_format), target(target_path, target_format);
    progress told("verifying " + target_path, last - first, world.rank() == 0);
    for (bmmc::index_t x = first; x < last; ++x) {
      const bmmc::index_t y = target_of(x);
      if (std::memcmp(source.element(x), target.element(y), source_format.element_bytes) != 0)
        throw std::runtime_error(target_path + ": element " + std::to_string(y) +
                                 " is not element " + std::to_string(x) + " of " + source_path);
      if ((++compared & 0xffff) == 0) told.reached(compared);
    }
  });
  return boost::mpi::all_reduce(world, compared, std::plus<>());
}

}  // namespace example
