// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/comm/agree.hpp>
#include <bmmc/plan/route_tables.hpp>
#include <bmmc/transport/rounds.hpp>

namespace bmmc::detail {

/// The route of a permutation that is known only as a list of which each process has a part:
/// every process is told the offsets that will be filled by others. Collective.
/// Messages  one word per process, then one word per element that leaves; no elements yet.
/// Errors    bad_value on all processes where two elements have one target.
template <class = void>
class listed_route {
 public:
  listed_route(comm::communicator const& c, layout::blocks const& layout,
               std::span<index_t const> targets)
      : comm_(c), layout_(layout), targets_(targets), me_(static_cast<index_t>(c.rank())) {}

  /// Groups what leaves. Not collective; throws bad_value for a target that is no index.
  void prepare() {
    sent_ = grouped_by_target(layout_, me_, targets_);
    received_.offsets.resize(layout_.count(me_));
    received_.starts.assign(layout_.procs() + 1, 0);
    taken_.assign(layout_.count(me_), 0);
    for (index_t proc = 0; proc < layout_.procs(); ++proc) counts_.push_back(sent_.count(proc));
    expected_.resize(counts_.size());
    packed_.reserve(*std::max_element(counts_.begin(), counts_.end()));
  }

  [[nodiscard]] table_route finish() {
    receive_counts();
    receive_offsets();
    return {std::move(sent_), std::move(received_), me_};
  }

 private:
  void receive_counts() {
    transport::all_to_all(comm_, counts_, expected_);
    for (std::size_t k = 0; k < expected_.size(); ++k)
      received_.starts[k + 1] = received_.starts[k] + expected_[k];
    comm::objection against;
    if (const index_t all = received_.starts.back(); all != layout_.count(me_))
      against.attempt(no_permutation, [&] {
        return detail::text({all, " elements are sent to this process, which holds ",
                             layout_.count(me_), ": the list is no permutation"});
      });
    comm::agree(comm_, against);
  }

  void receive_offsets() {
    auto& packed = packed_;
    const auto pack = [&](index_t proc) {
      packed.clear();
      const auto pack_one = [&](index_t i) { packed.push_back(targets_[i] - layout_.first(proc)); };
      sent_.group(proc).take(sent_.count(proc), pack_one);
    };
    pack(me_);
    std::copy(packed.begin(), packed.end(), place(me_));
    transport::for_each_round(comm_, [&](index_t to, index_t from) {
      pack(to);
      transport::trade(comm_, MPI_UINT64_T, sizeof(index_t), packed.data(), {to, 0, packed.size()},
                       place(from), {from, 0, received_.count(from)});
    });
    comm::objection against;
    for (const index_t offset : received_.offsets)
      if (std::exchange(taken_[offset], char{1}) != 0)
        against.attempt(no_permutation, [&] {
          return detail::text(
              {"index ", layout_.first(me_) + offset, " is the target of two elements"});
        });
    comm::agree(comm_, against);
  }
  [[nodiscard]] index_t* place(index_t proc) {
    return received_.offsets.data() + received_.starts[proc];
  }

  comm::communicator const& comm_;
  layout::blocks layout_;
  std::span<index_t const> targets_;
  index_t me_;
  table_route::side sent_, received_;
  std::vector<char> taken_;
  std::vector<index_t> counts_, expected_, packed_;
  static constexpr char const* no_permutation = "the list is no permutation";
};

}  // namespace bmmc::detail
