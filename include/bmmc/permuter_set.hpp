// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <bmmc/permuter.hpp>

namespace bmmc {

/// The element type of one array of a set.
class field_kind {
 public:
  template <class T, class Element = element::default_for<T>>
  [[nodiscard]] static field_kind of() {
    static_assert(detail::Movable<T, Element>, "fields travel from where they lie in memory");
    return field_kind(detail::element_kind::of<T, Element>(), &tag<T>,
                      detail::type_fact<detail::elements_of<T, Element>>("").value);
  }

  [[nodiscard]] detail::element_kind const& element() const noexcept { return element_; }
  [[nodiscard]] void const* type() const noexcept { return type_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return element_.bytes(); }
  /// Tells types apart, on all processes alike.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  template <class T>
  static constexpr char tag = 0;  // its address names T

 private:
  field_kind(detail::element_kind element, void const* type, std::uint64_t number)
      : element_(std::move(element)), type_(type), number_(number) {}
  detail::element_kind element_;
  void const* type_;
  std::uint64_t number_;
};

/// A chunk of any element type, as a call of a permuter_set takes it.
class field_span {
 public:
  /// Of anything that std::span takes.
  template <class R>
    requires requires(R& chunk) { std::span(chunk); }
  field_span(R&& chunk)  // NOLINT: meant to convert
      : field_span(std::span(chunk), 0) {}
  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] void const* type() const noexcept { return type_; }

 private:
  template <class T, std::size_t Extent>
  field_span(std::span<T, Extent> chunk, int)
      : data_(chunk.data()), size_(chunk.size()), type_(&field_kind::tag<T>) {
    static_assert(!std::is_const_v<T>, "a permuter_set permutes in place");
  }
  void* data_;
  std::size_t size_;
  void const* type_;
};

/// Several distributed arrays, of one type or of several, permuted by one plan in one exchange:
/// each process sends one message per block, with the blocks of all arrays in it. They are all in
/// place. Building is collective and checks that all processes agree.
/// Memory  two chunks of every array. Messages plan().messages() per process, for all arrays.
/// Errors  as permuter.
class permuter_set {
 public:
  template <Communicator C, unsigned N, Layout L = layout::processor_major>
  permuter_set(C const& communicator, permutation<N> const& p, std::vector<field_kind> kinds,
               L const& l = {})
      : permuter_set(communicator, p, [&kinds] { return std::move(kinds); }, l) {}

  /// The same with kinds that make_kinds returns. Where it throws on one process, all throw.
  template <Communicator C, unsigned N, std::invocable MakeKinds,
            Layout L = layout::processor_major>
  permuter_set(C const& communicator, permutation<N> const& p, MakeKinds make_kinds,
               L const& l = {})
      : comm_(comm::communicator::of(static_cast<MPI_Comm>(communicator))) {
    comm::objection against;
    against.attempt("no memory for two chunks of every array", [&] {
      plan_ = make_plan(p, l, static_cast<index_t>(comm_->size()));
      kinds_ = make_kinds();
      std::vector<detail::field> fields;
      for (field_kind const& kind : kinds_)
        fields.emplace_back(*plan_, static_cast<index_t>(comm_->rank()), kind.element());
      flight_ = std::make_unique<detail::in_flight>(comm_, *plan_, std::move(fields));
      sources_.resize(kinds_.size());
      targets_.resize(kinds_.size());
    });
    std::uint64_t types = 0;
    for (field_kind const& kind : kinds_) types = types * 0x100000001b3U ^ kind.number();
    const std::array<comm::common_fact, 5> facts{
        {detail::function_fact("permuter_set"),
         {"number of index bits", plan_ ? plan_->bits() : 0},
         {"permutation and layout", plan_ ? detail::fingerprint_of(*plan_) : 0, false},
         {"number of arrays", kinds_.size()},
         {"element types", types, false}}};
    const comm::exclusive_use use(*comm_);
    comm::agree(*comm_, against, facts);
  }

  /// Permutes all arrays, in the order of their kinds.
  /// Errors  bad_value, found by each process for itself as in permuter; transport_error.
  void operator()(std::vector<field_span> const& chunks) {
    start(chunks);
    wait();
  }

  /// The same in two steps: between them the caller computes, but leaves the chunks alone.
  void start(std::vector<field_span> const& chunks) {
    const comm::exclusive_use use(comm::usable(comm_, "this set"));
    const std::string text = objection_to(chunks);
    if constexpr (BMMC_ASSERTION_LEVEL >= 2) comm::agree(*comm_, text);
    if (!text.empty()) throw bad_value(text);
    for (std::size_t i = 0; i < chunks.size(); ++i) sources_[i] = targets_[i] = chunks[i].data();
    flight_->start(sources_, targets_);
  }
  void wait() {
    if (flight_) flight_->wait();
  }
  [[nodiscard]] bool test() { return !flight_ || flight_->test(); }

  [[nodiscard]] bmmc::plan const& plan() const noexcept { return *plan_; }

 private:
  [[nodiscard]] std::string objection_to(std::vector<field_span> const& chunks) const {
    if (flight_->is_under_way()) return "a permutation is under way: wait for it first";
    if (chunks.size() != kinds_.size())
      return detail::text({"the set has ", kinds_.size(), " arrays, not ", chunks.size()});
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      if (chunks[i].type() != kinds_[i].type())
        return detail::text({"array ", i, " has elements of another type"});
      if (chunks[i].size() != plan_->chunk_elements())
        return detail::text({"chunk ", i, " must hold ", plan_->chunk_elements(), " elements, not ",
                             chunks[i].size()});
      if (chunks[i].data() == nullptr) return detail::text({"chunk ", i, " is a null pointer"});
    }
    return {};
  }

  std::shared_ptr<comm::communicator const> comm_;
  std::vector<field_kind> kinds_;
  std::optional<bmmc::plan> plan_;
  std::unique_ptr<detail::in_flight> flight_;
  std::vector<void const*> sources_;
  std::vector<void*> targets_;
};

/// A set of arrays with elements of these types: make_permuter_set<double, double, int>(world, p).
template <class... Ts, Communicator C, unsigned N, Layout L = layout::processor_major>
[[nodiscard]] permuter_set make_permuter_set(C const& communicator, permutation<N> const& p,
                                             L const& l = {}) {
  return permuter_set(
      communicator, p, [] { return std::vector<field_kind>{field_kind::of<Ts>()...}; }, l);
}

}  // namespace bmmc
