// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include <bmmc/execution/block_list.hpp>
#include <bmmc/execution/workspace.hpp>

namespace bmmc::detail {

/// Carries blocks of elements that travel from where they lie.
/// Memory  combining: comm::sendrecv a part of 1 MiB, comm::alltoallv all blocks; else nothing.
template <class T, class Comm, class Element>
class direct_blocks {
 public:
  direct_blocks(block_list list, bool combines, Comm const&) : list_(std::move(list)) {
    const auto in = static_cast<index_t>(list_.in.size());
    if (combines)
      for (index_t i = 0; i < in; ++i)
        list_.in[i].position = at_once ? i * list_.elements : index_t{0};
    if (combines && in != 0)
      landing_ = workspace<T>(at_once ? in * list_.elements : std::min(part, list_.elements));
    if constexpr (at_once)
      all_ = comm::all_blocks(*list_.comm, list_.out, list_.in, list_.elements, element_.handle());
  }

  /// Brings every block to its position in the target.
  void deliver(T const* source, T* target) {
    const auto whole = [](auto const&...) {};
    if constexpr (at_once) {
      all_(*list_.comm, source, target);
      each([&](comm::block const* out, comm::block const* in) {
        if (in != nullptr && list_.stays(*in)) keep(source, *out, target, *in);
      });
    } else {
      each([&](comm::block const* out, comm::block const* in) {
        if (in != nullptr && list_.stays(*in))
          keep(source, *out, target, *in);
        else
          trade(out, in, source, target, list_.elements, whole);
      });
    }
  }

  /// Hands every block to arrive, once ready() has been called.
  template <class Ready, class Arrive>
  void combine(T const* source, Ready ready, Arrive arrive) {
    ready();
    T* const landing = landing_.elements().data();
    if constexpr (at_once) all_(*list_.comm, source, landing);
    each([&](comm::block const* out, comm::block const* in) {
      const auto i = in == nullptr ? 0 : static_cast<std::size_t>(in - list_.in.data());
      const auto some = [&](index_t first, index_t count, T const* data) {
        if (in != nullptr) arrive(i, first, count, data);
      };
      if (in != nullptr && list_.stays(*in))
        some(0, list_.elements, source + out->position);
      else if constexpr (at_once)
        some(0, list_.elements, in == nullptr ? nullptr : landing + in->position);
      else
        trade(out, in, source, landing, part, some);
    });
  }

 private:
  static constexpr bool at_once = std::is_same_v<Comm, comm::alltoallv>;
  static constexpr index_t part = std::max<index_t>(1, bit(20) / sizeof(T));

  template <class F>
  void each(F round) const {
    comm::for_each_partner(list_.comm->rank(), list_.out, list_.in,
                           [&](std::size_t out, std::size_t in) {
                             round(out == comm::none ? nullptr : &list_.out[out],
                                   in == comm::none ? nullptr : &list_.in[in]);
                           });
  }
  void keep(T const* source, comm::block const& out, T* target, comm::block const& in) const {
    std::copy_n(source + out.position, list_.elements, target + in.position);
  }
  /// Sends a block and receives one, where there are such, in parts; each part received is shown.
  template <class Show>
  void trade(comm::block const* out, comm::block const* in, T const* source, T* target,
             index_t most, Show show) const {
    for (index_t done = 0; done < list_.elements; done += most) {
      const index_t count = std::min(most, list_.elements - done);
      T const* const from = out == nullptr ? source : source + out->position + done;
      T* const to = in == nullptr ? target : target + in->position;
      comm::trade(*list_.comm, element_.handle(), sizeof(T), from,
                  {out == nullptr ? 0 : out->proc, out == nullptr ? 0 : count}, to,
                  {in == nullptr ? 0 : in->proc, in == nullptr ? 0 : count});
      show(done, count, to);
    }
  }

  block_list list_;
  comm::datatype element_ = Element::template datatype<T>();
  workspace<T> landing_;
  comm::all_blocks all_;
};

}  // namespace bmmc::detail
