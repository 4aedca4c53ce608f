// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <bmmc/comm/policy.hpp>
#include <bmmc/element/bytes.hpp>
#include <bmmc/execution/workspace.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc::detail {

/// One array of a set that travels together: what it was gathered into and arrives in.
class field {
 public:
  field() = default;
  field(field const&) = delete;
  field& operator=(field const&) = delete;
  virtual ~field() = default;
  virtual void gather(void const* source) = 0;
  virtual void scatter(void* target) = 0;
  [[nodiscard]] virtual std::byte* gathered() const noexcept = 0;
  [[nodiscard]] virtual std::byte* received() const noexcept = 0;
  [[nodiscard]] virtual MPI_Datatype element() const noexcept = 0;
  [[nodiscard]] virtual std::size_t element_bytes() const noexcept = 0;
};

template <class T, class Element>
class field_of final : public field {
 public:
  field_of(plan const& p, index_t proc)
      : gathered_(p.chunk_elements()),
        received_(p.chunk_elements()),
        gather_(p.gather(proc)),
        scatter_(p.scatter(proc)) {}

  void gather(void const* source) override {
    gather_(static_cast<T const*>(source), gathered_.elements().data());
  }
  void scatter(void* target) override {
    scatter_(static_cast<T const*>(received_.elements().data()), static_cast<T*>(target));
  }
  [[nodiscard]] std::byte* gathered() const noexcept override { return bytes_of(gathered_); }
  [[nodiscard]] std::byte* received() const noexcept override { return bytes_of(received_); }
  [[nodiscard]] MPI_Datatype element() const noexcept override { return element_.handle(); }
  [[nodiscard]] std::size_t element_bytes() const noexcept override { return sizeof(T); }

 private:
  [[nodiscard]] static std::byte* bytes_of(workspace<T> const& w) noexcept {
    return reinterpret_cast<std::byte*>(w.elements().data());
  }

  comm::datatype element_ = Element::template datatype<T>();
  workspace<T> gathered_, received_;
  local::pass<T> gather_, scatter_;
};

/// A permutation of several arrays that is started and waited for: one message per block for all
/// of them, by persistent requests. Between start and arrival nothing of the caller's is touched.
/// Memory  two chunks of every array.
class in_flight {
 public:
  in_flight(std::shared_ptr<comm::communicator const> c, plan const& p,
            std::vector<std::unique_ptr<field>> fields)
      : comm_(std::move(c)), plan_(p), fields_(std::move(fields)) {
    for (const bool sends : {false, true})
      for (index_t b = 0; b < plan_.messages(); ++b) prepare(b, sends);
  }
  in_flight(in_flight const&) = delete;
  in_flight& operator=(in_flight const&) = delete;
  /// Waits for what is under way; while an exception leaves the process that cannot be: what MPI
  /// may still write to is then never freed.
  ~in_flight() {
    if (comm::is_finalized()) return;
    if (is_under_way_ && std::uncaught_exceptions() > 0) {
      for (auto& f : fields_) static_cast<void>(f.release());
      return;
    }
    if (is_under_way_)
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
  }

  [[nodiscard]] bool is_under_way() const noexcept { return is_under_way_; }
  [[nodiscard]] std::size_t fields() const noexcept { return fields_.size(); }

  /// Sources are free again on return; `targets` are written by wait() or test(). One address per
  /// array.
  void start(std::span<void const* const> sources, std::span<void* const> targets) {
    for (std::size_t i = 0; i < fields_.size(); ++i) fields_[i]->gather(sources[i]);
    targets_.assign(targets.begin(), targets.end());
    if (!requests_.empty())
      comm::check(MPI_Startall(static_cast<int>(requests_.size()), requests_.data()),
                  "MPI_Startall");
    is_under_way_ = true;
    keep_block();
  }
  void wait() {
    if (!is_under_way_) return;
    comm::check(
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
        "MPI_Waitall");
    arrive();
  }
  /// Whether all is in its place, or nothing was started.
  [[nodiscard]] bool test() {
    if (!is_under_way_) return true;
    int done = 0;
    comm::check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done,
                            MPI_STATUSES_IGNORE),
                "MPI_Testall");
    if (done != 0) arrive();
    return done != 0;
  }

 private:
  /// The request for block b: one type that reaches the block in every array.
  void prepare(index_t b, bool sends) {
    const auto proc = static_cast<index_t>(comm_->rank());
    const index_t partner = sends ? plan_.target(proc, b) : plan_.source(proc, b);
    if (partner == proc) {
      kept_ = b;
      keeps_ = true;
      return;
    }
    std::vector<comm::datatype> rows;
    std::vector<MPI_Datatype> types;
    std::vector<MPI_Aint> addresses(fields_.size());
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      rows.push_back(comm::datatype::row_of(fields_[i]->element(), plan_.message_elements()));
      types.push_back(rows.back().handle());
      MPI_Get_address(block(*fields_[i], b, sends), &addresses[i]);
    }
    const comm::datatype all = comm::datatype::structure(types, addresses);
    MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
    const auto to = static_cast<int>(partner);
    if (sends)
      comm::check(MPI_Send_init(MPI_BOTTOM, 1, all.handle(), to, 0, comm_->handle(), &request),
                  "MPI_Send_init");
    else
      comm::check(MPI_Recv_init(MPI_BOTTOM, 1, all.handle(), to, 0, comm_->handle(), &request),
                  "MPI_Recv_init");
  }

  [[nodiscard]] std::byte* block(field const& f, index_t b, bool sends) const noexcept {
    return (sends ? f.gathered() : f.received()) + b * block_bytes(f);
  }
  [[nodiscard]] std::size_t block_bytes(field const& f) const noexcept {
    return plan_.message_elements() * f.element_bytes();
  }

  /// The block that stays on its process.
  void keep_block() {
    if (!keeps_) return;
    for (auto const& f : fields_)
      std::memcpy(block(*f, kept_, false), block(*f, kept_, true), block_bytes(*f));
  }
  void arrive() {
    is_under_way_ = false;
    for (std::size_t i = 0; i < fields_.size(); ++i) fields_[i]->scatter(targets_[i]);
  }

  std::shared_ptr<comm::communicator const> comm_;
  plan plan_;
  std::vector<std::unique_ptr<field>> fields_;
  std::vector<MPI_Request> requests_;
  std::vector<void*> targets_;
  index_t kept_ = 0;
  bool keeps_ = false, is_under_way_ = false;
};

}  // namespace bmmc::detail
