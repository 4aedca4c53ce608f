// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <concepts>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

#include <bmmc/comm/mpi.hpp>

namespace bmmc {

/// An MPI_Comm, or a class that converts to one, as boost::mpi::communicator does.
template <class C>
concept Communicator =
    std::same_as<C, MPI_Comm> || (std::is_class_v<C> && std::convertible_to<C const&, MPI_Comm>);

namespace comm {

/// The library's own duplicate of a caller's communicator: its messages meet none of the caller's,
/// and errors come back as codes. It is made at the first use, collectively, and kept as an
/// attribute of the caller's; it lives as long as that or any permuter needs it.
class communicator {
 public:
  /// Collective at the first call for a communicator. Throws bad_value where there is no MPI,
  /// no communicator, or one between two groups.
  [[nodiscard]] static std::shared_ptr<communicator const> of(MPI_Comm original) {
    require_usable(original);
    if (holder const* const known = found(original)) return *known;
    const first_use mine(original);
    if (holder const* const known = found(original)) return *known;
    return made_for(original);
  }

  communicator() = default;
  communicator(communicator const&) = delete;
  communicator& operator=(communicator const&) = delete;
  ~communicator() {
    if (handle_ != MPI_COMM_NULL && !is_finalized()) MPI_Comm_free(&handle_);
  }

  [[nodiscard]] MPI_Comm handle() const noexcept { return handle_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }

  /// A call has failed here: its messages may still be under way, and would be taken for those of
  /// the next call.
  void fail() const noexcept { has_failed_ = true; }
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

  /// What policies have found out about the machine, kept here for the next one: see cost_model.
  [[nodiscard]] std::shared_ptr<void const>& surroundings() const noexcept { return known_; }
  /// What calls have left for the next ones: see execution/call_memory.hpp. It may hold this
  /// communicator itself, so it goes first when the caller's communicator is freed.
  [[nodiscard]] std::shared_ptr<void>& call_memory() const noexcept { return call_memory_; }

 private:
  using holder = std::shared_ptr<communicator const>;

  /// One for each thread that makes a duplicate at the moment: no two of the same communicator.
  class first_use {
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

  [[nodiscard]] static holder const* found(MPI_Comm original) {
    void* value = nullptr;
    int is_there = 0;
    check(MPI_Comm_get_attr(original, keyval(), &value, &is_there), "MPI_Comm_get_attr");
    return is_there != 0 ? static_cast<holder const*>(value) : nullptr;
  }

  /// A process without memory takes part, and all learn of it.
  [[nodiscard]] static holder made_for(MPI_Comm original) {
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
    check(MPI_Comm_set_attr(original, keyval(), kept.get()), "MPI_Comm_set_attr");
    return *kept.release();  // the attribute owns it now
  }
  void duplicate(MPI_Comm original) {
    check(MPI_Comm_dup(original, &handle_), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(handle_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(handle_, &size_), "MPI_Comm_size");
  }

  static void require_usable(MPI_Comm original) {
    int is_up = 0, is_inter = 0;
    MPI_Initialized(&is_up);
    if (is_up == 0 || is_finalized())
      throw bad_value("MPI is not running: initialize it before the first permutation");
    if (original == MPI_COMM_NULL) throw bad_value("the communicator is MPI_COMM_NULL");
    check(MPI_Comm_test_inter(original, &is_inter), "MPI_Comm_test_inter");
    if (is_inter != 0) throw bad_value("the communicator is one between two groups");
  }

  static int drop(MPI_Comm, int, void* value, void*) {
    auto const* const mine = static_cast<holder*>(value);
    (*mine)->call_memory_.reset();
    delete mine;
    return MPI_SUCCESS;
  }
  static int keyval() {
    static const int key = [] {
      int made = MPI_KEYVAL_INVALID;
      check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &drop, &made, nullptr),
            "MPI_Comm_create_keyval");
      return made;
    }();
    return key;
  }

  MPI_Comm handle_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  mutable std::shared_ptr<void const> known_;
  mutable std::shared_ptr<void> call_memory_;
  mutable std::atomic<bool> has_failed_{false};
  static constexpr char const* another_thread =
      "another thread calls on this communicator: give each thread a duplicate of its own "
      "(MPI_Comm_dup), and ask MPI_Init_thread for MPI_THREAD_MULTIPLE";
  friend class exclusive_use;
  mutable std::atomic<void const*> user_{nullptr};  // the thread that calls at the moment
};

/// The communicator of an object that is called, `what` it is. Throws bad_value where it has been
/// moved from, and after MPI_Finalize: every process sees both by itself, since it is the program's
/// order of calls.
[[nodiscard]] inline communicator const& usable(std::shared_ptr<communicator const> const& c,
                                                char const* what) {
  if (!c) bmmc::detail::refuse({what, " has been moved from"});
  if (is_finalized()) bmmc::detail::refuse({"MPI has ended: use ", what, " before MPI_Finalize"});
  return *c;
}

/// While it lives no other thread may call on a communicator: their messages would meet. A thread
/// that holds one may take another. The communicator has failed when a transport_error is made
/// meanwhile.
class exclusive_use {
 public:
  /// Throws bad_value where another thread has one, transport_error where a call has failed.
  explicit exclusive_use(communicator const& c) : c_(c) {
    if (c.has_failed())
      throw transport_error(
          "a call on this communicator has failed before, and its messages may still be under way: "
          "end the job, or go on with a duplicate (MPI_Comm_dup)");
    void const* found = nullptr;
    is_first_ = c_.user_.compare_exchange_strong(found, this_thread());
    if (!is_first_ && found != this_thread()) throw bad_value(communicator::another_thread);
  }
  exclusive_use(exclusive_use const&) = delete;
  exclusive_use& operator=(exclusive_use const&) = delete;
  [[gnu::noinline]] ~exclusive_use() {
    if (bmmc::detail::transport_errors != errors_before_) c_.fail();
    if (is_first_) c_.user_.store(nullptr);
  }

 private:
  [[nodiscard]] static void const* this_thread() noexcept {
    static thread_local const char here = 0;
    return &here;
  }

  communicator const& c_;
  unsigned errors_before_ = bmmc::detail::transport_errors;
  bool is_first_ = false;
};

}  // namespace comm
}  // namespace bmmc
