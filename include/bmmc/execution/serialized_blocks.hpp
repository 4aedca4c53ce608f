// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <bmmc/comm/agree.hpp>
#include <bmmc/execution/block_list.hpp>
#include <bmmc/execution/workspace.hpp>

namespace bmmc::detail {

/// Carries blocks of elements that must be written into bytes. All are written before any is read,
/// so an element that cannot be leaves the target as it was, on all processes.
/// Memory  the written bytes of all blocks and, combining, a block of elements; comm::alltoallv all
///         blocks received, padded to the longest of any process, other policies the longest.
template <class T, class Comm, class Element>
class serialized_blocks {
 public:
  serialized_blocks(block_list list, bool combines, Comm const&) : list_(std::move(list)) {
    if (combines) landing_ = workspace<T>(list_.elements);
  }

  /// Brings every block to its position in the target.
  void deliver(T const* source, T* target) {
    transfer(
        source, [] {},
        [&](std::size_t in, auto& read) {
          for (index_t j = 0; j < list_.elements; ++j) read(target[list_.in[in].position + j]);
        });
  }
  /// Hands every block to arrive, once all are written and ready() has been called.
  template <class Ready, class Arrive>
  void combine(T const* source, Ready ready, Arrive arrive) {
    T* const block = landing_.elements().data();
    transfer(source, ready, [&](std::size_t in, auto& read) {
      for (index_t j = 0; j < list_.elements; ++j) read(block[j]);
      arrive(in, 0, list_.elements, block);
    });
  }

 private:
  using block_bytes = std::vector<char>;

  /// take(in, reader) for every block received, in the order of the list.
  template <class Ready, class Take>
  void transfer(T const* source, Ready ready, Take take) const {
    auto written = write(source);
    ready();
    const auto show = [&](std::size_t in, char* bytes, std::size_t length) {
      typename Element::reader read(bytes, length);
      take(in, read);
    };
    if constexpr (std::is_same_v<Comm, comm::alltoallv>)
      at_once(written, show);
    else
      in_rounds(written, show);
  }

  template <class Show>
  void in_rounds(std::vector<block_bytes>& written, Show show) const {
    std::vector<index_t> lengths(static_cast<std::size_t>(list_.comm->size()), 0);
    for (std::size_t i = 0; i < written.size(); ++i)
      lengths[static_cast<std::size_t>(list_.out[i].proc)] = written[i].size();
    lengths = comm::all_to_all(*list_.comm, lengths);
    block_bytes received;
    const auto round = [&](std::size_t out, std::size_t in) {
      if (in != comm::none && list_.stays(list_.in[in]))
        return show(in, written[out].data(), written[out].size());
      comm::message to{0, 0}, from{0, 0};
      if (out != comm::none) to = {list_.out[out].proc, written[out].size()};
      if (in != comm::none)
        from = {list_.in[in].proc, lengths[static_cast<std::size_t>(list_.in[in].proc)]};
      received.resize(from.elements);
      comm::trade(*list_.comm, MPI_BYTE, 1, out == comm::none ? nullptr : written[out].data(), to,
                  received.data(), from);
      if (in != comm::none) show(in, received.data(), received.size());
    };
    comm::for_each_partner(list_.comm->rank(), list_.out, list_.in, round);
  }

  template <class Show>
  void at_once(std::vector<block_bytes>& written, Show show) const {
    index_t longest = 1;
    for (block_bytes const& block : written) longest = std::max<index_t>(longest, block.size());
    const index_t length = comm::padded_length(*list_.comm, longest);
    block_bytes sent(written.size() * length), received(list_.in.size() * length);
    auto out = list_.out, in = list_.in;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i].position = i * length;
      std::copy(written[i].begin(), written[i].end(), sent.data() + out[i].position);
    }
    for (std::size_t i = 0; i < in.size(); ++i) in[i].position = i * length;
    comm::all_blocks(*list_.comm, out, in, length, MPI_BYTE)(*list_.comm, sent.data(),
                                                             received.data());
    comm::for_each_partner(list_.comm->rank(), out, in, [&](std::size_t from, std::size_t to) {
      if (to == comm::none) return;
      char* const bytes = list_.stays(in[to]) ? sent.data() + out[from].position
                                              : received.data() + in[to].position;
      show(to, bytes, length);
    });
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

}  // namespace bmmc::detail
