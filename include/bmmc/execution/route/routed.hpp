// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <bmmc/element/bytes.hpp>
#include <bmmc/transport/rounds.hpp>
#include <bmmc/transport/workspace.hpp>
#include <bmmc/transport/written.hpp>

namespace bmmc::detail {

/// Carries out a route in rounds. Elements that travel from where they lie are packed, sent and
/// put in their places in parts of 1 MiB, which stay in the cache; no index leaves the process.
/// Memory  in place a copy of the chunk; and one part sent and one received.
template <class T, class Element, Route R>
class direct_route {
 public:
  direct_route(comm::communicator const& c, R const& route, bool in_place, index_t chunk)
      : comm_(c),
        route_(route),
        pattern_(pattern_of(route, static_cast<index_t>(c.rank()), static_cast<index_t>(c.size()))),
        in_place_(in_place),
        copy_(in_place ? chunk : 0) {
    index_t sent = 0, received = 0;
    for (std::size_t k = 1; k < pattern_.rounds.size(); ++k) {  // round 0 stays
      sent = std::max(sent, pattern_.rounds[k].sent.elements);
      received = std::max(received, pattern_.rounds[k].received.elements);
    }
    sent_ = transport::workspace<T>(std::min(sent, part));
    received_ = transport::workspace<T>(std::min(received, part));
  }

  void operator()(T const* source, T* target) {
    if (in_place_) {
      std::copy_n(source, copy_.elements().size(), copy_.elements().data());
      source = copy_.elements().data();
    }
    route_.each_kept([=](index_t from, index_t to) { target[to] = source[from]; });
    for (std::size_t k = 1; k < pattern_.rounds.size(); ++k)
      trade(pattern_.rounds[k], source, target);
  }

 private:
  static constexpr index_t part = std::max<index_t>(1, bit(20) / sizeof(T));

  void trade(message_round const& round, T const* source, T* target) {
    message to = round.sent, from = round.received;
    auto out = route_.sending(to.proc);
    auto in = route_.receiving(from.proc);
    for (index_t sent = to.elements, received = from.elements; sent != 0 || received != 0;
         sent -= to.elements, received -= from.elements) {
      to.elements = std::min(part, sent);
      from.elements = std::min(part, received);
      T* packed = sent_.elements().data();
      T const* unpacked = received_.elements().data();
      out.take(to.elements, [&](index_t offset) { *packed++ = source[offset]; });
      transport::trade(comm_, element_.handle(), sizeof(T), sent_.elements().data(), to,
                       received_.elements().data(), from);
      in.take(from.elements, [&](index_t offset) { target[offset] = *unpacked++; });
    }
  }

  comm::communicator const& comm_;
  R const& route_;
  message_pattern pattern_;
  bool in_place_;
  comm::datatype element_ = Element::template datatype<T>();
  transport::workspace<T> copy_, sent_, received_;
};

/// The same for elements that must be written into bytes. All are written before any is read, so
/// an element that cannot be leaves the data as it was, on all processes.
/// Memory  the written bytes of the chunk, and the longest message received.
template <class T, class Element, Route R>
class written_route {
 public:
  written_route(comm::communicator const& c, R const& route, bool, index_t)
      : comm_(c), route_(route) {}

  void operator()(T const* source, T* target) {
    std::vector<std::vector<char>> written;
    std::vector<index_t> lengths, expected;
    std::vector<char> received;
    transport::write_together(comm_, [&] {
      written.resize(static_cast<std::size_t>(comm_.size()));
      lengths.resize(written.size());
      expected.resize(written.size());
      for (std::size_t proc = 0; proc < written.size(); ++proc) {
        if (route_.sent(proc) == 0) continue;
        typename Element::writer one(written[proc]);
        route_.sending(proc).take(route_.sent(proc), [&](index_t offset) { one(source[offset]); });
      }
    });
    for (std::size_t k = 0; k < written.size(); ++k) lengths[k] = written[k].size();
    transport::all_to_all(comm_, lengths, expected);
    const auto me = static_cast<index_t>(comm_.rank());
    comm::objection against;
    against.attempt("no memory for the bytes of serialized elements", [&] {
      expected[me] = 0;
      received.resize(*std::max_element(expected.begin(), expected.end()));
    });
    comm::agree(comm_, against);
    const auto read_from = [&](index_t proc, std::span<char> bytes) {
      against.attempt(transport::unreadable, [&] { read(proc, bytes, target); });
    };
    read_from(me, written[me]);
    transport::for_each_round(comm_, [&](index_t to, index_t from) {
      transport::trade(comm_, MPI_BYTE, 1, written[to].data(), {to, 0, written[to].size()},
                       received.data(), {from, 0, expected[from]});
      read_from(from, {received.data(), expected[from]});
    });
    comm::agree(comm_, against);
  }

 private:
  void read(index_t proc, std::span<char> bytes, T* target) const {
    if (route_.received(proc) == 0) return;
    typename Element::reader one(bytes.data(), bytes.size());
    route_.receiving(proc).take(route_.received(proc),
                                [&](index_t offset) { one(target[offset]); });
  }

  comm::communicator const& comm_;
  R const& route_;
};

template <class T, class Element, Route R>
using route_runner = std::conditional_t<element::Direct<Element, T>, direct_route<T, Element, R>,
                                        written_route<T, Element, R>>;

}  // namespace bmmc::detail
