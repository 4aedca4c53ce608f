// SPDX-License-Identifier: BSL-1.0
#pragma once

// Elements that must be written into bytes to travel.

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <vector>

#include <bmmc/comm/agree.hpp>
#include <bmmc/transport/exchange.hpp>

namespace bmmc::transport {

/// What a process says that has no memory for an element which has arrived.
inline constexpr char const* unreadable = "no memory to read an element";

/// Collective: calls write(), which may throw; all processes throw bad_value where one could not
/// write an element.
template <class Write>
void write_together(comm::communicator const& c, Write write) {
  comm::objection against;
  try {
    write();
  } catch (std::exception const& failure) {
    against.raise("an element cannot be serialized: ");
    against.append(failure.what());
  } catch (...) {
    against.raise("an element cannot be serialized");
  }
  comm::agree(c, against);
}

/// Work on elements whose copies may fail, between messages: all processes throw where one could
/// not do it. Elements that are bytes need no agreement.
template <class T, class Work>
void copy_together([[maybe_unused]] comm::communicator const& c, Work work) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    work();
  } else {
    comm::objection against;
    against.attempt("no memory to copy an element", work);
    comm::agree(c, against);
  }
}

/// The same for work that only moves elements, which seldom fails.
template <class T, class Work>
void move_together(comm::communicator const& c, Work work) {
  if constexpr (std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>)
    work();
  else
    copy_together<T>(c, work);
}

/// What travels of one exchange of written elements: write(b, writer) has the elements of the block
/// of round b written, read(b, reader) has those read that came. All are written before ready() is
/// called and any is read, so an element that cannot be written changes nothing, on any process.
/// Where one process cannot read an element all throw, and what the targets hold is open.
/// make_exchange(length) makes an exchange of the same rounds, the block of round b being the
/// `length` bytes from b * length on.
/// Memory  the written bytes of all blocks, padded to the longest of any process, up to three
/// times.
template <class Element, class Comm, class MakeExchange, class Write, class Ready, class Read>
void carry_written(comm::communicator const& c, message_pattern const& pattern, Comm policy,
                   MakeExchange make_exchange, Write write, Ready ready, Read read) {
  std::vector<std::vector<char>> written;
  write_together(c, [&] {
    written.resize(pattern.rounds.size());
    for (std::size_t b = 0; b < written.size(); ++b) {
      if (pattern.rounds[b].sent.elements == 0) continue;
      typename Element::writer one(written[b]);
      write(b, one);
    }
  });
  index_t longest = 1;
  for (auto const& block : written) longest = std::max<index_t>(longest, block.size());
  const std::size_t length = comm::padded_length(c, longest);
  comm::objection against;
  std::vector<char> sent, received;
  std::optional<comm::exchange> e;
  against.attempt("no memory for the bytes of serialized elements", [&] {
    sent.resize(written.size() * length);
    for (std::size_t b = 0; b < written.size(); ++b) {
      std::copy(written[b].begin(), written[b].end(), sent.data() + b * length);
      std::vector<char>().swap(written[b]);
    }
    e.emplace(make_exchange(length));
    if constexpr (comm::PreparedPolicy<Comm>) policy.prepare(*e);
    if constexpr (comm::MovingPolicy<Comm>) received.resize(sent.size());
  });
  comm::agree(c, against);
  if constexpr (comm::MovingPolicy<Comm>) {
    policy.move(*e, static_cast<void const*>(sent.data()), static_cast<void*>(received.data()));
  } else {
    policy.replace(*e, static_cast<void*>(sent.data()));
    received.swap(sent);
  }
  against.attempt(unreadable, [&] {
    ready();
    for (std::size_t b = 0; b < written.size(); ++b) {
      if (pattern.rounds[b].received.elements == 0) continue;
      typename Element::reader one(received.data() + b * length, length);
      read(b, one);
    }
  });
  comm::agree(c, against);
}

/// Of a route's pattern the rounds in which something goes to another process or comes from one.
[[nodiscard]] message_pattern among_others(message_pattern pattern);
/// The elements of the longest message that this process sends, 1 at least.
[[nodiscard]] index_t longest_sent(message_pattern const& pattern);

/// A pattern of the same rounds whose blocks have `length` elements, or bytes, and the place of
/// their round.
[[nodiscard]] message_pattern padded(message_pattern pattern, index_t length);

}  // namespace bmmc::transport

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/transport/written_once.hpp>
#endif
