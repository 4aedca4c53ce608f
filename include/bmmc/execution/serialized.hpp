// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <bmmc/comm/agree.hpp>
#include <bmmc/comm/policy.hpp>
#include <bmmc/execution/execution.hpp>
#include <bmmc/execution/workspace.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc::detail {

/// Carries out a plan on elements that must be written into bytes to travel. They are written in
/// the order that gather would give them and read into the places that scatter would: no pass of
/// its own is needed, and nothing of the caller's changes before all processes have written.
/// Memory  the written bytes of a chunk, up to three times (blocks are padded to the longest).
template <class T, class Comm, class Element>
class serialized_execution final : public execution<T> {
 public:
  [[nodiscard]] static constexpr index_t scratch(plan const& p, Comm const&,
                                                 bool in_place) noexcept {
    return p.is_local() && in_place ? p.chunk_elements() : 0;
  }

  serialized_execution(std::shared_ptr<comm::communicator const> c, plan const& p,
                       Comm const& policy, workspace<T> scratch)
      : comm_(std::move(c)), policy_(policy), scratch_(std::move(scratch)), plan_(p) {
    const auto proc = static_cast<index_t>(comm_->rank());
    ungather_ = inverse(p.gather(proc));
    scatter_ = p.scatter(proc);
    if (p.is_local()) local_ = local::pass<T>(compose(scatter_, p.gather(proc)));
  }

  void in_place(T* chunk) override {
    if (!plan_.is_local()) return transfer(chunk, chunk);
    if (local_.is_identity()) return;
    T* const scratch = scratch_.elements().data();
    local_(chunk, scratch);  // moves the elements there
    std::move(scratch, scratch + plan_.chunk_elements(), chunk);
  }

  void move(T const* source, T* target) override {
    if (plan_.is_local()) return local_(source, target);
    transfer(source, target);
  }

 private:
  using block_bytes = std::vector<char>;

  void transfer(T const* source, T* target) {
    auto written = write_blocks(source);
    index_t longest = 1;
    for (block_bytes const& block : written) longest = std::max<index_t>(longest, block.size());
    const std::size_t length = comm::padded_length(*comm_, longest);
    std::vector<char> sent = joined(written, length);
    const comm::exchange e(comm_, plan_.moves(), MPI_BYTE, 1, length);
    if constexpr (comm::PreparedPolicy<Comm>) policy_.prepare(e);
    if constexpr (comm::ReplacingPolicy<Comm>) {
      policy_.replace(e, sent.data());
      read_blocks(sent, length, target);
    } else {
      std::vector<char> received(sent.size());
      policy_.move(e, sent.data(), received.data());
      read_blocks(received, length, target);
    }
  }

  /// All processes throw where one cannot write an element.
  [[nodiscard]] std::vector<block_bytes> write_blocks(T const* source) const {
    std::vector<block_bytes> written(plan_.messages());
    std::string objection;
    try {
      for (index_t b = 0; b < plan_.messages(); ++b) {
        typename Element::writer write(written[b]);
        for (index_t j = 0; j < plan_.message_elements(); ++j)
          write(source[ungather_(b * plan_.message_elements() + j)]);
      }
    } catch (std::exception const& failure) {
      objection = std::string("an element cannot be serialized: ") + failure.what();
    }
    comm::agree(*comm_, objection);
    return written;
  }

  [[nodiscard]] static std::vector<char> joined(std::vector<block_bytes>& written,
                                                std::size_t length) {
    std::vector<char> row(written.size() * length);
    for (std::size_t b = 0; b < written.size(); ++b) {
      std::copy(written[b].begin(), written[b].end(),
                row.begin() + static_cast<std::ptrdiff_t>(b * length));
      block_bytes().swap(written[b]);
    }
    return row;
  }

  void read_blocks(std::vector<char>& received, std::size_t length, T* target) const {
    for (index_t b = 0; b < plan_.messages(); ++b) {
      typename Element::reader read(received.data() + b * length, length);
      for (index_t j = 0; j < plan_.message_elements(); ++j)
        read(target[scatter_(b * plan_.message_elements() + j)]);
    }
  }

  std::shared_ptr<comm::communicator const> comm_;
  Comm policy_;
  workspace<T> scratch_;
  plan plan_;
  permutation<> ungather_, scatter_;
  local::pass<T> local_;
};

}  // namespace bmmc::detail
