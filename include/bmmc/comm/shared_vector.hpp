// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <bmmc/comm/call.hpp>
#include <bmmc/comm/surroundings.hpp>
#include <bmmc/comm/window.hpp>

namespace bmmc {

/// A chunk in memory that the other processes of the node see, for permutations that write every
/// element straight to its place: the fastest way there is on one node. Use it as any array, and
/// hand it to a permuter with comm::shared_window or comm::automatic, of the same processes in the
/// same order: for others it is an array as any other.
/// Making one is collective. Elements start as zero bytes. A permutation in place
/// exchanges the memory for other memory, as swap does: pointers into it do not stay valid.
template <class T>
class shared_vector {
 public:
  shared_vector() = default;
  shared_vector(shared_vector&& other) noexcept { swap(other); }
  shared_vector& operator=(shared_vector&& other) noexcept {
    swap(other);
    return *this;
  }
  /// `elements` of this process, alike on all. `processes_per_node` as for comm::shared_window.
  /// Throws bad_value on all processes where they disagree or there is no such memory.
  template <Communicator C>
  shared_vector(C const& c, std::size_t elements, int processes_per_node = 0) : size_(elements) {
    static_assert(std::is_trivially_copyable_v<T>, "elements in shared memory are bytes");
    const auto all = comm::communicator::of(static_cast<MPI_Comm>(c));
    const comm::exclusive_use use(*all);
    const std::array<comm::common_fact, 4> facts{
        {detail::function_fact("shared_vector"),
         {"number of elements", elements},
         detail::type_fact<T>("type of the elements"),
         {"processes of a node", static_cast<std::uint64_t>(processes_per_node)}}};
    comm::objection against;
    against.attempt("no memory for a text", [&] {
      constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(T);
      return elements <= most ? std::string()
                              : detail::text({"a shared_vector of ", elements, " elements of ",
                                              sizeof(T), " bytes has more bytes than memory can"});
    });
    comm::agree(*all, against, facts);
    window_ = comm::agreed_window(*all, comm::surroundings::node_of(*all, processes_per_node),
                                  elements * sizeof(T));
  }

  [[nodiscard]] T* data() noexcept { return reinterpret_cast<T*>(window_.part()); }
  [[nodiscard]] T const* data() const noexcept {
    return reinterpret_cast<T const*>(window_.part());
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* begin() noexcept { return data(); }
  [[nodiscard]] T* end() noexcept { return data() + size_; }
  [[nodiscard]] T const* begin() const noexcept { return data(); }
  [[nodiscard]] T const* end() const noexcept { return data() + size_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data()[i]; }
  [[nodiscard]] T const& operator[](std::size_t i) const noexcept { return data()[i]; }

  void swap(shared_vector& other) noexcept {
    window_.swap(other.window_);
    std::swap(size_, other.size_);
  }

  /// The memory, for those who know how to use it.
  [[nodiscard]] comm::window& memory() noexcept { return window_; }
  [[nodiscard]] comm::window const& memory() const noexcept { return window_; }

 private:
  comm::window window_;
  std::size_t size_ = 0;
};

}  // namespace bmmc
