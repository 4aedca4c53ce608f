// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

/// A wormhole network on a hypercube, the slow way: every flit looks for itself whether the buffer
/// before it is empty. Shares no code with the library.
namespace oracle {

class flit_network {
 public:
  using set = std::vector<unsigned>;                              // dimensions, ascending
  using rule = std::function<set(unsigned at, unsigned target)>;  // what a header may take

  struct arrival {
    std::uint64_t message, cycle;
    friend bool operator==(arrival const&, arrival const&) = default;
  };

  flit_network(unsigned n, rule permitted)
      : n_(n), nodes_(1U << n), permitted_(std::move(permitted)) {
    buffers_.resize(static_cast<std::size_t>(nodes_) * (n + 2));
    queues_.resize(nodes_);
    began_.resize(nodes_);
  }

  std::size_t send(unsigned source, unsigned target, unsigned flits) {
    if (queues_[source].empty()) began_[source] = ++clock_;
    queues_[source].push_back(messages_.size());
    messages_.push_back({source, target, source, std::vector<int>(flits, -1), {}, 0, false});
    return messages_.size() - 1;
  }

  void step() {
    arrived_.clear();
    const auto before = buffers_;  // what was free when the cycle began
    std::vector<std::size_t> headers, sources;
    for (std::size_t m = 0; m < messages_.size(); ++m)
      if (messages_[m].place[0] >= 0 && !messages_[m].home) headers.push_back(m);
    std::sort(headers.begin(), headers.end(),
              [&](auto a, auto b) { return messages_[a].came < messages_[b].came; });
    for (const auto m : headers) extend(m, before);
    for (unsigned x = 0; x < nodes_; ++x)
      if (!queues_[x].empty()) sources.push_back(x);
    std::sort(sources.begin(), sources.end(),
              [&](auto a, auto b) { return began_[a] < began_[b]; });
    for (const auto x : sources) {
      const auto c = index(static_cast<unsigned>(x), n_ + 1);
      if (before[c].owner >= 0) continue;
      claim(queues_[x].front(), c);
      queues_[x].erase(queues_[x].begin());
    }
    for (std::size_t m = 0; m < messages_.size(); ++m) move_flits(m);
    ++now_;
  }

  [[nodiscard]] std::vector<arrival> const& arrived() const { return arrived_; }
  /// The message and flit in the buffer of a channel: router, then dimension; n to the processor,
  /// n + 1 from it. -1 where there is none.
  struct buffer {
    int owner = -1, flit = -1;
    friend bool operator==(buffer const&, buffer const&) = default;
  };
  [[nodiscard]] std::vector<buffer> const& buffers() const { return buffers_; }

 private:
  struct message {
    unsigned source, target, at;
    std::vector<int> place;  // of each flit: -1 at the source, else which channel of the path
    std::vector<std::size_t> path;
    std::uint64_t came;  // when the header came to its router
    bool home;           // it has its last channel
  };

  [[nodiscard]] std::size_t index(unsigned router, unsigned dimension) const {
    return static_cast<std::size_t>(router) * (n_ + 2) + dimension;
  }
  void claim(std::size_t m, std::size_t c) {
    if (buffers_[c].owner >= 0) throw std::logic_error("a channel is taken twice");
    buffers_[c].owner = static_cast<int>(m);
    messages_[m].path.push_back(c);
    messages_[m].came = ++clock_;
  }
  void extend(std::size_t m, std::vector<buffer> const& before) {
    message& w = messages_[m];
    const set wanted = w.at == w.target ? set{n_} : permitted_(w.at, w.target);
    for (const unsigned d : wanted) {
      const auto c = index(w.at, d);
      if (before[c].owner >= 0 || buffers_[c].owner >= 0) continue;
      claim(m, c);
      if (d == n_)
        w.home = true;
      else
        w.at = w.at / (2U << d) * (2U << d) + (w.at + (1U << d)) % (2U << d);
      return;
    }
  }
  /// The header first: each flit goes on where the next buffer of the path is empty.
  void move_flits(std::size_t m) {
    message& w = messages_[m];
    for (std::size_t k = 0; k < w.place.size(); ++k) {
      int& place = w.place[k];
      const int end = static_cast<int>(w.path.size());
      if (place == end) continue;                              // consumed
      if (place < 0 && k > 0 && w.place[k - 1] < 0) continue;  // behind another at the source
      if (place + 1 == end && !(w.home && place >= 0)) continue;
      const auto next = static_cast<std::size_t>(place + 1);
      if (place + 1 < end && buffers_[w.path[next]].flit >= 0) continue;
      if (place >= 0) leave(w, k);
      ++place;
      if (place == end) continue;
      buffers_[w.path[next]].flit = static_cast<int>(k);
      if (w.home && place + 1 == end && k + 1 == w.place.size()) arrived_.push_back({m, now_ + 1});
    }
  }
  void leave(message const& w, std::size_t k) {
    buffer& from = buffers_[w.path[static_cast<std::size_t>(w.place[k])]];
    if (from.flit != static_cast<int>(k)) throw std::logic_error("a flit is not where it was");
    from.flit = -1;
    if (k + 1 == w.place.size()) from.owner = -1;
  }

  unsigned n_, nodes_;
  rule permitted_;
  std::vector<buffer> buffers_;
  std::vector<std::vector<std::size_t>> queues_;
  std::vector<std::uint64_t> began_;
  std::vector<message> messages_;
  std::vector<arrival> arrived_;
  std::uint64_t now_ = 0, clock_ = 0;
};

}  // namespace oracle
