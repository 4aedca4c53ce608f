// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/comm/surroundings.hpp>
#include <bmmc/execution/choice.hpp>
#include <bmmc/execution/trial.hpp>

namespace bmmc::detail {

/// The ways of one job among which `automatic` has not decided yet, each ready to be called; in the
/// first calls it decides for that which is the fastest, for each kind of call by itself, and gives
/// the others back. What was found out is remembered with the communicator.
template <class Runner>
class tried_ways {
 public:
  static constexpr std::size_t kinds = 2;  // of calls: see Runner::calls

  tried_ways() = default;
  /// make(candidate) makes what carries out the job in that way. Not collective. Without `memory`
  /// nothing is tried. The job is known by `key`; `bytes` of each process are moved. Of kinds of
  /// calls that it does not serve nothing is tried, kept or told.
  template <class Make>
  tried_ways(choice decided, std::shared_ptr<comm::surroundings const> memory, std::uint64_t key,
             index_t bytes, Make make, std::array<bool, kinds> const& serves = {true, true})
      : choice_(std::move(decided)), memory_(std::move(memory)), key_(key), serves_(serves) {
    // the less there is to move, the more a single call's time says about other things
    rounds_ =
        static_cast<unsigned>(std::clamp<index_t>(bit(24) / std::max<index_t>(1, bytes), 3, 6));
    const auto possible = memory_ ? choice_.rivals() : std::vector{choice_.chosen()};
    is_tried_ = possible.size() > 1;
    std::array<std::optional<unsigned>, kinds> known = {};
    for (std::size_t kind = 0; memory_ && kind < kinds; ++kind)
      if (const auto found = memory_->fastest(key_ + kind))
        for (candidate const& each : possible)
          if (each.number() == *found) known[kind] = found;
    const auto is_possible = [&](candidate const& each) {
      for (std::size_t kind = 0; kind < kinds; ++kind)
        if (serves_[kind] && (!known[kind] || *known[kind] == each.number())) return true;
      return false;
    };
    for (candidate const& each : possible)
      if (is_possible(each)) ways_.push_back({each, make(each)});
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      is_known_[kind] = known[kind].has_value();
      fastest_[kind] = ways_.front().runner.get();
      for (entry const& each : ways_)
        if (known[kind] == each.how.number()) fastest_[kind] = each.runner.get();
      if (!known[kind] && serves_[kind]) trials_[kind] = trial(ways_.size(), rounds_);
    }
  }

  /// Collective, once.
  void open() {
    for (entry& each : ways_) each.runner->open();
  }
  template <class F>
  void for_each(F f) {
    for (entry& each : ways_) f(*each.runner);
  }

  /// Collective: call(runner) is one call of the kind.
  template <class Call>
  void run(comm::communicator const& c, std::size_t kind, Call call) {
    trial& t = trials_[kind];
    if (t.is_over()) return call(*fastest_[kind]);
    t.measure(c, [&] { call(*ways_[t.next()].runner); });
    if (!t.is_over()) return;
    entry const& best = ways_[t.fastest()];
    fastest_[kind] = best.runner.get();
    memory_->remember(key_ + kind, best.how.number());
    for (std::size_t k = 0; k < ways_.size(); ++k)
      found_[kind][k] = {ways_[k].how.number(), t.seconds()[k]};
    release();
  }

  /// The one of a certain way, where it is among them; the fastest one known.
  [[nodiscard]] Runner& prefer(way name, std::size_t kind) const noexcept {
    for (entry const& each : ways_)
      if (each.how.name == name) return *each.runner;
    return *fastest_[kind];
  }

  /// What was chosen and why; nothing where this has been moved from.
  [[nodiscard]] std::string text() const {
    if (ways_.empty()) return {};
    std::string all = choice_.text();
    for (std::size_t kind = 0; kind < kinds; ++kind) all += told(kind);
    if (!no_windows_.empty()) all.append("  no windows: ").append(no_windows_).append("\n");
    return all;
  }
  void say_why_no_windows(std::string why) { no_windows_ = std::move(why); }

