// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <bmmc/c/errors.hpp>
#include <bmmc/gf2/exchange.hpp>
#include <bmmc/local/permute.hpp>

namespace bmmc::detail::c {

/// An element that C knows by its size alone. It may lie at any address.
template <std::size_t Bytes>
struct element {
  std::byte bytes[Bytes];
};

/// How elements of any size are moved: each as 2^lg_units units of 1, 2, 4, 8 or 16 bytes, for
/// which kernels are compiled.
struct units {
  std::size_t unit = 1;
  unsigned lg_units = 0;
};

/// Calls f with an element type of that many bytes: 1, 2, 4, 8 or 16.
template <class F>
auto with_unit(std::size_t bytes, F f) {
  switch (bytes) {
    case 1:
      return f(element<1>{});
    case 2:
      return f(element<2>{});
    case 4:
      return f(element<4>{});
    case 8:
      return f(element<8>{});
    default:
      return f(element<16>{});
  }
}

inline void require_element(std::size_t bytes) {
  if (bytes == 0 || bytes > bit(40)) refuse({"elements have 1 to 2^40 bytes, not ", bytes});
}
/// Of a size that is a power of two.
[[nodiscard]] inline units units_of(std::size_t bytes) {
  const auto lg = lowest_one(bytes);
  return {std::size_t{1} << std::min(lg, 4U), lg > 4 ? lg - 4 : 0};
}

/// What an operation does, after all has been checked: arrays are this process's, as units.
class mover {
 public:
  mover() = default;
  mover(mover const&) = delete;
  mover& operator=(mover const&) = delete;
  virtual ~mover() = default;

  /// Collective, once, before anything else.
  virtual void open(MPI_Comm comm) = 0;
  virtual void move(void const* source, void* target) = 0;
  virtual void in_place(void*) { refuse(); }
  virtual void start(void const*, void*) { refuse(); }
  virtual void start_in_place(void*) { refuse(); }
  [[nodiscard]] virtual bool test() { return true; }
  virtual void wait() {}
  /// Whether start() does all that move() does, so that nothing is ever under way.
  [[nodiscard]] virtual bool is_local() const noexcept { return false; }
  [[nodiscard]] virtual std::string explain() const = 0;
  /// Elements of this process before and after, as soon as it is open.
  [[nodiscard]] virtual std::pair<index_t, index_t> elements() const = 0;
  /// Addresses are multiples of it.
  [[nodiscard]] virtual std::size_t alignment() const noexcept { return 1; }

 protected:
  [[noreturn]] static void refuse() {
    throw bad_value("this operation goes from a source to a target, in one step");
  }
};

/// What a bmmc_operation stands for: checks of a call, and what carries it out.
class operation : public object {
 public:
  static constexpr char name[] = "an operation";
  explicit operation(std::size_t element_bytes) : object(name), bytes_(element_bytes) {
    require_element(element_bytes);
  }

  void set(std::unique_ptr<mover> m) { mover_ = std::move(m); }
  void open(MPI_Comm comm) {
    mover_->open(comm);
    std::tie(source_, target_) = mover_->elements();
    is_open_ = true;
  }

  [[nodiscard]] std::size_t element_bytes() const noexcept { return bytes_; }
  [[nodiscard]] index_t source_elements() const noexcept { return source_; }
  [[nodiscard]] index_t target_elements() const noexcept { return target_; }

  /// Throws bad_value for an array that does not fit a call in place.
  void require_in_place(void const* data, index_t elements, index_t needed) const {
    if (elements != needed) refuse({"the array must hold ", needed, " elements, not ", elements});
    require_array(data, needed, "data");
  }
  void in_place(void* data, index_t elements, bool waits) {
    const one_caller caller(*this);
    require_in_place(data, elements, std::max(source_, target_));
    waits ? mover_->in_place(data) : mover_->start_in_place(data);
  }
  void between(void const* source, index_t before, void* target, index_t after, bool waits) {
    const one_caller caller(*this);
    if (before != source_ || after != target_)
      refuse({"source and target must hold ", source_, " and ", target_, " elements, not ", before,
              " and ", after});
    require_array(source, before, "source");
    require_array(target, after, "target");
    using bytes = std::byte const;
    if (local::overlap<std::byte>({static_cast<bytes*>(source), before * bytes_},
                                  {static_cast<bytes*>(target), after * bytes_}))
      throw bad_value("source and target overlap");
    waits ? mover_->move(source, target) : mover_->start(source, target);
  }
  [[nodiscard]] bool test() {
    const one_caller caller(*this);
    return mover_->test();
  }
  void wait() {
    const one_caller caller(*this);
    mover_->wait();
  }
  [[nodiscard]] std::string explain() const { return mover_->explain(); }

