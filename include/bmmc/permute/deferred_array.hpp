// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <bmmc/index/coset.hpp>
#include <bmmc/index/maps.hpp>
#include <bmmc/layout/layout.hpp>
#include <bmmc/local/part_runs.hpp>
#include <bmmc/permute.hpp>
#include <bmmc/plan/locality.hpp>

namespace bmmc {

/// A distributed array whose permutations are postponed: where() says at which processor-major
/// address each index lies now. A permutation of the indices changes that map alone, in
/// microseconds; elements are changed where they lie. Data moves when elements of different
/// processes must be combined: then once, for all that was postponed.
///   Simulators: x, cx and swap are permute(); phases are apply() on a coset; a gate that combines
///   the amplitudes of x and x + v needs v local, see make_local().
/// Shape   each of 2^p processes holds a chunk of 2^(n-p) elements, which stays the caller's.
/// All members are collective in this sense: all processes call alike. Only make_local(), read()
/// and settle() communicate, the first and the last only where data moves: a process that has been
/// told of other permutations than the others, or asks for another direction, may then wait for
/// them. With BMMC_ASSERTION_LEVEL 2 all throw.
template <class T>
class deferred_array {
  static_assert(std::is_trivially_copyable_v<T>, "elements travel from where they lie in memory");

 public:
  /// Collective. `where` takes indices to the addresses at which they lie: it may be chosen freely
  /// for a chunk that is filled afterwards, see index_at.
  /// Errors  bad_value on all processes for a chunk of the wrong length, or different maps.
  template <Communicator C>
  deferred_array(C const& communicator, std::span<T> chunk, permutation<> const& where)
      : comm_(comm::communicator::of(static_cast<MPI_Comm>(communicator))),
        chunk_(chunk),
        where_(where) {
    comm::objection against;
    against.attempt("no memory for a text", [&] {
      p_ = proc_bits_of(static_cast<index_t>(comm_->size()));
      detail::require_processes(where.bits(), p_);
      return detail::objection_to(bit(where.bits() - p_), std::span<T const>(chunk));
    });
    const std::array<comm::common_fact, 4> facts{
        {detail::function_fact("deferred_array"),
         {"number of index bits", where.bits()},
         {"permutation or the layout", detail::fingerprint(as_map(where)), false},
         {"bytes of an element", sizeof(T)}}};
    comm::agree(*comm_, against, facts);
  }
  /// The same with every index at its own address.
  template <Communicator C>
  deferred_array(C const& communicator, std::span<T> chunk, unsigned n)
      : deferred_array(communicator, chunk, identity_permutation(n)) {}

  [[nodiscard]] unsigned bits() const noexcept { return where_.bits(); }
  [[nodiscard]] unsigned proc_bits() const noexcept { return p_; }
  [[nodiscard]] permutation<> const& where() const noexcept { return where_; }
  [[nodiscard]] std::span<T> chunk() const noexcept { return chunk_; }
  /// How often data has been exchanged between processes.
  [[nodiscard]] std::size_t exchanges() const noexcept { return exchanges_; }

  /// The element of index x is that of index p(x) from now on. Cost: O(n^2) word operations.
  void permute(permutation<> const& p) { where_ = compose(where_, inverse(p)); }

  /// Calls visit(T* run, count) for runs of consecutive elements: all elements of the coset that
  /// this process has. In place, without communication.
  template <class Visit>
  void apply(coset const& w, Visit visit) {
    const auto own = own_part(image(where_, w));
    if (own.is_here) local::part_runs<T>(own.offsets, 0).for_each_run(chunk_.data(), visit);
  }
  /// The same for pairs: visit(T* run, T* partners, count) for the elements of the coset and those
  /// at index x + v.
  /// Errors  bad_value on all processes where v is 0, not below 2^n, or not local: see
  ///         make_local().
  template <class Visit>
  void apply_pairs(coset const& w, index_t v, Visit visit) {
    if (v == 0 || !has(v))
      detail::refuse({"elements at index x and index x + ", v, " are no pairs of 2^", bits()});
    const index_t step = where_.matrix() * v;
    if (!is_local(v))
      detail::refuse(
          {"index x and index x + ", v, " are on different processes: make that local first"});
    const auto own = own_part(image(where_, w));
    if (own.is_here)
      local::part_runs<T>(own.offsets, step).for_each_pair(chunk_.data(), step, visit);
  }

  /// Whether index x and index x + v are on one process, for all x.
  [[nodiscard]] bool is_local(index_t v) const noexcept {
    return has(v) && (where_.matrix() * v) >> (bits() - p_) == 0;
  }
  /// Collective. Moves data, in one exchange, so that all directions of `next` are local: nothing
  /// where they are. Cost and method as bmmc::make_local. Returns whether data moved.
  bool make_local(upcoming_directions const& next) {
    return move("deferred_array::make_local", [&] { return map_for(next); });
  }
  /// The same for one direction.
  /// Errors  bad_value on all processes where v is not below 2^n, and where each process has one
  ///         element alone.
  bool make_local(index_t v) {
    return move("deferred_array::make_local", [&] {
      upcoming_directions one(bits());
      if (!one.add(v, p_))
        detail::refuse({"2^", bits(), " elements on 2^", p_, " processes: index x and index x + ",
                        v, " cannot be on one process"});
      return map_for(one);
    });
  }
  /// Collective. Moves every element to the address that is its index. Returns whether data moved.
  bool settle() {
    return move("deferred_array::settle", [&] { return inverse(where_); });
  }

