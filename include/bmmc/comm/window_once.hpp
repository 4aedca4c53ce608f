// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>

#include <bmmc/comm/window.hpp>

namespace bmmc::comm {

BMMC_ONCE window::window(window&& other) noexcept { swap(other); }

BMMC_ONCE window& window::operator=(window&& other) noexcept {
  swap(other);
  return *this;
}

BMMC_ONCE void window::swap(window& other) noexcept {
  std::swap(node_, other.node_);
  std::swap(bytes_, other.bytes_);
  std::swap(array_, other.array_);
  memory_.swap(other.memory_);
}

BMMC_ONCE window window::view(std::size_t bytes) const {
  window part;
  part.node_ = node_;
  part.bytes_ = bytes;
  part.array_ = array_;
  return part;
}

BMMC_ONCE window agreed_window(communicator const& c, std::shared_ptr<node const> n,
                               std::size_t bytes, objection against) {
  window made;
  const auto parts = static_cast<std::size_t>(n->processes());
  if (bytes > ~std::size_t{0} / 2 / parts) against.raise("no shared memory of so many bytes");
  const std::size_t all = std::max<std::size_t>(1, parts * bytes);
  shared_memory::ticket ticket;
  if (n->place() == 0 && against.empty()) ticket = made.memory_.make(all, against);
  n->share(&ticket, sizeof ticket);
  if (n->place() != 0 && against.empty()) made.memory_.open(ticket, all, against);
  agree(c, against);
  made.memory_.ready();
  made.array_ = made.memory_.data();
  made.node_ = std::move(n);
  made.bytes_ = bytes;
  return made;
}

}  // namespace bmmc::comm
