// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <bmmc/comm/agree.hpp>
#include <bmmc/comm/blocks.hpp>
#include <bmmc/element/bytes.hpp>
#include <bmmc/execution/workspace.hpp>

namespace bmmc::detail {

/// The blocks of one process under way: equal in length, in ascending order of the exclusive or of
/// both process numbers, the block that stays among them. A combining exchange hands each block to
/// arrive(i, first, count, data) in the order of `in`, whole or in parts.
struct block_list {
  std::shared_ptr<comm::communicator const> comm;
  std::vector<comm::block> out, in;
  index_t elements;  // of each

  [[nodiscard]] bool stays(comm::block const& b) const { return b.proc == comm->rank(); }
};

/// Carries blocks of elements that travel from where they lie.
/// Memory  combining: comm::pairwise a part of 1 MiB, comm::alltoallv all blocks; else nothing.
template <class T, class Comm, class Element>
class direct_blocks {
 public:
  direct_blocks(block_list list, bool combines) : list_(std::move(list)) {
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

  template <class Arrive>
  void combine(T const* source, Arrive arrive) {
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

/// The same for elements that must be written into bytes. All are written before any is read, so an
/// element that cannot be leaves the target as it was, on all processes.
/// Memory  the written bytes of all blocks, the longest block received, and combining a block.
template <class T, class Comm, class Element>
class serialized_blocks {
  static_assert(std::is_same_v<Comm, comm::pairwise>,
                "blocks of serialized elements differ in length: their policy is comm::pairwise");

 public:
  serialized_blocks(block_list list, bool combines) : list_(std::move(list)) {
    if (combines) landing_ = workspace<T>(list_.elements);
  }

  void deliver(T const* source, T* target) {
    transfer(
        source, [&](std::size_t i) { return target + list_.in[i].position; },
        [](std::size_t, T const*) {});
  }
  template <class Arrive>
  void combine(T const* source, Arrive arrive) {
    transfer(
        source, [&](std::size_t) { return landing_.elements().data(); },
        [&](std::size_t i, T const* data) { arrive(i, 0, list_.elements, data); });
  }

 private:
  using block_bytes = std::vector<char>;

  /// Every block of `in` is read to place(i) and shown.
  template <class Place, class Show>
  void transfer(T const* source, Place place, Show show) const {
    auto written = write(source);
    std::vector<index_t> lengths(static_cast<std::size_t>(list_.comm->size()), 0);
    for (std::size_t i = 0; i < written.size(); ++i)
      lengths[static_cast<std::size_t>(list_.out[i].proc)] = written[i].size();
    lengths = comm::all_to_all(*list_.comm, lengths);
    block_bytes received;
    const auto round = [&](std::size_t out, std::size_t in) {
      if (in != comm::none && list_.stays(list_.in[in])) {
        received = std::move(written[out]);
      } else {
        comm::message to{0, 0}, from{0, 0};
        if (out != comm::none) to = {list_.out[out].proc, written[out].size()};
        if (in != comm::none)
          from = {list_.in[in].proc, lengths[static_cast<std::size_t>(list_.in[in].proc)]};
        received.resize(from.elements);
        comm::trade(*list_.comm, MPI_BYTE, 1, out == comm::none ? nullptr : written[out].data(), to,
                    received.data(), from);
      }
      if (in == comm::none) return;
      T* const target = place(in);
      typename Element::reader read(received.data(), received.size());
      for (index_t j = 0; j < list_.elements; ++j) read(target[j]);
      show(in, target);
    };
    comm::for_each_partner(list_.comm->rank(), list_.out, list_.in, round);
  }

  /// All processes throw where one cannot write an element.
  [[nodiscard]] std::vector<block_bytes> write(T const* source) const {
    std::vector<block_bytes> written(list_.out.size());
    std::string objection;
    try {
      for (std::size_t i = 0; i < written.size(); ++i) {
        typename Element::writer one(written[i]);
        for (index_t j = 0; j < list_.elements; ++j) one(source[list_.out[i].position + j]);
      }
    } catch (std::exception const& failure) {
      objection = std::string("an element cannot be serialized: ") + failure.what();
    }
    comm::agree(*list_.comm, objection);
    return written;
  }

  block_list list_;
  workspace<T> landing_;
};

template <class T, class Comm, class Element>
using blocks_for = std::conditional_t<element::Direct<Element, T>, direct_blocks<T, Comm, Element>,
                                      serialized_blocks<T, Comm, Element>>;

}  // namespace bmmc::detail