 private:
  struct entry {
    candidate how;
    std::unique_ptr<Runner> runner;
  };
  struct result {
    unsigned number = 0;  // of a candidate
    double seconds = 0;
  };

  /// Gives back what no kind of call needs: not the fastest of those decided, nor near enough to be
  /// the fastest of one that has not been tried. Allocates nothing.
  void release() {
    const auto is_needed = [&](entry const& each) {
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        if (!serves_[kind]) continue;
        if (trials_[kind].is_over() ? fastest_[kind] == each.runner.get()
                                    : !has_lost(each, 1 - kind))
          return true;
      }
      return false;
    };
    std::size_t kept = 0;
    for (entry& each : ways_)
      if (is_needed(each)) std::swap(ways_[kept++], each);
    if (kept == ways_.size()) return;
    while (ways_.size() > kept) ways_.pop_back();
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      if (serves_[kind] && trials_[kind].is_over()) continue;
      fastest_[kind] = ways_.front().runner.get();
      if (serves_[kind]) trials_[kind] = trial(ways_.size(), rounds_);
    }
  }
  /// By so much that it need not be tried for another kind of call.
  [[nodiscard]] bool has_lost(entry const& each, std::size_t kind) const {
    constexpr double clearly = 2;  // a pass more or less for the one or the other
    trial const& t = trials_[kind];
    if (!t.is_over()) return false;
    for (std::size_t k = 0; k < t.seconds().size(); ++k)
      if (found_[kind][k].number == each.how.number())
        return found_[kind][k].seconds > clearly * t.seconds()[t.fastest()];
    return false;
  }

  [[nodiscard]] std::string told(std::size_t kind) const {
    if (!is_tried_ || !serves_[kind]) return {};
    trial const& t = trials_[kind];
    const std::string text = detail::text({"  ", Runner::calls[kind], ": "});
    if (!t.is_over())
      return text + "will be tried in the first such calls, next " +
             choice::name(ways_[t.next()].how.number()) + "\n";
    if (t.seconds().empty()) {
      std::string name;
      for (entry const& each : ways_)
        if (each.runner.get() == fastest_[kind]) name = choice::name(each.how.number());
      return text + name + (is_known_[kind] ? ", known from another call\n" : "\n");
    }
    std::string all = text + choice::name(found_[kind][t.fastest()].number) + "; measured ms";
    if (t.calls_in_a_row() > 1)
      all += detail::text({", the fastest in rows of ", t.calls_in_a_row(), " calls"});
    all += ": ";
    for (std::size_t k = 0; k < t.seconds().size(); ++k)
      all += detail::text({k == 0 ? "" : "; ", choice::name(found_[kind][k].number), " ",
                           choice::figure(1e3 * t.seconds()[k])});
    return all + "\n";
  }

  choice choice_;
  std::string no_windows_;
  std::shared_ptr<comm::surroundings const> memory_;
  std::uint64_t key_ = 0;
  std::array<bool, kinds> serves_{true, true};
  unsigned rounds_ = 2;
  bool is_tried_ = false;    // or was, by another call
  std::vector<entry> ways_;  // that predicted to be the fastest first
  std::array<trial, kinds> trials_;
  std::array<Runner*, kinds> fastest_{};
  std::array<bool, kinds> is_known_{};
  std::array<std::array<result, trial::most_ways>, kinds> found_;
};

/// Collective: makes and opens what decide(windows) returns, which may throw; once more without
/// windows where they cannot be had, if that will do. `lacking` is said where memory is.
template <class Runner, class Decide>
void open_ways(comm::communicator const& c, tried_ways<Runner>& ways, char const* lacking,
               bool does_without_windows, Decide decide) {
  const auto attempt = [&](bool windows, std::string const& why) {
    comm::objection against;
    against.attempt(lacking, [&] {
      ways = decide(windows);
      ways.say_why_no_windows(why);
    });
    comm::agree(c, against);
    ways.open();
  };
  try {
    attempt(true, {});
  } catch (bad_value const& error) {  // on all processes
    if (!does_without_windows) throw;
    attempt(false, error.what());
  }
}

}  // namespace bmmc::detail
