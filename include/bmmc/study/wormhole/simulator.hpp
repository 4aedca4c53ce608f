// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <bmmc/error.hpp>
#include <bmmc/gf2/bit_matrix.hpp>
#include <bmmc/study/wormhole/message.hpp>
#include <bmmc/study/wormhole/routing.hpp>

namespace bmmc::wormhole {

/// A hypercube of 2^n routers, simulated flit by flit. Between neighbours there is a channel each
/// way, and one from and one to each router's processor; each has a buffer for one flit and carries
/// one flit a cycle. A message takes its channels with its header and gives each back with its last
/// flit, which frees it for the next cycle. Where headers want one channel, the one that came to
/// the router first gets it; of two that came in one cycle, the one that was ahead before, and at
/// first the one whose processor began to queue first. Where a header may choose, it takes the
/// lowest dimension that is free. A message of f flits to a target h hops away, alone, takes
/// h + 1 + f cycles.
///
/// A flit may enter a buffer that another flit leaves in the same cycle. The flits of a message
/// fill adjoining buffers, so all of them move when the header moves, and none where it waits: the
/// header's moves and the message's length are the whole state, and a cycle costs O(messages in the
/// network). Memory: O(n 2^n) and 136 bytes for each message in the network or in a queue.
/// Source  Hou et al. 2001, section 6.
template <Routing R>
class simulator {
 public:
  /// Throws bad_value unless n is 1 to 16.
  explicit simulator(unsigned n, R routing = {}) : n_(n), routing_(routing) {
    if (n < 1 || n > most_dimensions)
      throw bad_value("a simulated hypercube has 1 to " + std::to_string(most_dimensions) +
                      " dimensions, not " + std::to_string(n));
    holder_.assign(bit(n) * (n + 2), nobody);
    queues_.resize(bit(n));
  }

  [[nodiscard]] unsigned dimensions() const noexcept { return n_; }
  [[nodiscard]] cycle_t now() const noexcept { return now_; }
  /// Messages whose last flit arrived in the last cycle.
  [[nodiscard]] std::vector<delivery> const& delivered() const noexcept { return delivered_; }
  /// Messages that have not left their sources, or one source; messages in the network.
  [[nodiscard]] std::size_t queued() const noexcept { return queued_; }
  [[nodiscard]] std::size_t queued(index_t source) const { return queues_[source].size(); }
  [[nodiscard]] std::size_t travelling() const noexcept {
    return seeking_.size() + draining_.size();
  }
  [[nodiscard]] bool is_idle() const noexcept { return queued_ == 0 && travelling() == 0; }

  /// The channel that leaves router `from` by a dimension; by n to its processor, and by n + 1 the
  /// one that comes from there.
  [[nodiscard]] std::uint32_t channel(index_t from, unsigned dimension) const noexcept {
    return static_cast<std::uint32_t>(from * (n_ + 2) + dimension);
  }
  /// f(worm) for every message in the network.
  template <class F>
  void for_each_worm(F f) const {
    for (auto const* list : {&seeking_, &draining_})
      for (const std::uint32_t w : *list) f(worms_[w]);
  }

  /// Hands over a message, now; its number (0, 1, ..) is returned. Processors send their messages
  /// one by one. Throws bad_value where source or target is no processor, or flits is not 1 to
  /// 2^31.
  std::uint64_t send(index_t source, index_t target, unsigned flits) {
    if (source >= bit(n_) || target >= bit(n_) || flits == 0 || flits > bit(31))
      throw bad_value("a message of " + std::to_string(flits) + " flits from processor " +
                      std::to_string(source) + " to " + std::to_string(target) + " of " +
                      std::to_string(bit(n_)));
    if (queues_[source].empty()) sources_.push_back(source);
    queues_[source].push_back({{sent_, source, target, now_, 0}, source, flits, 0, 0, {}});
    ++queued_;
    return sent_++;
  }

  /// One cycle. Throws deadlock when messages wait for each other in a circle: at once where
  /// nothing else moves, else within 1024 cycles. Throws bad_value where the routing breaks its
  /// promise. After either the simulator is of no more use.
  void step() {
    delivered_.clear();
    freed_.clear();
    const bool drained = drain(), advanced = advance(), injected = inject();
    for (const std::uint32_t c : freed_) holder_[c] = nobody;
    ++now_;
    if (!seeking_.empty() && ((!drained && !advanced && !injected) || now_ % 1024 == 0))
      look_for_deadlock();
  }
  /// Nothing happens before cycle `until`: no message may be under way.
  void sleep(cycle_t until) {
    if (!is_idle()) throw bad_value("messages are under way");
    delivered_.clear();
    if (now_ < until) now_ = until;
  }

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  /// All flits move by one channel; the first channel that no flit is left in becomes free.
  void shift(worm& w) {
    ++w.shifts;
    if (w.shifts > w.flits) freed_.push_back(w.path[w.shifts - w.flits - 1]);
  }
  void take(std::uint32_t number, std::uint32_t c) {
    worm& w = worms_[number];
    holder_[c] = number;
    w.path[w.channels++] = c;
  }

