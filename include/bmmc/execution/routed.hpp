// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <exception>
#include <string>
#include <type_traits>
#include <vector>

#include <bmmc/comm/agree.hpp>
#include <bmmc/comm/ragged.hpp>
#include <bmmc/element/bytes.hpp>
#include <bmmc/execution/workspace.hpp>
#include <bmmc/plan/route.hpp>

namespace bmmc::detail {

/// Carries out a route in rounds. Elements that travel from where they lie are packed, sent and
/// put in their places in parts of 1 MiB, which stay in the cache; no index leaves the process.
/// Memory  in place a copy of the chunk; and one part sent and one received.
template <class T, class Element, Route R>
class direct_route {
 public:
  direct_route(comm::communicator const& c, R const& route, bool in_place, index_t chunk)
      : comm_(c), route_(route), in_place_(in_place), copy_(in_place ? chunk : 0) {
    index_t sent = 0, received = 0;
    comm::for_each_round(c, [&](int target, int source) {
      sent = std::max(sent, route.sent(static_cast<index_t>(target)));
      received = std::max(received, route.received(static_cast<index_t>(source)));
    });
    sent_ = workspace<T>(std::min(sent, part));
    received_ = workspace<T>(std::min(received, part));
  }

  void operator()(T const* source, T* target) {
    if (in_place_) {
      std::copy_n(source, copy_.elements().size(), copy_.elements().data());
      source = copy_.elements().data();
    }
    route_.each_kept([=](index_t from, index_t to) { target[to] = source[from]; });
    comm::for_each_round(comm_, [&](int to, int from) { round(to, from, source, target); });
  }

 private:
  static constexpr index_t part = std::max<index_t>(1, bit(20) / sizeof(T));

  void round(int to, int from, T const* source, T* target) {
    const auto to_proc = static_cast<index_t>(to), from_proc = static_cast<index_t>(from);
    const index_t sent = route_.sent(to_proc), received = route_.received(from_proc);
    auto out = route_.sending(to_proc);
    auto in = route_.receiving(from_proc);
    for (index_t done = 0; done < std::max(sent, received); done += part) {
      const index_t out_count = std::min(part, sent - std::min(sent, done));
      const index_t in_count = std::min(part, received - std::min(received, done));
      T* packed = sent_.elements().data();
      T const* unpacked = received_.elements().data();
      out.take(out_count, [&](index_t offset) { *packed++ = source[offset]; });
      comm::trade(comm_, element_.handle(), sizeof(T), sent_.elements().data(), {to, out_count},
                  received_.elements().data(), {from, in_count});
      in.take(in_count, [&](index_t offset) { target[offset] = *unpacked++; });
    }
  }

  comm::communicator const& comm_;
  R const& route_;
  bool in_place_;
  comm::datatype element_ = Element::template datatype<T>();
  workspace<T> copy_, sent_, received_;
};

/// The same for elements that must be written into bytes. All are written before any is read, so
/// an element that cannot be leaves the data as it was, on all processes.
/// Memory  the written bytes of the chunk, and the longest message received.
template <class T, class Element, Route R>
class serialized_route {
 public:
  serialized_route(comm::communicator const& c, R const& route, bool, index_t)
      : comm_(c), route_(route) {}

  void operator()(T const* source, T* target) {
    const auto written = write(source);
    const auto me = static_cast<index_t>(comm_.rank());
    std::vector<index_t> lengths;
    for (auto const& bytes : written) lengths.push_back(bytes.size());
    const auto expected = comm::all_to_all(comm_, lengths);
    read(me, written[me], target);
    std::vector<char> received;
    comm::for_each_round(comm_, [&](int to, int from) {
      auto const& sent = written[static_cast<std::size_t>(to)];
      received.resize(expected[static_cast<std::size_t>(from)]);
      comm::trade(comm_, MPI_BYTE, 1, sent.data(), {to, sent.size()}, received.data(),
                  {from, received.size()});
      read(static_cast<index_t>(from), received, target);
    });
  }

 private:
  [[nodiscard]] std::vector<std::vector<char>> write(T const* source) const {
    std::vector<std::vector<char>> written(static_cast<std::size_t>(comm_.size()));
    std::string objection;
    try {
      for (std::size_t proc = 0; proc < written.size(); ++proc) {
        if (route_.sent(proc) == 0) continue;
        typename Element::writer one(written[proc]);
        route_.sending(proc).take(route_.sent(proc), [&](index_t offset) { one(source[offset]); });
      }
    } catch (std::exception const& failure) {
      objection = std::string("an element cannot be serialized: ") + failure.what();
    }
    comm::agree(comm_, objection);
    return written;
  }
  void read(index_t proc, std::vector<char> bytes, T* target) const {
    if (route_.received(proc) == 0) return;
    typename Element::reader one(bytes.data(), bytes.size());
    route_.receiving(proc).take(route_.received(proc),
                                [&](index_t offset) { one(target[offset]); });
  }

  comm::communicator const& comm_;
  R const& route_;
};

template <class T, class Element, Route R>
using route_execution = std::conditional_t<element::Direct<Element, T>, direct_route<T, Element, R>,
                                           serialized_route<T, Element, R>>;

}  // namespace bmmc::detail
