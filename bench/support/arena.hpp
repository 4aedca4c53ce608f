// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/contest.hpp"
#include "support/core_to_core.hpp"
#include "support/policies.hpp"
#include "support/regret.hpp"
#include "support/workloads.hpp"

namespace measure {

/// What a run may cost, and where its figures go.
struct limits {
  int rounds = 7;
  double seconds = 2;        // for one permutation at one size
  std::FILE* csv = nullptr;  // of process 0
  regrets* regret = nullptr;
};

/// One chunk of elements on each process, and ways to permute the whole, each checked before it is
/// timed: into another array, or in a third one in place.
template <class T>
class arena {
 public:
  enum class result { in_target, in_place };

  /// A chunk of 2^lg elements per process.
  explicit arena(unsigned lg)
      : bits_(lg + bmmc::proc_bits_of(static_cast<bmmc::index_t>(procs()))),
        source_(bmmc::bit(lg)),
        target_(source_.size()),
        both_(source_.size()),
        lent_(4 * source_.size()),  // as a permuter's own would be, at a line's beginning
        shared_source_(MPI_COMM_WORLD, source_.size()),
        shared_target_(MPI_COMM_WORLD, source_.size()) {}

  [[nodiscard]] unsigned bits() const noexcept { return bits_; }
  [[nodiscard]] std::size_t elements() const noexcept { return source_.size(); }
  [[nodiscard]] T* source() noexcept { return source_.data(); }
  [[nodiscard]] T* target() noexcept { return target_.data(); }
  [[nodiscard]] T* both() noexcept { return both_.data(); }

  /// A new permutation; what was added for the last one is forgotten.
  void start(workload::named_permutation const& w) {
    work_ = w;
    policies_.clear();
    contest_ = contest(reinterpret_cast<std::byte*>(target()),
                       reinterpret_cast<std::byte const*>(source()), source_.size() * sizeof(T));
  }

  /// Adds a way to do it, if its result is right.
  void add(std::string const& name, std::function<void()> work, result where) {
    fill();
    work();
    if (is_right(where == result::in_place ? both_ : target_))
      contest_.add(name, std::move(work));
    else if (rank() == 0)
      std::fprintf(stderr, "WRONG: %s of %s\n", name.c_str(), work_.name.c_str());
  }
  /// The same unchecked: work that is no permutation of these elements, for comparison.
  void add_unchecked(std::string const& name, std::function<void()> work) {
    contest_.add(name, std::move(work));
  }

  /// Both calls of a permuter with each policy, or only with automatic. Permuters use one workspace
  /// in turn.
  void add_policies(bool only_automatic = false) {
    workload::for_each_policy([&]<class Comm>(Comm const& policy, std::string const& name) {
      if (only_automatic && !std::same_as<Comm, bmmc::comm::automatic>) return;
      using permuter = bmmc::permuter<T, Comm>;
      const auto permute =
          std::make_shared<permuter>(MPI_COMM_WORLD, work_.map, bmmc::layout::processor_major{},
                                     policy, bmmc::permuter_options<T>{.lent = lent_.elements()});
      if constexpr (std::same_as<Comm, bmmc::comm::automatic>) {  // tries its ways first
        const auto tries = [&](char const* kind) {
          return permute->choice().find(kind + std::string(": will be tried")) != std::string::npos;
        };
        while (tries("in place")) (*permute)(both_);
        while (tries("from source to target")) (*permute)(source_, target_);
        choice_ = permute->choice();
      }
      policies_.push_back(name);
      add(
          name + " in place", [=, this] { (*permute)(both_); }, result::in_place);
      add(
          name, [=, this] { (*permute)(source_, target_); }, result::in_target);
    });
  }
  /// The two local passes of the plan, each by all processes at once: what a permutation takes by
  /// itself, without any exchange.
  void add_passes() {
    const auto made = plan();
    const auto proc = static_cast<bmmc::index_t>(rank());
    for (auto const& [name, p] :
         {std::pair(gather_pass, made.gather(proc)), std::pair(scatter_pass, made.scatter(proc))})
      contest_.add(
          name, [this, pass = bmmc::local::pass<T>(p)] { pass(source_.data(), target_.data()); });
  }
  /// Calls of permute(), which keep what they need from one to the next, and a reduction of as many
  /// words as they agree by.
  void add_calls() {
    add_unchecked(agreement, [words = std::array<std::uint64_t, 1 + 2 * bmmc::comm::most_facts>{},
                              c = apart_.handle()]() mutable {
      MPI_Allreduce(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), MPI_UINT64_T,
                    MPI_MIN, c);
    });
    for (int call = 0; call < 24; ++call) {  // the ways are tried before, as a permuter's are
      bmmc::permute<T>(MPI_COMM_WORLD, both_, work_.map);
      bmmc::permute<T>(MPI_COMM_WORLD, source_, target_, work_.map);
    }
    add(
        "permute() in place", [this] { bmmc::permute<T>(MPI_COMM_WORLD, both_, work_.map); },
        result::in_place);
    add(
        "permute()", [this] { bmmc::permute<T>(MPI_COMM_WORLD, source_, target_, work_.map); },
        result::in_target);
  }
  /// Calls that never come again: another complement each time, so that what calls leave is at most
  /// memory, which sixteen before them have left on a communicator; and none of that either.
  void add_single_calls() {
    for (const bool is_cold : {false, true}) {
      const MPI_Comm c = is_cold ? apart_.handle() : warm_.handle();
      auto next = [this, is_cold, c, call = bmmc::index_t{0}]() mutable {
        if (is_cold) bmmc::forget_calls(c);
        const bmmc::index_t flipped = work_.map.complement() ^ call++ % bmmc::bit(bits_);
        return bmmc::permutation<>(work_.map.matrix(), flipped);
      };
      bmmc::forget_calls(c);
      auto before = next;
      for (int k = 0; !is_cold && k < 8; ++k) {
        bmmc::permute<T>(c, both_, before());
        bmmc::permute<T>(c, source_, target_, before());
      }
      const std::string name = is_cold ? "the first permute()" : "another permute()";
      add(
          name + " in place", [=, this]() mutable { bmmc::permute<T>(c, both_, next()); },
          result::in_place);
      add(
          name, [=, this]() mutable { bmmc::permute<T>(c, source_, target_, next()); },
          result::in_target);
    }
  }
  /// From one shared_vector to another, and in place.
  void add_shared() {
    using permuter = bmmc::permuter<T, bmmc::comm::shared_window>;
    const auto permute = std::make_shared<permuter>(MPI_COMM_WORLD, work_.map);
    fill();
    (*permute)(shared_source_, shared_target_);
    if (is_right(shared_target_))
      contest_.add("shared_vector", [=, this] { (*permute)(shared_source_, shared_target_); });
    (*permute)(shared_source_);
    if (is_right(shared_source_))
      contest_.add("shared_vector in place", [=, this] { (*permute)(shared_source_); });
  }

