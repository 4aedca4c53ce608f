// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <bit>

#include <bmmc/comm/node.hpp>

namespace bmmc::comm {

BMMC_ONCE std::shared_ptr<node const> node::agreed(communicator const& c, int processes) {
  std::shared_ptr<node> made;
  std::vector<int> group;
  objection against;
  against.attempt("no memory to look for the processes of a node", [&] {
    made = std::make_shared<node>();
    group.resize(static_cast<std::size_t>(c.size()));
    if (processes > 0) made->bits_ = bits_of(processes, c.size());
  });
  agree(c, against);
  if (processes <= 0) made->bits_ = shared_bits(c, group);
  made->number_ = c.rank() >> made->bits_;
  made->place_ = c.rank() - (made->number_ << made->bits_);
  check(MPI_Comm_split(c.handle(), made->number_, c.rank(), &made->handle_), "MPI_Comm_split");
  MPI_Comm_set_errhandler(made->handle_, MPI_ERRORS_RETURN);
  return made;
}

BMMC_ONCE std::shared_ptr<node const> node::of_all(communicator const& c) {
  std::shared_ptr<node> made;
  objection against;
  against.attempt("no memory to look for the processes of a node",
                  [&] { made = std::make_shared<node>(); });
  agree(c, against);
  MPI_Comm shared = MPI_COMM_NULL;
  check(MPI_Comm_split_type(c.handle(), MPI_COMM_TYPE_SHARED, c.rank(), MPI_INFO_NULL, &shared),
        "MPI_Comm_split_type");
  int together = 0;
  MPI_Comm_size(shared, &together);
  MPI_Comm_free(&shared);
  check(MPI_Allreduce(MPI_IN_PLACE, &together, 1, MPI_INT, MPI_MIN, c.handle()), "MPI_Allreduce");
  if (together != c.size()) return nullptr;
  made->bits_ = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(c.size()) - 1));
  made->place_ = c.rank();
  check(MPI_Comm_dup(c.handle(), &made->handle_), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(made->handle_, MPI_ERRORS_RETURN);
  return made;
}

BMMC_ONCE unsigned node::bits_of(int processes, int all) {
  const auto bits = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(processes))) - 1;
  if (!std::has_single_bit(static_cast<unsigned>(processes)) || processes > all)
    bmmc::detail::refuse(
        {"a node must have a power of two of the ", all, " processes, not ", processes});
  return bits;
}

BMMC_ONCE node::~node() {
  if (handle_ != MPI_COMM_NULL && !is_finalized()) MPI_Comm_free(&handle_);
}

BMMC_ONCE bool node::is_like(node const& other) const noexcept {
  int result = MPI_IDENT;
  return this == &other || (MPI_Comm_compare(handle_, other.handle_, &result) == MPI_SUCCESS &&
                            (result == MPI_IDENT || result == MPI_CONGRUENT));
}

BMMC_ONCE void node::synchronize() const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  check(MPI_Barrier(handle_), "MPI_Barrier");
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

BMMC_ONCE void node::share(void* data, int bytes) const {
  check(MPI_Bcast(data, bytes, MPI_BYTE, 0, handle_), "MPI_Bcast");
}

BMMC_ONCE unsigned node::shared_bits(communicator const& c, std::vector<int>& group) {
  MPI_Comm shared = MPI_COMM_NULL;
  check(MPI_Comm_split_type(c.handle(), MPI_COMM_TYPE_SHARED, c.rank(), MPI_INFO_NULL, &shared),
        "MPI_Comm_split_type");
  int first = c.rank();  // names the group
  const int code = MPI_Bcast(&first, 1, MPI_INT, 0, shared);
  MPI_Comm_free(&shared);
  check(code, "MPI_Bcast");
  check(MPI_Allgather(&first, 1, MPI_INT, group.data(), 1, MPI_INT, c.handle()), "MPI_Allgather");
  const auto share = [&](std::size_t processes) {
    if (group.size() % processes != 0) return false;
    for (std::size_t k = 0; k < group.size(); ++k)
      if (group[k] != group[k / processes * processes]) return false;
    return true;
  };
  unsigned bits = 0;
  while (share(std::size_t{2} << bits)) ++bits;
  return bits;
}

}  // namespace bmmc::comm