  void deliver(worm const& w) {
    delivered_.push_back(w.about);
    delivered_.back().arrived = now_ + 1;
  }

  /// Messages whose headers have arrived: nothing can hold them up.
  bool drain() {
    std::size_t kept = 0;
    const bool any = !draining_.empty();
    for (const std::uint32_t number : draining_) {
      worm& w = worms_[number];
      shift(w);
      if (w.shifts == w.channels + w.flits - 1) deliver(w);
      if (w.shifts < w.channels + w.flits)
        draining_[kept++] = number;
      else
        unused_.push_back(number);
    }
    draining_.resize(kept);
    return any;
  }

  /// The channels that the header of w may take next, as a mask of dimensions.
  [[nodiscard]] index_t wanted(worm const& w) const {
    if (w.at == w.about.target) return bit(n_);
    const index_t mask = routing_.permitted(w.at, w.about.target);
    if (mask == 0 || (mask & ~(w.at ^ w.about.target)) != 0)
      throw bad_value("from " + std::to_string(w.at) + " to " + std::to_string(w.about.target) +
                      " a routing permits the dimensions " + std::to_string(mask) +
                      ": none, or one that leads away");
    return mask;
  }

  /// Headers take what is free: seeking_ is in the order in which they came to their routers.
  bool advance() {
    std::size_t kept = 0;
    moved_.clear();
    for (const std::uint32_t number : seeking_) {
      worm& w = worms_[number];
      index_t mask = wanted(w);
      for (; mask != 0; mask &= mask - 1)
        if (holder_[channel(w.at, bmmc::detail::lowest_one(mask))] == nobody) break;
      if (mask == 0) {
        seeking_[kept++] = number;
        continue;
      }
      const auto dimension = bmmc::detail::lowest_one(mask);
      take(number, channel(w.at, dimension));
      shift(w);
      if (dimension < n_) {
        w.at ^= bit(dimension);
        moved_.push_back(number);
      } else {
        draining_.push_back(number);
        if (w.flits == 1) deliver(w);
      }
    }
    const bool any = kept != seeking_.size();
    seeking_.resize(kept);
    seeking_.insert(seeking_.end(), moved_.begin(), moved_.end());
    return any;
  }

  /// Messages leave their sources.
  bool inject() {
    std::size_t kept = 0;
    const std::size_t before = queued_;
    for (const index_t source : sources_) {
      auto& queue = queues_[source];
      if (const std::uint32_t c = channel(source, n_ + 1); holder_[c] == nobody) {
        const std::uint32_t number = unused_worm();
        worms_[number] = queue.front();
        queue.pop_front();
        --queued_;
        take(number, c);
        shift(worms_[number]);
        seeking_.push_back(number);
      }
      if (!queue.empty()) sources_[kept++] = source;
    }
    sources_.resize(kept);
    return queued_ != before;
  }
  [[nodiscard]] std::uint32_t unused_worm() {
    if (unused_.empty()) {
      worms_.emplace_back();
      return static_cast<std::uint32_t>(worms_.size() - 1);
    }
    const std::uint32_t number = unused_.back();
    unused_.pop_back();
    return number;
  }

  /// A message can move on, now or later, where a channel that it may take is free or held by a
  /// message that can. Throws deadlock when one cannot.
  void look_for_deadlock() const {
    std::vector<bool> can(worms_.size(), true);
    for (const std::uint32_t number : seeking_) can[number] = false;
    const auto has_way = [&](worm const& w) {
      for (index_t mask = wanted(w); mask != 0; mask &= mask - 1) {
        const auto c = holder_[channel(w.at, bmmc::detail::lowest_one(mask))];
        if (c == nobody || can[c]) return true;
      }
      return false;
    };
    std::size_t stuck = seeking_.size();
    for (bool found = true; found;) {
      found = false;
      for (const std::uint32_t number : seeking_)
        if (!can[number] && has_way(worms_[number])) {
          can[number] = found = true;
          --stuck;
        }
    }
    if (stuck != 0)
      throw deadlock("deadlock: " + std::to_string(stuck) +
                     " messages wait for each other in cycle " + std::to_string(now_));
  }

  unsigned n_;
  R routing_;
  cycle_t now_ = 0;
  std::uint64_t sent_ = 0;
  std::size_t queued_ = 0;
  std::vector<std::uint32_t> holder_;     // of each channel
  std::vector<std::deque<worm>> queues_;  // of each processor
  std::vector<index_t> sources_;          // processors with a queue, as these began
  std::vector<worm> worms_;
  std::vector<std::uint32_t> unused_, seeking_, draining_, moved_, freed_;
  std::vector<delivery> delivered_;
};

}  // namespace bmmc::wormhole
