// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <tuple>

#include <bmmc/c/operation.hpp>
#include <bmmc/gather.hpp>
#include <bmmc/local/axes_pass.hpp>
#include <bmmc/local/in_place.hpp>
#include <bmmc/permuter.hpp>
#include <bmmc/reduce.hpp>
#include <bmmc/reshape/redistributor.hpp>

namespace bmmc::detail::c {

/// Where elements come from and go to, as maps from an index to process and offset.
using layouts = layout::between<layout::affine<>, layout::affine<>>;

/// A permuter, redistributor, gatherer or reducer of elements T. `units` of them are one element of
/// the caller's. Made from what its constructor takes behind the communicator.
template <class Kept, class T, class... What>
class kept_mover final : public mover {
  static constexpr bool is_in_place = requires(Kept& k, std::span<T> data) { k(data); };

 public:
  explicit kept_mover(index_t units, What... what) : units_(units), what_(std::move(what)...) {}

  void open(MPI_Comm comm) override {
    std::apply([&](What const&... what) { kept_.emplace(comm, what...); }, what_);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const auto me = static_cast<index_t>(rank);
    if constexpr (requires { kept_->plan().chunk_elements(); })
      source_ = target_ = kept_->plan().chunk_elements();
    else if constexpr (requires { kept_->plan().source_elements(); })
      source_ = kept_->plan().source_elements(), target_ = kept_->plan().target_elements();
    else
      source_ = kept_->plan().source().span(me), target_ = kept_->plan().target().span(me);
  }
  void move(void const* source, void* target) override { (*kept_)(from(source), to(target)); }
  void in_place(void* data) override {
    if constexpr (is_in_place)
      (*kept_)(all(data));
    else
      refuse();
  }
  void start(void const* source, void* target) override {
    if constexpr (is_in_place)
      kept_->start(from(source), to(target));
    else
      refuse();
  }
  void start_in_place(void* data) override {
    if constexpr (is_in_place)
      kept_->start(all(data));
    else
      refuse();
  }
  [[nodiscard]] bool test() override {
    if constexpr (is_in_place) return kept_->test();
    return true;
  }
  void wait() override {
    if constexpr (is_in_place) kept_->wait();
  }
  [[nodiscard]] std::string explain() const override { return bmmc::explain(*kept_); }
  [[nodiscard]] std::pair<index_t, index_t> elements() const override {
    return {source_ / units_, target_ / units_};
  }
  [[nodiscard]] std::size_t alignment() const noexcept override { return alignof(T); }

 private:
  [[nodiscard]] std::span<T const> from(void const* source) const noexcept {
    return {static_cast<T const*>(source), source_};
  }
  [[nodiscard]] std::span<T> to(void* target) const noexcept {
    return {static_cast<T*>(target), target_};
  }
  [[nodiscard]] std::span<T> all(void* data) const noexcept {
    return {static_cast<T*>(data), std::max(source_, target_)};
  }

  index_t units_;
  std::tuple<What...> what_;
  std::optional<Kept> kept_;
  index_t source_ = 0, target_ = 0;  // units
};

/// One process, without MPI: a permutation of index bits.
template <class T>
class local_mover final : public mover {
 public:
  local_mover(permutation<> const& p, unsigned lg_units)
      : p_(p), elements_(bit(p.bits() - lg_units)), pass_(p) {}

  void open(MPI_Comm) override {}
  void move(void const* source, void* target) override {
    pass_(static_cast<T const*>(source), static_cast<T*>(target));
  }
  void in_place(void* data) override {
    if (!in_place_) in_place_.emplace(p_);
    (*in_place_)(static_cast<T*>(data));
  }
  void start(void const* source, void* target) override { move(source, target); }
  void start_in_place(void* data) override { in_place(data); }
  [[nodiscard]] bool is_local() const noexcept override { return true; }
  [[nodiscard]] std::string explain() const override { return bmmc::explain(bmmc::plan(p_, 0)); }
  [[nodiscard]] std::pair<index_t, index_t> elements() const override {
    return {elements_, elements_};
  }

 private:
  permutation<> p_;
  index_t elements_;
  local::pass<T> pass_;
  std::optional<local::in_place_pass<T>> in_place_;  // made by the first call in place
};

/// One process, without MPI: axes of any extents.
template <class T>
class axes_mover final : public mover {
 public:
  axes_mover(extents const& shape, axis_order const& axes, index_t elements)
      : text_(detail::text({"the axes of an array of ", elements, " elements in one process\n"})),
        elements_(elements),
        pass_(shape, axes) {}

  void open(MPI_Comm) override {}
  void move(void const* source, void* target) override {
    pass_(static_cast<T const*>(source), static_cast<T*>(target));
  }
  [[nodiscard]] std::string explain() const override { return text_; }
  [[nodiscard]] std::pair<index_t, index_t> elements() const override {
    return {elements_, elements_};
  }

 private:
  std::string text_;
  index_t elements_;
  local::axes_pass<T> pass_;
};

}  // namespace bmmc::detail::c
