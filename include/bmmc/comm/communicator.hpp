// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <concepts>
#include <memory>
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
class communicator : public std::enable_shared_from_this<communicator> {
 public:
  /// Collective at the first call for a communicator; that of a duplicate's handle() is itself.
  /// Throws bad_value where there is no MPI, no communicator, or one between two groups.
  [[nodiscard]] static std::shared_ptr<communicator const> of(MPI_Comm original);

  communicator() = default;
  communicator(communicator const&) = delete;
  communicator& operator=(communicator const&) = delete;
  ~communicator();

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
  /// Whether the caller's communicator has been freed, so that nothing may be left here any more.
  [[nodiscard]] bool outlives_original() const noexcept { return outlives_original_; }

 private:
  using holder = std::shared_ptr<communicator const>;

  class first_use;
  [[nodiscard]] static holder found(MPI_Comm original);

  /// A process without memory takes part, and all learn of it.
  [[nodiscard]] static holder made_for(MPI_Comm original);
  void duplicate(MPI_Comm original);

  static void require_usable(MPI_Comm original);

  static int drop(MPI_Comm, int, void* value, void*);
  static int made_keyval(MPI_Comm_delete_attr_function* drop);
  static int keyval();
  static int own_keyval();  // of duplicates: this object

  MPI_Comm handle_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  mutable std::shared_ptr<void const> known_;
  mutable std::shared_ptr<void> call_memory_;
  mutable bool outlives_original_ = false;
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
[[nodiscard]] communicator const& usable(std::shared_ptr<communicator const> const& c,
                                         char const* what);

/// While it lives no other thread may call on a communicator: their messages would meet. A thread
/// that holds one may take another. The communicator has failed when a transport_error is made
/// meanwhile.
class exclusive_use {
 public:
  /// Throws bad_value where another thread has one, transport_error where a call has failed.
  explicit exclusive_use(communicator const& c);
  exclusive_use(exclusive_use const&) = delete;
  exclusive_use& operator=(exclusive_use const&) = delete;
  ~exclusive_use();

 private:
  [[nodiscard]] static void const* this_thread() noexcept;

  communicator const& c_;
  unsigned errors_before_ = bmmc::detail::transport_errors;
  bool is_first_ = false;
};

}  // namespace comm
}  // namespace bmmc

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/comm/communicator_once.hpp>
#endif