  /// One pass over an array of all elements, by as many threads of process 0 as there are
  /// processes; the others sleep. Throws where that process is bound to a single core.
  void add_threads() {
    if (procs() > 1 && std::thread::hardware_concurrency() == 1)
      throw std::runtime_error(
          "threads need more than the one core that mpirun has bound each "
          "process to: mpirun --bind-to none");
    const std::size_t all = rank() == 0 ? source_.size() * static_cast<std::size_t>(procs()) : 1;
    using array = bmmc::transport::workspace<T>;
    const auto source = std::make_shared<array>(all), target = std::make_shared<array>(all);
    std::ranges::fill(source->elements(), T(1.0));
    contest_.add(threads_name, [source, target, pass = bmmc::local::pass<T>(work_.map)] {
      alone([&] { pass(source->elements().data(), target->elements().data(), threads{procs()}); });
    });
  }

  /// Collective: times all ways and prints them; beside them the messages of a plan and the bytes
  /// that must leave a process whatever the scheme.
  void finish(limits const& l) {
    fill();
    const double before = cores_.nanoseconds();
    contest_.run(l.rounds, l.seconds);
    const double after = cores_.nanoseconds();
    if (rank() == 0) print(l);
    if (rank() == 0 && after != 0)
      std::printf("  from core to core %.0f ns before, %.0f after\n", before, after);
    if (l.regret == nullptr) return;
    const auto add = [&](bool is_second) {
      if (rank() != 0) return;
      l.regret->add(label(" in place"), of_policies(" in place"), is_second);
      l.regret->add(label(" to a target"), of_policies(""), is_second);
      std::fflush(stdout);
    };
    add(false);
    if (std::max(regrets::of(of_policies(" in place")), regrets::of(of_policies(""))) <=
        regrets::small)
      return;  // the same on all processes
    if (rank() == 0) std::printf("%s", choice_.c_str());
    contest_.run(l.rounds, l.seconds);
    add(true);
  }

  [[nodiscard]] bmmc::plan plan() const {
    return bmmc::make_plan(work_.map, bmmc::layout::processor_major{},
                           static_cast<bmmc::index_t>(procs()));
  }

