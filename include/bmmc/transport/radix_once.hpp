// SPDX-License-Identifier: BSL-1.0
#pragma once

// In rounds of some bits of a block's number each: between all at once and dimension by dimension.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/comm/pipelined.hpp>
#include <bmmc/comm/radix_exchange.hpp>
#include <bmmc/plan/radix.hpp>
#include <bmmc/transport/exchange.hpp>
#include <bmmc/transport/ring.hpp>
#include <bmmc/transport/workspace.hpp>

namespace bmmc::comm {

/// The rounds of one exchange and one process. All messages of a round are under way at a time. A
/// message of several runs is a datatype, which MPI packs, where runs are long; short runs are
/// packed here.
class radix_exchange::rounds {
 public:
  rounds(exchange const& e, unsigned bits) {
    if (!e.moves()) {  // the blocks of a map
      straight_.prepare(e);
      return;
    }
    const auto r = bmmc::detail::lowest_one(e.blocks());
    const radix_plan plan(*e.moves(), e.moves()->bits() - r, bits);
    const auto me = static_cast<index_t>(e.proc());
    bool is_packed = false;
    index_t most = 0;
    for (unsigned j = 0; j < plan.rounds(); ++j) {
      round& made = all_.emplace_back();
      made.runs = plan.runs(j);
      made.run_bytes = plan.run_blocks(j) * e.block_bytes();
      made.stride = plan.messages(j) * made.run_bytes;
      made.packs = made.runs > 1 && made.run_bytes < long_run;
      const index_t run_elements = plan.run_blocks(j) * e.block_elements();
      made.type = datatype::row_of(e.element_type(), (made.packs ? made.runs : 1) * run_elements);
      if (!made.packs && made.runs > 1)
        made.type = datatype::rows(made.type, made.runs, made.stride);
      for (index_t v = 0; v < plan.messages(j); ++v)
        made.partners.push_back(
            {static_cast<int>(plan.target(me, j, v)), static_cast<int>(plan.source(me, j, v))});
      is_packed = is_packed || made.packs;
      most = std::max<index_t>(most, made.partners.size());
    }
    requests_.resize(2 * most, MPI_REQUEST_NULL);
    statuses_.resize(2 * most);
    const std::size_t chunk = e.blocks() * e.block_bytes();
    if (all_.size() > 1) between_ = transport::workspace<std::byte>(chunk);
    if (is_packed) packed_ = transport::workspace<std::byte>(2 * chunk);
  }

  void move(exchange const& e, void const* source, void* target) {
    if (all_.empty()) return straight_.move(e, source, target);
    auto const* from = static_cast<std::byte const*>(source);
    for (std::size_t j = 0; j < all_.size(); ++j) {
      const bool is_last_or_even = (all_.size() - 1 - j) % 2 == 0;
      auto* const to =
          is_last_or_even ? static_cast<std::byte*>(target) : between_.elements().data();
      carry(e, all_[j], from, to);
      from = to;
    }
  }

 private:
  static constexpr std::size_t long_run = 4096;
  struct partner {
    int target, source;
  };
  struct round {
    index_t runs = 1;
    std::size_t run_bytes = 0, stride = 0;
    bool packs = false;
    datatype type{};
    std::vector<partner> partners{};  // of each message
  };

  void carry(exchange const& e, round const& r, std::byte const* from, std::byte* to) {
    const int me = e.proc();
    const std::size_t bytes = r.runs * r.run_bytes;
    std::byte* const out = packed_.elements().data();
    std::byte* const in = out + r.partners.size() * bytes;
    const auto begin = [&](auto* whole, auto* packed, std::size_t v) {
      return r.packs ? packed + v * bytes : whole + v * r.run_bytes;
    };
    std::fill(requests_.begin(), requests_.end(), MPI_REQUEST_NULL);
    const std::span<MPI_Request> all(requests_);
    const auto most = r.partners.size();
    const transport::given_up_on_exception guard(all.first(most), all.subspan(most, most));
    for (std::size_t v = 0; v < r.partners.size(); ++v)
      if (r.partners[v].source != me)
        started(MPI_Irecv(begin(to, in, v), 1, r.type.handle(), r.partners[v].source, 0, e.comm(),
                          &requests_[v]),
                "MPI_Irecv");
    for (std::size_t v = 0; v < r.partners.size(); ++v) {
      if (r.partners[v].target == me) continue;
      if (r.packs)
        for (index_t run = 0; run < r.runs; ++run)
          std::memcpy(out + v * bytes + run * r.run_bytes, at(from, r, v, run), r.run_bytes);
      started(MPI_Isend(begin(from, static_cast<std::byte const*>(out), v), 1, r.type.handle(),
                        r.partners[v].target, 0, e.comm(), &requests_[most + v]),
              "MPI_Isend");
    }
    for (std::size_t v = 0; v < r.partners.size(); ++v)
      if (r.partners[v].target == me)
        for (index_t run = 0; run < r.runs; ++run)
          std::memcpy(at(to, r, v, run), at(from, r, v, run), r.run_bytes);
    started(MPI_Waitall(static_cast<int>(2 * most), requests_.data(), statuses_.data()),
            "MPI_Waitall");
    for (std::size_t v = 0; v < most; ++v)
      if (r.partners[v].source != me) require_whole(e, r, statuses_[v]);
    if (!r.packs) return;
    for (std::size_t v = 0; v < r.partners.size(); ++v)
      if (r.partners[v].source != me)
        for (index_t run = 0; run < r.runs; ++run)
          std::memcpy(at(to, r, v, run), in + v * bytes + run * r.run_bytes, r.run_bytes);
  }

  template <class Byte>
  [[nodiscard]] static Byte* at(Byte* array, round const& r, std::size_t v, index_t run) {
    return array + run * r.stride + v * r.run_bytes;
  }
  static void started(int code, char const* routine) { comm::check(code, routine); }
  static void require_whole(exchange const& e, round const& r, MPI_Status const& status) {
    int received = 0;
    comm::check(MPI_Get_count(&status, r.type.handle(), &received), "MPI_Get_count");
    if (received != 1)
      throw transport_error(
          bmmc::detail::text({"MPI_Irecv received a short message (process ", e.proc(), ", from ",
                              status.MPI_SOURCE, ", ", r.runs * r.run_bytes, " bytes)"}));
  }

  pipelined straight_{};
  std::vector<round> all_;
  transport::workspace<std::byte> between_, packed_;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
};

BMMC_ONCE void radix_exchange::prepare(exchange const& e) {
  prepared = std::make_shared<rounds>(e, bits);
}
BMMC_ONCE void radix_exchange::move(exchange const& e, void const* source, void* target) {
  prepared->move(e, source, target);
}

}  // namespace bmmc::comm
