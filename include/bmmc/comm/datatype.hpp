// SPDX-License-Identifier: BSL-1.0
#pragma once

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
  datatype& operator=(datatype&& other) noexcept;
  ~datatype();

  /// `count` elements in a row. MPI counts with an int, so from 2^31 on the type is built of parts
  /// of equal length, powers of two where the count is one, and of what is left behind them.
  [[nodiscard]] static datatype row_of(MPI_Datatype element, index_t count);

  /// Rows whose beginnings are `stride` bytes apart.
  [[nodiscard]] static datatype rows(datatype const& row, index_t count, std::size_t stride);

  /// An element of `size` bytes that MPI moves as they are.
  [[nodiscard]] static datatype bytes(std::size_t size);

  /// A given type with the extent that it has in an array of C++ objects of `size` bytes.
  [[nodiscard]] static datatype in_array(MPI_Datatype element, std::size_t size);

  /// One element of each type, each at its own address: to be used with MPI_BOTTOM.
  [[nodiscard]] static datatype structure(std::vector<MPI_Datatype> const& types,
                                          std::vector<MPI_Aint> const& addresses);

  [[nodiscard]] MPI_Datatype handle() const noexcept { return handle_; }

 private:
  datatype(int count, MPI_Datatype element);

  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

}  // namespace bmmc::comm

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/comm/datatype_once.hpp>
#endif
