// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <climits>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/comm/mpi.hpp>
#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc::comm {

namespace detail {
/// The largest count that MPI is given: its counts are int. Tests lower it, so that small arrays
/// are sent as those of more than 2^31 elements are.
inline index_t most_count = INT_MAX;
}  // namespace detail

/// A committed MPI datatype of our own making, freed at the end.
class datatype {
 public:
  datatype() = default;
  datatype(datatype&& other) noexcept : handle_(std::exchange(other.handle_, MPI_DATATYPE_NULL)) {}
  datatype& operator=(datatype&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  [[gnu::noinline]] ~datatype() {
    if (handle_ != MPI_DATATYPE_NULL && !is_finalized()) MPI_Type_free(&handle_);
  }

  /// `count` elements in a row. MPI counts with an int, so from 2^31 on the type is built of parts
  /// of equal length, powers of two where the count is one, and of what is left behind them.
  [[nodiscard]] static datatype row_of(MPI_Datatype element, index_t count) {
    if (count <= detail::most_count) return datatype(static_cast<int>(count), element);
    const index_t part = std::bit_floor(detail::most_count), rest = count % part;
    const datatype inner = row_of(element, part);
    datatype parts = row_of(inner.handle_, count / part);
    if (rest == 0) return parts;
    const datatype last = row_of(element, rest);
    MPI_Aint before = 0, extent = 0;
    check(MPI_Type_get_extent(parts.handle_, &before, &extent), "MPI_Type_get_extent");
    return structure({parts.handle_, last.handle_}, {0, extent});
  }

  /// Rows whose beginnings are `stride` bytes apart.
  [[nodiscard]] static datatype rows(datatype const& row, index_t count, std::size_t stride) {
    if (count > detail::most_count || stride > PTRDIFF_MAX)
      bmmc::detail::refuse({"MPI cannot count ", count, " rows"});
    datatype made;
    check(MPI_Type_create_hvector(static_cast<int>(count), 1, static_cast<MPI_Aint>(stride),
                                  row.handle_, &made.handle_),
          "MPI_Type_create_hvector");
    check(MPI_Type_commit(&made.handle_), "MPI_Type_commit");
    return made;
  }

  /// An element of `size` bytes that MPI moves as they are.
  [[nodiscard]] static datatype bytes(std::size_t size) { return row_of(MPI_BYTE, size); }

  /// A given type with the extent that it has in an array of C++ objects of `size` bytes.
  [[nodiscard]] static datatype in_array(MPI_Datatype element, std::size_t size) {
    datatype made;
    check(MPI_Type_create_resized(element, 0, static_cast<MPI_Aint>(size), &made.handle_),
          "MPI_Type_create_resized");
    check(MPI_Type_commit(&made.handle_), "MPI_Type_commit");
    return made;
  }

  /// One element of each type, each at its own address: to be used with MPI_BOTTOM.
  [[nodiscard]] static datatype structure(std::vector<MPI_Datatype> const& types,
                                          std::vector<MPI_Aint> const& addresses) {
    const std::vector<int> ones(types.size(), 1);
    datatype made;
    check(MPI_Type_create_struct(static_cast<int>(types.size()), ones.data(), addresses.data(),
                                 types.data(), &made.handle_),
          "MPI_Type_create_struct");
    check(MPI_Type_commit(&made.handle_), "MPI_Type_commit");
    return made;
  }

  [[nodiscard]] MPI_Datatype handle() const noexcept { return handle_; }

 private:
  datatype(int count, MPI_Datatype element) {
    check(MPI_Type_contiguous(count, element, &handle_), "MPI_Type_contiguous");
    check(MPI_Type_commit(&handle_), "MPI_Type_commit");
  }

  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

}  // namespace bmmc::comm
