// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

#include <bmmc/comm/communicator.hpp>

namespace bmmc::comm {

/// A communicator that belongs to this object and is freed with it. It converts to MPI_Comm, so
/// every function of the library takes it. Others may take it over:
///     boost::mpi::communicator world(c.release(), boost::mpi::comm_take_ownership);
class unique_communicator {
 public:
  unique_communicator() = default;
  explicit unique_communicator(MPI_Comm owned) noexcept : handle_(owned) {}
  unique_communicator(unique_communicator&& other) noexcept : handle_(other.release()) {}
  unique_communicator& operator=(unique_communicator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~unique_communicator() {
    if (handle_ != MPI_COMM_NULL && !is_finalized()) MPI_Comm_free(&handle_);
  }

  operator MPI_Comm() const& noexcept { return handle_; }
  operator MPI_Comm() && = delete;  // it would be freed at once
  [[nodiscard]] MPI_Comm release() noexcept { return std::exchange(handle_, MPI_COMM_NULL); }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

/// The processes of a communicator in another order: this process gets number `rank`. Collective;
/// the ranks given are those of the communicator, in any order.
[[nodiscard]] inline unique_communicator renumbered(MPI_Comm original, int rank) {
  MPI_Comm made = MPI_COMM_NULL;
  check(MPI_Comm_split(original, 0, rank, &made), "MPI_Comm_split");
  return unique_communicator(made);
}

static_assert(Communicator<unique_communicator>);

}  // namespace bmmc::comm
