// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <utility>
#include <vector>

#include <bmmc/index/stride_walk.hpp>
#include <bmmc/layout/blocks.hpp>

namespace bmmc {

/// Goes through offsets of a process's array, some at a time.
template <class C>
concept OffsetCursor = requires(C& c, index_t count, void (*one)(index_t)) { c.take(count, one); };

/// What one process knows of a permutation that need not be affine: how many elements go to and
/// come from each process, and at which of its offsets they lie, in an order on which sender and
/// receiver agree without a word (ascending source index, say).
template <class R>
concept Route = requires(R const& r, index_t proc, void (*two)(index_t, index_t)) {
  { r.sent(proc) } -> std::same_as<index_t>;
  { r.received(proc) } -> std::same_as<index_t>;
  { r.sending(proc) } -> OffsetCursor;    // source offsets of what goes to proc
  { r.receiving(proc) } -> OffsetCursor;  // target offsets of what comes from proc
  r.each_kept(two);                       // two(source offset, target offset) of what stays
};

/// The route of a stride permutation: no table at all.
/// Cost    O(log N) for a count or the start of a walk, O(1) for each element.
class stride_route {
 public:
  stride_route(stride_permutation const& s, layout::blocks const& layout, index_t proc)
      : stride_(s), layout_(layout), proc_(proc) {}

  [[nodiscard]] index_t sent(index_t proc) const { return hits(proc_, proc); }
  [[nodiscard]] index_t received(index_t proc) const { return hits(proc, proc_); }
  [[nodiscard]] auto sending(index_t proc) const {
    return cursor<true>{towards(proc).from(first()), first()};
  }
  [[nodiscard]] auto receiving(index_t proc) const {
    return cursor<false>{towards(proc_).from(layout_.first(proc)), 0};
  }
  template <class F>
  void each_kept(F f) const {
    towards(proc_).from(first()).take(
        sent(proc_), [&, start = first()](index_t x, index_t offset) { f(x - start, offset); });
  }

 private:
  template <bool OfSource>
  struct cursor {
    detail::stride_walk::cursor walk;
    index_t first;

    template <class F>
    void take(index_t count, F f) {
      walk.take(count, [&](index_t x, index_t offset) { f(OfSource ? x - first : offset); });
    }
  };

  [[nodiscard]] index_t first() const { return layout_.first(proc_); }
  [[nodiscard]] detail::stride_walk towards(index_t target) const {
    return {stride_, layout_.first(target), layout_.count(target)};
  }
  [[nodiscard]] index_t hits(index_t source, index_t target) const {
    return towards(target).hits(layout_.first(source), layout_.count(source));
  }

  stride_permutation stride_;
  layout::blocks layout_;
  index_t proc_;
};

/// A route in two tables of offsets, grouped by process.
/// Memory  two words for each element of the process, and two for each process.
class table_route {
 public:
  class cursor {
   public:
    explicit cursor(index_t const* next) : next_(next) {}
    template <class F>
    void take(index_t count, F f) {
      for (; count != 0; --count) f(*next_++);
    }

   private:
    index_t const* next_;
  };
  struct side {
    std::vector<index_t> offsets, starts;  // group k is offsets[starts[k] .. starts[k + 1])

    [[nodiscard]] cursor group(index_t proc) const { return cursor(offsets.data() + starts[proc]); }

    [[nodiscard]] index_t count(index_t proc) const { return starts[proc + 1] - starts[proc]; }
  };

  table_route(side sent, side received, index_t proc)
      : sent_(std::move(sent)), received_(std::move(received)), proc_(proc) {}

  [[nodiscard]] index_t sent(index_t proc) const { return sent_.count(proc); }
  [[nodiscard]] index_t received(index_t proc) const { return received_.count(proc); }
  [[nodiscard]] auto sending(index_t proc) const { return sent_.group(proc); }
  [[nodiscard]] auto receiving(index_t proc) const { return received_.group(proc); }
  template <class F>
  void each_kept(F f) const {
    const index_t from = sent_.starts[proc_], to = received_.starts[proc_];
    for (index_t k = 0; k < sent(proc_); ++k) f(sent_.offsets[from + k], received_.offsets[to + k]);
  }

 private:
  side sent_, received_;
  index_t proc_;
};

static_assert(Route<stride_route> && Route<table_route>);

}  // namespace bmmc