 private:
  void print(limits const& l) const {
    const auto made = plan();
    const double moving = static_cast<double>(bmmc::bit(bits_) - made.stays()) * sizeof(T);
    std::printf(
        "\n%s: 2^%u elements of %zu bytes, %d processes; %llu messages of %llu bytes each; "
        "%.0f bytes must leave a process\n",
        work_.name.c_str(), bits_, sizeof(T), procs(),
        static_cast<unsigned long long>(made.messages()),
        static_cast<unsigned long long>(made.message_elements() * sizeof(T)), moving / procs());
    double slower_pass = 0;
    for (auto const& w : contest_.ways()) {
      std::printf("  %-34s %11.4f ms %8.2f copies\n", w.name.c_str(), w.seconds() * 1e3, w.ratio());
      if (w.name.ends_with(" pass")) slower_pass = std::max(slower_pass, w.seconds());
      if (l.csv != nullptr)
        std::fprintf(l.csv, "%d,%zu,%s,%s,%.6g,%.4g\n", procs(), source_.size() * sizeof(T),
                     work_.name.c_str(), w.name.c_str(), w.seconds() * 1e3, w.ratio());
    }
    for (auto const& w : contest_.ways())
      if (slower_pass > 0 && w.name.starts_with("automatic"))
        std::printf("  %s: %.2f times the slower of its two passes\n", w.name.c_str(),
                    w.seconds() / slower_pass);
    if (const double pass = seconds_of(threads_name); pass > 0)
      for (char const* const name : {"shared_vector", "shared_vector in place"})
        std::printf("  %s: %.2f times %s\n", name, seconds_of(name) / pass, threads_name);
    for (std::string const end : {" in place", ""})
      if (const double more = seconds_of("permute()" + end); more > 0)
        std::printf("  permute()%s: %.2f microseconds more than automatic and an agreement\n",
                    end.c_str(),
                    1e6 * (more - seconds_of("automatic" + end) - seconds_of(agreement)));
    std::fflush(stdout);
    if (l.csv != nullptr) std::fflush(l.csv);
  }
  /// Zero where there is no such way.
  [[nodiscard]] double seconds_of(std::string const& name) const {
    for (auto const& w : contest_.ways())
      if (w.name == name) return w.seconds();
    return 0;
  }

  [[nodiscard]] std::string label(char const* end) const {
    return work_.name + ", " + std::to_string(source_.size() * sizeof(T)) + " bytes" + end;
  }
  [[nodiscard]] bmmc::index_t first() const {
    return static_cast<bmmc::index_t>(rank()) * source_.size();
  }
  /// The policies, whose ways have names that end so.
  [[nodiscard]] std::vector<timed_policy> of_policies(char const* end) const {
    std::vector<timed_policy> times;
    for (std::string const& name : policies_)
      for (auto const& w : contest_.ways())
        if (w.name == name + end) times.emplace_back(name, w.times);
    return times;
  }
  void fill() {
    for (std::size_t i = 0; i < source_.size(); ++i)
      source_[i] = both_[i] = shared_source_[i] = T(static_cast<double>(first() + i));
    std::fill(target_.begin(), target_.end(), T(-1.0));
  }
  /// On all processes, for 2^16 elements of each at most.
  template <class Array>
  [[nodiscard]] bool is_right(Array const& found) const {
    const auto source_of = inverse(work_.map);
    int good = 1;
    const std::size_t step = found.size() > 1 << 16 ? 40503 : 1;
    for (std::size_t k = 0, i = 0; k < std::min<std::size_t>(found.size(), 1 << 16); ++k) {
      good &= found[i] == T(static_cast<double>(source_of(first() + i))) ? 1 : 0;
      i = (i + step) % found.size();
    }
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return good != 0;
  }

  /// Threads that share out the parts of a pass.
  struct threads {
    int count;
    template <class Work>
    void operator()(bmmc::index_t parts, Work work) const {
      const auto all = static_cast<bmmc::index_t>(count);
      std::vector<std::jthread> others;
      for (bmmc::index_t k = 1; k < all; ++k)
        others.emplace_back([=] { work(parts * k / all, parts * (k + 1) / all); });
      work(bmmc::index_t{0}, parts / all);
    }
  };
  /// Collective: process 0 works, and the others leave it their cores.
  template <class Work>
  static void alone(Work work) {
    if (rank() == 0) work();
    MPI_Request all_done = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &all_done);
    for (int is_done = 0; is_done == 0; MPI_Test(&all_done, &is_done, MPI_STATUS_IGNORE))
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

  /// A communicator of its own, for calls that are to find nothing that others have left elsewhere.
  class duplicate {
   public:
    duplicate() { MPI_Comm_dup(MPI_COMM_WORLD, &handle_); }
    duplicate(duplicate const&) = delete;
    duplicate& operator=(duplicate const&) = delete;
    ~duplicate() { MPI_Comm_free(&handle_); }
    [[nodiscard]] MPI_Comm handle() const noexcept { return handle_; }

   private:
    MPI_Comm handle_ = MPI_COMM_NULL;
  };

  static constexpr char const* threads_name = "a pass by as many threads";
  static constexpr char const* agreement = "MPI_Allreduce of an agreement";
  static constexpr char const *gather_pass = "the gather pass", *scatter_pass = "the scatter pass";

  unsigned bits_;
  duplicate apart_, warm_;
  std::vector<T> source_, target_, both_;
  bmmc::transport::workspace<T> lent_;
  bmmc::shared_vector<T> shared_source_, shared_target_;
  std::vector<std::string> policies_;
  std::string choice_;  // of automatic
  workload::named_permutation work_;
  contest contest_{nullptr, nullptr, 0};
  core_to_core cores_;
};

}  // namespace measure
