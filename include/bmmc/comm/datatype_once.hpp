// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>

#include <bmmc/comm/datatype.hpp>

namespace bmmc::comm {

BMMC_ONCE datatype& datatype::operator=(datatype&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

[[gnu::noinline]] BMMC_ONCE datatype::~datatype() {
  if (handle_ != MPI_DATATYPE_NULL && !is_finalized()) MPI_Type_free(&handle_);
}

BMMC_ONCE datatype datatype::row_of(MPI_Datatype element, index_t count) {
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

BMMC_ONCE datatype datatype::rows(datatype const& row, index_t count, std::size_t stride) {
  if (count > detail::most_count || stride > PTRDIFF_MAX)
    bmmc::detail::refuse({"MPI cannot count ", count, " rows"});
  datatype made;
  check(MPI_Type_create_hvector(static_cast<int>(count), 1, static_cast<MPI_Aint>(stride),
                                row.handle_, &made.handle_),
        "MPI_Type_create_hvector");
  check(MPI_Type_commit(&made.handle_), "MPI_Type_commit");
  return made;
}

BMMC_ONCE datatype datatype::bytes(std::size_t size) { return row_of(MPI_BYTE, size); }

BMMC_ONCE datatype datatype::in_array(MPI_Datatype element, std::size_t size) {
  datatype made;
  check(MPI_Type_create_resized(element, 0, static_cast<MPI_Aint>(size), &made.handle_),
        "MPI_Type_create_resized");
  check(MPI_Type_commit(&made.handle_), "MPI_Type_commit");
  return made;
}

BMMC_ONCE datatype datatype::structure(std::vector<MPI_Datatype> const& types,
                                       std::vector<MPI_Aint> const& addresses) {
  const std::vector<int> ones(types.size(), 1);
  datatype made;
  check(MPI_Type_create_struct(static_cast<int>(types.size()), ones.data(), addresses.data(),
                               types.data(), &made.handle_),
        "MPI_Type_create_struct");
  check(MPI_Type_commit(&made.handle_), "MPI_Type_commit");
  return made;
}

BMMC_ONCE datatype::datatype(int count, MPI_Datatype element) {
  check(MPI_Type_contiguous(count, element, &handle_), "MPI_Type_contiguous");
  check(MPI_Type_commit(&handle_), "MPI_Type_commit");
}

}  // namespace bmmc::comm