 private:
  /// While it lives no other thread calls: it would share the workspace.
  class one_caller {
   public:
    explicit one_caller(operation& o) : busy_(o.busy_) {
      if (!o.is_open_) throw bad_value("this operation is not made yet");
      if (busy_.exchange(true, std::memory_order_acquire))
        throw bad_value("another thread is calling this operation: make one for each thread");
    }
    one_caller(one_caller const&) = delete;
    one_caller& operator=(one_caller const&) = delete;
    ~one_caller() { busy_.store(false, std::memory_order_release); }

   private:
    std::atomic<bool>& busy_;
  };

  void require_array(void const* data, index_t elements, char const* which) const {
    if (elements == 0) return;
    require_pointer(data, which);
    if (reinterpret_cast<std::uintptr_t>(data) % mover_->alignment() != 0)
      refuse({"`", which, "` is no multiple of ", mover_->alignment(), " bytes"});
  }

  std::size_t bytes_;
  index_t source_ = 0, target_ = 0;
  std::unique_ptr<mover> mover_;
  std::atomic<bool> busy_ = false;
  bool is_open_ = false;
};

/// Elements of a size that is no power of two: copied to larger ones, moved, and copied back.
class padded final : public mover {
 public:
  /// `before` and `after` are the most elements of this process; with a mover in place they are
  /// equal, and share one buffer.
  padded(std::unique_ptr<mover> inner, std::size_t bytes, index_t before, index_t after,
         bool is_in_place)
      : inner_(std::move(inner)),
        bytes_(bytes),
        padded_(std::bit_ceil(bytes)),
        source_(before * padded_),
        target_(is_in_place ? 0 : after * padded_) {}

  void open(MPI_Comm comm) override { inner_->open(comm); }
  void in_place(void* data) override { move(data, data); }
  void move(void const* source, void* target) override {
    pad(source);
    if (target_.empty())
      inner_->in_place(source_.data());
    else
      inner_->move(source_.data(), target_.data());
    unpad(target);
  }
  void start_in_place(void* data) override { start(data, data); }
  void start(void const* source, void* target) override {
    if (inner_->is_local()) return move(source, target);
    if (under_way_ != nullptr) throw bad_value("a permutation is under way: wait for it first");
    pad(source);
    inner_->start_in_place(source_.data());
    under_way_ = target;
  }
  [[nodiscard]] bool test() override {
    const bool done = inner_->test();
    if (done) finish();
    return done;
  }
  void wait() override {
    inner_->wait();
    finish();
  }
  [[nodiscard]] std::string explain() const override {
    return inner_->explain() + text({"elements of ", bytes_, " bytes travel as ", padded_, "\n"});
  }
  [[nodiscard]] std::pair<index_t, index_t> elements() const override { return inner_->elements(); }

 private:
  void pad(void const* source) {
    auto const* const from = static_cast<std::byte const*>(source);
    for (index_t i = 0, n = elements().first; i < n; ++i)
      std::memcpy(source_.data() + i * padded_, from + i * bytes_, bytes_);
  }
  void unpad(void* target) const {
    auto const& moved = target_.empty() ? source_ : target_;
    auto* const to = static_cast<std::byte*>(target);
    for (index_t i = 0, n = elements().second; i < n; ++i)
      std::memcpy(to + i * bytes_, moved.data() + i * padded_, bytes_);
  }
  void finish() {
    if (under_way_ != nullptr) unpad(under_way_);
    under_way_ = nullptr;
  }

  std::unique_ptr<mover> inner_;
  std::size_t bytes_, padded_;
  std::vector<std::byte> source_, target_;
  void* under_way_ = nullptr;
};

}  // namespace bmmc::detail::c
