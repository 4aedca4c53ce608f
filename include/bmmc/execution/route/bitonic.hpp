// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/comm/agree.hpp>
#include <bmmc/element/bytes.hpp>
#include <bmmc/layout/blocks.hpp>
#include <bmmc/transport/rounds.hpp>
#include <bmmc/transport/workspace.hpp>
#include <bmmc/transport/written.hpp>

namespace bmmc::detail {

/// Sorts elements by where they must go, in merge steps between neighbours of a hypercube.
/// The key of an element is process * L + offset of its target, L the longest block; a process with
/// a shorter block pads it with the key of the place that it lacks. So the keys of all processes
/// are 0 .. P L - 1, and the sorted block of a process is exactly what it must hold.
/// Source  Orcutt 1974, section VII, with the comparison turned: as printed it sorts downwards.
template <class T, class Element>
class bitonic_execution {
  static constexpr bool is_direct = element::Direct<Element, T>;

 public:
  bitonic_execution(comm::communicator const& c, layout::blocks const& layout)
      : comm_(c), layout_(layout), me_(static_cast<index_t>(c.rank())) {
    for (block* b : {&mine_, &theirs_, &merged_}) {
      b->keys.resize(layout.most());
      b->elements = transport::workspace<T>(layout.most());
    }
  }

  /// Throws bad_value for a target that is no index. Not collective.
  template <class F>
  void prepare(F target_of, T const* source) {
    for (index_t i = 0; i < layout_.count(me_); ++i) {
      const index_t y = target_of(i);
      if (y >= layout_.elements())
        detail::refuse({"index ", layout_.first(me_) + i, " is sent to ", y, ", but there are ",
                        layout_.elements(), " elements"});
      const placement at = layout_.place(y);
      mine_.keys[i] = at.proc * layout_.most() + at.offset;
    }
    if (layout_.count(me_) < layout_.most())
      mine_.keys.back() = me_ * layout_.most() + layout_.most() - 1;
    sort_own(source);
  }

  /// Collective. Throws bad_value on all processes, and writes nothing, where two elements have one
  /// target: that shows in the sorted keys.
  void operator()(T* target) {
    const unsigned p = log_procs();
    for (unsigned j = 0; j < p; ++j)
      for (unsigned k = j + 1; k-- > 0;) {
        const bool ascending = (me_ & bit(j + 1)) == 0, is_low = (me_ & bit(k)) == 0;
        exchange(static_cast<int>(me_ ^ bit(k)));
        against_.attempt(unmoved, [&] { merge(ascending == is_low); });
      }
    require_sorted();
    transport::move_together<T>(
        comm_, [&] { std::move(data(mine_), data(mine_) + layout_.count(me_), target); });
  }

 private:
  struct block {
    std::vector<index_t> keys;
    transport::workspace<T> elements;
  };
  [[nodiscard]] static T* data(block& b) { return b.elements.elements().data(); }
  [[nodiscard]] index_t length() const { return layout_.most(); }
  [[nodiscard]] unsigned log_procs() const { return lowest_one(layout_.procs()); }

  void sort_own(T const* source) {
    std::vector<std::pair<index_t, index_t>> order(length());
    for (index_t i = 0; i < length(); ++i) order[i] = {mine_.keys[i], i};
    std::sort(order.begin(), order.end());
    for (index_t i = 0; i < length(); ++i) {
      mine_.keys[i] = order[i].first;
      data(mine_)[i] = order[i].second < layout_.count(me_) ? source[order[i].second] : T{};
    }
  }

  void exchange(int partner) {
    const message all{static_cast<index_t>(partner), 0, length()};
    transport::trade(comm_, MPI_UINT64_T, sizeof(index_t), mine_.keys.data(), all,
                     theirs_.keys.data(), all);
    if constexpr (is_direct)
      transport::trade(comm_, element_.handle(), sizeof(T), data(mine_), all, data(theirs_), all);
    else
      exchange_written(all.proc);
  }
  void exchange_written(index_t partner) {
    std::vector<char> written, received;
    transport::write_together(comm_, [&] {
      if (!against_.empty()) throw bad_value(std::string(against_.text()));
      typename Element::writer one(written);
      for (index_t i = 0; i < length(); ++i) one(std::as_const(data(mine_)[i]));
    });
    index_t sent_bytes = written.size(), received_bytes = 0;
    transport::trade(comm_, MPI_UINT64_T, sizeof(index_t), &sent_bytes, {partner, 0, 1},
                     &received_bytes, {partner, 0, 1});
    against_.attempt("no memory for the bytes of serialized elements",
                     [&] { received.resize(received_bytes); });
    comm::agree(comm_, against_);
    transport::trade(comm_, MPI_BYTE, 1, written.data(), {partner, 0, sent_bytes}, received.data(),
                     {partner, 0, received_bytes});
    against_.attempt(transport::unreadable, [&] {
      typename Element::reader one(received.data(), received.size());
      for (index_t i = 0; i < length(); ++i) one(data(theirs_)[i]);
    });
  }

  /// Keeps the lower or the higher half of both blocks, ascending.
  void merge(bool low) {
    const index_t count = length();
    index_t a = low ? 0 : count, b = a;  // of mine and of theirs, from the end that is kept
    for (index_t i = 0; i < count; ++i) {
      const index_t to = low ? i : count - 1 - i;
      const bool take_mine =
          low ? mine_.keys[a] <= theirs_.keys[b] : mine_.keys[a - 1] >= theirs_.keys[b - 1];
      block& from = take_mine ? mine_ : theirs_;
      const index_t at = take_mine ? (low ? a++ : --a) : (low ? b++ : --b);
      merged_.keys[to] = from.keys[at];
      data(merged_)[to] = std::move(data(from)[at]);
    }
    std::swap(mine_, merged_);
  }

  void require_sorted() {
    for (index_t i = 0; i < length(); ++i)
      if (mine_.keys[i] != me_ * length() + i)
        against_.raise("the targets are no permutation: two elements have one target");
    comm::agree(comm_, against_);
  }

  comm::communicator const& comm_;
  layout::blocks layout_;
  index_t me_;
  block mine_, theirs_, merged_;
  comm::datatype element_ = datatype_of<T, Element>();
  comm::objection against_;
  static constexpr char const* unmoved = "no memory to move an element";
};

}  // namespace bmmc::detail
