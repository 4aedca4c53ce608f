// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <bmmc/element/bytes.hpp>
#include <bmmc/transport/exchange.hpp>
#include <bmmc/transport/workspace.hpp>
#include <bmmc/transport/written.hpp>

namespace bmmc::detail {

/// Carries out a route by a policy that moves equal blocks: every message is padded to the longest
/// of any process. What stays is copied. Elements that must be written are all written before any
/// is read, as in routed.hpp.
/// Memory  in place a copy of the chunk; the padded messages sent, and those received.
template <class T, class Element, class Comm, Route R>
class exchanged_route {
  static constexpr bool is_direct = element::Direct<Element, T>;

 public:
  exchanged_route(std::shared_ptr<comm::communicator const> c, R const& route, Comm const& policy,
                  bool in_place, index_t chunk)
      : comm_(std::move(c)),
        route_(route),
        policy_(policy),
        me_(static_cast<index_t>(comm_->rank())),
        pattern_(
            transport::among_others(pattern_of(route, me_, static_cast<index_t>(comm_->size())))),
        copy_(in_place && is_direct ? chunk : 0) {}

  void operator()(T const* source, T* target) {
    if constexpr (is_direct)
      move(source, target);
    else
      write_and_read(source, target);
  }

 private:
  void move(T const* source, T* target) {
    const index_t length = comm::padded_length(*comm_, transport::longest_sent(pattern_));
    std::optional<comm::exchange> e;
    transport::workspace<T> sent, received;
    comm::objection against;
    against.attempt("no memory for the messages of a permutation", [&] {
      sent = transport::workspace<T>(pattern_.rounds.size() * length);
      received = transport::workspace<T>(pattern_.rounds.size() * length);
      e.emplace(comm_, transport::padded(pattern_, length), element_.handle(), sizeof(T), length);
      if constexpr (comm::PreparedPolicy<Comm>) policy_.prepare(*e);
    });
    comm::agree(*comm_, against);
    T* const out = sent.elements().data();
    for (std::size_t b = 0; b < pattern_.rounds.size(); ++b)
      each_sent(b, [&, to = out + b * length](index_t offset) mutable { *to++ = source[offset]; });
    policy_.move(*e, static_cast<void const*>(out), static_cast<void*>(received.elements().data()));
    if (!copy_.elements().empty()) {
      std::copy_n(source, copy_.elements().size(), copy_.elements().data());
      source = copy_.elements().data();
    }
    route_.each_kept([=](index_t from, index_t to) { target[to] = source[from]; });
    T const* const in = received.elements().data();
    for (std::size_t b = 0; b < pattern_.rounds.size(); ++b)
      each_received(
          b, [&, from = in + b * length](index_t offset) mutable { target[offset] = *from++; });
  }

  void write_and_read(T const* source, T* target) {
    std::vector<char> kept;
    transport::write_together(*comm_, [&] {
      typename Element::writer one(kept);
      route_.each_kept([&](index_t from, index_t) { one(source[from]); });
    });
    transport::carry_written<Element>(
        *comm_, pattern_, policy_,
        [&](index_t length) {
          return comm::exchange(comm_, transport::padded(pattern_, length), MPI_BYTE, 1, length);
        },
        [&](std::size_t b, auto& write) {
          each_sent(b, [&](index_t offset) { write(source[offset]); });
        },
        [&] {
          if (route_.sent(me_) == 0) return;
          typename Element::reader one(kept.data(), kept.size());
          route_.each_kept([&](index_t, index_t to) { one(target[to]); });
        },
        [&](std::size_t b, auto& read) {
          each_received(b, [&](index_t offset) { read(target[offset]); });
        });
  }

  void each_sent(std::size_t b, auto&& take) const {
    if (message const& m = pattern_.rounds[b].sent; m.elements != 0)
      route_.sending(m.proc).take(m.elements, take);
  }
  void each_received(std::size_t b, auto&& take) const {
    if (message const& m = pattern_.rounds[b].received; m.elements != 0)
      route_.receiving(m.proc).take(m.elements, take);
  }

  std::shared_ptr<comm::communicator const> comm_;
  R const& route_;
  Comm policy_;
  index_t me_;
  message_pattern pattern_;
  comm::datatype element_ = datatype_of<T, Element>();
  transport::workspace<T> copy_;
};

}  // namespace bmmc::detail
