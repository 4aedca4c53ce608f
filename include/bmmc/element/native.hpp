// SPDX-License-Identifier: BSL-1.0
#pragma once

// Includes Boost.MPI, which of all headers only this one and study/reordered.hpp do. A
// boost::mpi::communicator needs no header of ours: it converts to MPI_Comm.

#include <boost/mpi/datatype.hpp>

#include <bmmc/element/bytes.hpp>

namespace bmmc::element {

/// Elements travel as the MPI datatype that Boost.MPI has for them, so that MPI converts them
/// between machines that store them differently. On request only.
struct native {
  template <class T>
  [[nodiscard]] static comm::datatype datatype() {
    static_assert(boost::mpi::is_mpi_datatype<T>::value,
                  "element::native needs a type with an MPI datatype: see "
                  "BOOST_IS_MPI_DATATYPE, or use element::bytes or element::serialized");
    return comm::datatype::in_array(boost::mpi::get_mpi_datatype(T{}), sizeof(T));
  }
};

static_assert(Direct<native, double>);

}  // namespace bmmc::element