  /// Where index x lies, and which index lies at an offset of this process.
  /// Errors  bad_value for an index or an offset that is not there.
  [[nodiscard]] placement place(index_t x) const {
    if (!has(x)) detail::refuse({"index ", x, " is not among 2^", bits()});
    const index_t address = where_(x);
    return {address >> (bits() - p_), address & low_bits(bits() - p_)};
  }
  [[nodiscard]] index_t index_at(index_t offset) const {
    if (offset >= chunk_.size())
      detail::refuse({"offset ", offset, " is not among the ", chunk_.size(), " of a chunk"});
    return inverse(where_)(own_address() | offset);
  }
  /// Collective: elements first .. first + count - 1 of the array, on every process.
  /// Errors  bad_value on all processes for elements that are not there, too many for memory, or
  ///         others on one of them.
  [[nodiscard]] std::vector<T> read(index_t first, index_t count) const {
    const comm::exclusive_use use(comm::usable(comm_, "this deferred_array"));
    std::vector<T> found;
    std::vector<unsigned char> bytes;
    comm::objection against;
    against.attempt("no memory for the elements read", [&] {
      if (first > bit(bits()) || count > bit(bits()) - first)
        return detail::text(
            {"elements ", first, " to ", first, " + ", count, " are not all among 2^", bits()});
      found.resize(count);
      bytes.resize(count * sizeof(T));
      return std::string();
    });
    const std::array<comm::common_fact, 3> facts{{detail::function_fact("deferred_array::read"),
                                                  {"first element to read", first},
                                                  {"number of elements to read", count}}};
    comm::agree(*comm_, against, facts);
    const auto me = static_cast<index_t>(comm_->rank());
    for (index_t k = 0; k < count; ++k)
      if (const auto at = place(first + k); at.proc == me)
        std::memcpy(bytes.data() + k * sizeof(T), &chunk_[at.offset], sizeof(T));
    const std::size_t most = std::min<index_t>(bit(30), comm::detail::most_count);
    for (std::size_t done = 0; done < bytes.size(); done += most)
      comm::check(MPI_Allreduce(MPI_IN_PLACE, bytes.data() + done,
                                static_cast<int>(std::min(most, bytes.size() - done)), MPI_BYTE,
                                MPI_BOR, comm_->handle()),
                  "MPI_Allreduce");
    std::memcpy(found.data(), bytes.data(), bytes.size());
    return found;
  }

 private:
  struct part {
    bool is_here;
    affine_map offsets;
  };
  [[nodiscard]] bool has(index_t x) const noexcept { return (x & ~low_bits(bits())) == 0; }
  [[nodiscard]] permutation<> map_for(upcoming_directions const& next) const {
    return bmmc::make_local(where_.matrix() * next.basis(), bits(), p_);
  }
  [[nodiscard]] index_t own_address() const {
    const int rank = comm::usable(comm_, "this deferred_array").rank();
    return static_cast<index_t>(rank) << (bits() - p_);
  }
  /// The offsets of this process that belong to a coset of addresses.
  [[nodiscard]] part own_part(coset const& addresses) const {
    const unsigned m = bits() - p_;
    const auto by = addresses.points(low_bits(m));
    const index_t own = extract_bits(own_address(), by.free & ~low_bits(m));
    const auto offset_bits = static_cast<unsigned>(std::popcount(by.free & low_bits(m)));
    const index_t first = by.points(own << offset_bits);
    return {first >> m == own_address() >> m,
            {submatrix(by.points.matrix, 0, m, 0, offset_bits), first & low_bits(m)}};
  }
  /// By what make_map returns. At level 2 all processes agree on it, or on what one has against it.
  template <class MakeMap>
  bool move(char const* function, MakeMap make_map) {
    const comm::exclusive_use use(comm::usable(comm_, "this deferred_array"));
    permutation<> by;
    if constexpr (BMMC_ASSERTION_LEVEL >= 2) {
      comm::objection against;
      against.attempt("no memory for a map", [&] { by = make_map(); });
      const std::array<comm::common_fact, 3> facts{
          {detail::function_fact(function),
           {"number of index bits", by.bits()},
           {"permutation of addresses", detail::fingerprint(as_map(by)), false}}};
      comm::agree(*comm_, against, facts);
    } else {
      by = make_map();
    }
    if (is_identity(by)) return false;
    if (!make_plan(by, layout::processor_major{}, bit(p_)).is_local()) ++exchanges_;
    bmmc::permute<T>(comm_->handle(), chunk_, by);
    where_ = compose(by, where_);
    return true;
  }

  std::shared_ptr<comm::communicator const> comm_;
  std::span<T> chunk_;
  permutation<> where_;
  unsigned p_ = 0;
  std::size_t exchanges_ = 0;
};

}  // namespace bmmc
