// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <mutex>
#include <new>

#include <bmmc/comm/communicator.hpp>

namespace bmmc {

namespace comm {

/// One for each thread that makes a duplicate at the moment: no two of the same communicator.
class communicator::first_use {
 public:
  explicit first_use(MPI_Comm original) : original_(original) {
    const std::lock_guard<std::mutex> alone(mutex());
    for (first_use const* each = last(); each != nullptr; each = each->before_)
      if (each->original_ == original) throw bad_value(another_thread);
    before_ = std::exchange(last(), this);
  }
  first_use(first_use const&) = delete;
  first_use& operator=(first_use const&) = delete;
  ~first_use() {
    const std::lock_guard<std::mutex> alone(mutex());
    first_use** at = &last();
    while (*at != this) at = &(*at)->before_;
    *at = before_;
  }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static first_use*& last() {
    static first_use* one = nullptr;
    return one;
  }

  MPI_Comm original_;
  first_use* before_ = nullptr;
};

BMMC_ONCE std::shared_ptr<communicator const> communicator::of(MPI_Comm original) {
  require_usable(original);
  if (holder known = found(original)) return known;
  const first_use mine(original);
  if (holder known = found(original)) return known;
  return made_for(original);
}

BMMC_ONCE communicator::~communicator() {
  if (handle_ != MPI_COMM_NULL && !is_finalized()) MPI_Comm_free(&handle_);
}

BMMC_ONCE auto communicator::found(MPI_Comm original) -> holder {
  void* value = nullptr;
  int is_there = 0;
  check(MPI_Comm_get_attr(original, keyval(), &value, &is_there), "MPI_Comm_get_attr");
  if (is_there != 0) return *static_cast<holder const*>(value);
  check(MPI_Comm_get_attr(original, own_keyval(), &value, &is_there), "MPI_Comm_get_attr");
  return is_there != 0 ? static_cast<communicator const*>(value)->shared_from_this() : holder();
}

BMMC_ONCE auto communicator::made_for(MPI_Comm original) -> holder {
  std::shared_ptr<communicator> made;
  std::unique_ptr<holder> kept;
  try {
    made = std::make_shared<communicator>();
    kept = std::make_unique<holder>(made);
  } catch (std::bad_alloc const&) {
  }
  communicator without_memory;
  communicator& here = kept ? *made : without_memory;
  here.duplicate(original);
  int has_memory = kept ? 1 : 0;
  check(MPI_Allreduce(MPI_IN_PLACE, &has_memory, 1, MPI_INT, MPI_MIN, here.handle_),
        "MPI_Allreduce");
  if (has_memory == 0) throw bad_value("a process has no memory for a duplicate communicator");
  check(MPI_Comm_set_attr(made->handle_, own_keyval(), made.get()), "MPI_Comm_set_attr");
  check(MPI_Comm_set_attr(original, keyval(), kept.get()), "MPI_Comm_set_attr");
  return *kept.release();  // the attribute owns it now
}

BMMC_ONCE void communicator::duplicate(MPI_Comm original) {
  check(MPI_Comm_dup(original, &handle_), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(handle_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(handle_, &size_), "MPI_Comm_size");
}

BMMC_ONCE void communicator::require_usable(MPI_Comm original) {
  int is_up = 0, is_inter = 0;
  MPI_Initialized(&is_up);
  if (is_up == 0 || is_finalized())
    throw bad_value("MPI is not running: initialize it before the first permutation");
  if (original == MPI_COMM_NULL) throw bad_value("the communicator is MPI_COMM_NULL");
  check(MPI_Comm_test_inter(original, &is_inter), "MPI_Comm_test_inter");
  if (is_inter != 0) throw bad_value("the communicator is one between two groups");
}

BMMC_ONCE int communicator::drop(MPI_Comm, int, void* value, void*) {
  auto const* const mine = static_cast<holder*>(value);
  (*mine)->outlives_original_ = true;
  (*mine)->call_memory_.reset();
  delete mine;
  return MPI_SUCCESS;
}

BMMC_ONCE int communicator::made_keyval(MPI_Comm_delete_attr_function* drop) {
  int made = MPI_KEYVAL_INVALID;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &made, nullptr),
        "MPI_Comm_create_keyval");
  return made;
}

BMMC_ONCE int communicator::keyval() {
  static const int key = made_keyval(&drop);
  return key;
}

BMMC_ONCE int communicator::own_keyval() {
  static const int key = made_keyval(MPI_COMM_NULL_DELETE_FN);
  return key;
}

BMMC_ONCE communicator const& usable(std::shared_ptr<communicator const> const& c,
                                     char const* what) {
  if (!c) bmmc::detail::refuse({what, " has been moved from"});
  if (is_finalized()) bmmc::detail::refuse({"MPI has ended: use ", what, " before MPI_Finalize"});
  return *c;
}

BMMC_ONCE exclusive_use::exclusive_use(communicator const& c) : c_(c) {
  if (c.has_failed())
    throw transport_error(
        "a call on this communicator has failed before, and its messages may still be under way: "
        "end the job, or go on with a duplicate (MPI_Comm_dup)");
  void const* found = nullptr;
  is_first_ = c_.user_.compare_exchange_strong(found, this_thread());
  if (!is_first_ && found != this_thread()) throw bad_value(communicator::another_thread);
}

[[gnu::noinline]] BMMC_ONCE exclusive_use::~exclusive_use() {
  if (bmmc::detail::transport_errors != errors_before_) c_.fail();
  if (is_first_) c_.user_.store(nullptr);
}

BMMC_ONCE void const* exclusive_use::this_thread() noexcept {
  static thread_local const char here = 0;
  return &here;
}

}  // namespace comm

}  // namespace bmmc
