// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <bmmc/element/bytes.hpp>
#include <bmmc/local/pass.hpp>

namespace bmmc::detail {

/// A local pass over elements whose type only its maker knows, so that what stands around it is
/// compiled once for all types.
class any_pass {
 public:
  any_pass() = default;
  template <class T>
  explicit any_pass(local::pass<T>&& pass) : pass_(std::make_unique<typed<T>>(std::move(pass))) {}

  void operator()(void const* source, void* target) const { pass_->run(source, target); }
  /// Parts [first, last) of parts(target).
  void run(void const* source, void* target, index_t first, index_t last) const {
    pass_->run_parts(source, target, first, last);
  }
  [[nodiscard]] index_t parts(void const* target) const noexcept { return pass_->parts(target); }
  void set_complement(index_t c, index_t source_c = 0) noexcept {
    pass_->set_complement(c, source_c);
  }
  /// See local::pass.
  void write_as(index_t stream_from, bool keeps_target) noexcept {
    pass_->write_as(stream_from, keeps_target);
  }
  [[nodiscard]] bool is_identity() const noexcept { return pass_->is_identity(); }

 private:
  struct base {
    base() = default;
    base(base const&) = delete;
    base& operator=(base const&) = delete;
    virtual ~base() = default;
    virtual void run(void const* source, void* target) const = 0;
    virtual void run_parts(void const*, void*, index_t first, index_t last) const = 0;
    [[nodiscard]] virtual index_t parts(void const* target) const noexcept = 0;
    virtual void set_complement(index_t c, index_t source_c) noexcept = 0;
    virtual void write_as(index_t stream_from, bool keeps_target) noexcept = 0;
    [[nodiscard]] virtual bool is_identity() const noexcept = 0;
  };
  template <class T>
  struct typed final : base {
    explicit typed(local::pass<T>&& p) : pass(std::move(p)) {}
    [[gnu::noinline]] void run(void const* source, void* target) const override {
      pass(static_cast<T const*>(source), static_cast<T*>(target));
    }
    void run_parts(void const* source, void* target, index_t first, index_t last) const override {
      pass.run(static_cast<T const*>(source), static_cast<T*>(target), first, last);
    }
    [[nodiscard]] index_t parts(void const* target) const noexcept override {
      return pass.parts(static_cast<T const*>(target));
    }
    void set_complement(index_t c, index_t source_c) noexcept override {
      pass.set_complement(c, source_c);
    }
    void write_as(index_t stream_from, bool keeps_target) noexcept override {
      pass.write_as(stream_from, keeps_target);
    }
    [[nodiscard]] bool is_identity() const noexcept override { return pass.is_identity(); }
    local::pass<T> pass;
  };

  std::unique_ptr<base> pass_;
};

/// What plans need of an element type that travels from where it lies: its size, how MPI names it,
/// and how passes over it are made.
class element_kind {
 public:
  template <class T, class Element>
  [[nodiscard]] static element_kind of() {
    return element_kind(
        sizeof(T), std::make_shared<comm::datatype const>(Element::template datatype<T>()),
        [](affine_map const& map, local::tuning const& t) {
          return any_pass(local::pass<T>(map, t));
        },
        [](affine_map const& map, affine_map const& source_of, local::tuning const& t) {
          return any_pass(local::pass<T>(map, source_of, t));
        });
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] MPI_Datatype datatype() const noexcept { return datatype_->handle(); }
  [[nodiscard]] any_pass pass(affine_map const& map, local::tuning const& t = {}) const {
    return whole_(map, t);
  }
  [[nodiscard]] any_pass pass(permutation<> const& p, local::tuning const& t = {}) const {
    return whole_(as_map(p), t);
  }
  /// From a part of a larger array.
  [[nodiscard]] any_pass pass(affine_map const& map, affine_map const& source_of,
                              local::tuning const& t = {}) const {
    return part_(map, source_of, t);
  }

 private:
  using whole = any_pass (*)(affine_map const&, local::tuning const&);
  using part = any_pass (*)(affine_map const&, affine_map const&, local::tuning const&);
  element_kind(std::size_t bytes, std::shared_ptr<comm::datatype const> type, whole w, part p)
      : bytes_(bytes), datatype_(std::move(type)), whole_(w), part_(p) {}

  std::size_t bytes_;
  std::shared_ptr<comm::datatype const> datatype_;
  whole whole_;
  part part_;
};

}  // namespace bmmc::detail
