// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include <bmmc/gf2/short_list.hpp>
#include <bmmc/local/tuning/seconds.hpp>
#include <bmmc/local/tuning/tuning.hpp>

namespace bmmc::detail {

/// Times as seconds.
struct seconds_clock {
  using duration = double;
  [[nodiscard]] static double now() noexcept { return local::detail::now(); }
};

/// How processes of a node write what others read: into their caches, or past them to memory. In a
/// cache a line that a core near by has read soon is its writer's again; where the two share no
/// cache that takes ten times as long as writing to memory (docs/theory/exchange.md).
/// Which is faster is measured in calls that are made anyway: the best of three each way, now and
/// then again, since a system moves processes from core to core; soon where calls take longer than
/// they did. (Not the median: where a program does other work between calls, the first ones after
/// it find nothing in the caches.) Each process decides by the time of its own passes, in calls of
/// its own choice, and no message is needed.
template <class Clock = seconds_clock>
class handover {
 public:
  handover() = default;
  /// For arrays of `bytes` on each process, whole or in pieces. Large ones go to memory.
  explicit handover(index_t bytes) : is_large_(bytes >= machine_.stream_from) {}

  /// What passes are made with that write what others read, and that read what others have written.
  [[nodiscard]] local::tuning writing() const noexcept {
    return is_large_ ? machine_.past_caches() : machine_.from_memory();
  }
  [[nodiscard]] local::tuning reading() const noexcept {
    return is_large_ ? machine_.for_part_of(machine_.stream_from) : machine_.from_memory();
  }

  /// Whether this call writes past the caches.
  [[nodiscard]] bool is_past_caches() const noexcept {
    return is_large_ || (is_trying() ? tried_ < tries : is_past_);
  }
  /// Before a call, to passes made as above, or to one that writes.
  template <class Pass>
  void prepare(Pass& writes) const {
    if (!is_large_) writes.write_as(is_past_caches() ? 0 : machine_.stream_from, false);
  }
  template <class Pass>
  void prepare(Pass& writes, Pass& reads) const {
    if (is_large_) return;
    prepare(writes);
    const bool past = is_past_caches();
    reads.write_as(past ? 0 : machine_.stream_from, past);
  }
  /// To a pass made as one that writes, where it writes what this process reads itself.
  template <class Pass>
  void keep(Pass& writes) const {
    if (!is_large_) writes.write_as(machine_.stream_from, false);
  }
  /// A pass of this call, by this process alone.
  template <class Pass>
  void timed(Pass pass) {
    if (is_large_ || !is_timed()) return pass();
    const auto start = Clock::now();
    pass();
    spent_ += Clock::now() - start;
  }
  void end_call() noexcept {
    if (is_large_) return;
    const duration spent = std::exchange(spent_, {});
    if (!is_trying()) {
      is_early_ = is_timed() && is_slow_again(spent);
      left_ = is_early_ ? 0 : left_ - 1;
      return;
    }
    duration& least = least_[tried_ / tries];
    least = tried_ % tries == 0 ? spent : std::min(least, spent);
    if (++tried_ == 2 * tries) decide();
  }
  /// After a call in which this process wrote nothing that others read: its times say nothing.
  void drop_call() noexcept { spent_ = {}; }

 private:
  using duration = typename Clock::duration;
  static constexpr unsigned tries = 3;
  // The first calls touch memory for the first time: two of them where halves are used in turn.
  static constexpr unsigned untried = 2;
  // Calls from a trial to the next: more and more where the same way is the faster one again, until
  // trying costs next to nothing.
  static constexpr unsigned least_rest = 32, most_rest = 1024;
  static constexpr unsigned watched = 4;  // of so many calls between trials one is timed
  // Calls from a trial to an early one: less than most_rest, so that there is always one.
  static constexpr unsigned least_quiet = 8, most_quiet = 256;

  [[nodiscard]] bool is_trying() const noexcept { return left_ == 0; }
  [[nodiscard]] bool is_timed() const noexcept { return left_ % watched == 0; }

  /// After a timed call between trials: whether two in a row took more than half as long again as
  /// the best one, so that both ways are to be tried at once. The more often that has changed
  /// nothing, the later it is done again; each rest that ends as planned halves that time.
  [[nodiscard]] bool is_slow_again(duration spent) noexcept {
    const bool is_slow = 2 * spent > 3 * least_[is_past_ ? 0 : 1];
    slow_ = is_slow ? slow_ + 1 : 0;
    return slow_ >= 2 && left_ + quiet_ <= rest_;
  }
  void decide() noexcept {
    const bool was_past = std::exchange(is_past_, least_[0] <= least_[1]);
    if (was_past != is_past_) {
      rest_ = least_rest;
      quiet_ = least_quiet;
    } else {
      rest_ = std::min(2 * rest_, most_rest);
      quiet_ = is_early_ ? std::min(2 * quiet_, most_quiet) : std::max(quiet_ / 2, least_quiet);
    }
    left_ = rest_;
    tried_ = slow_ = 0;
  }

  local::tuning machine_;
  bool is_large_ = true, is_past_ = true;
  // Calls until both are tried; what that was after the last trial, which the first one doubles.
  unsigned left_ = untried, rest_ = least_rest / 2;
  unsigned tried_ = 0;
  unsigned slow_ = 0, quiet_ = least_quiet;
  bool is_early_ = false;
  duration spent_{};
  std::array<duration, 2> least_{};  // past the caches, and in them
};

}  // namespace bmmc::detail
