// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc::mesh {

/// Unit routes that make a distance: `rows` of +-sqrt(N), `columns` of +-1.
struct unit_routes {
  std::int64_t rows = 0, columns = 0;

  [[nodiscard]] constexpr index_t length() const noexcept {
    return static_cast<index_t>((rows < 0 ? -rows : rows) + (columns < 0 ? -columns : columns));
  }
};

/// The fewest unit routes that shift by `distance` mod N = 2^n, n even: their number is the
/// paper's l(distance). There are two ways to reach the column; the rows wrap around.
/// Source  Orcutt 1974, sections II and III.
[[nodiscard]] constexpr unit_routes shortest_routes(unsigned n, std::int64_t distance) noexcept {
  const auto side = static_cast<std::int64_t>(bit(n / 2));
  const auto modulo = [side](std::int64_t k) { return (k % side + side) % side; };
  const std::int64_t column = modulo(distance), row = (distance - column) / side;
  const auto by = [&](std::int64_t columns, std::int64_t rows) {
    rows = modulo(rows);
    return unit_routes{rows > side / 2 ? rows - side : rows, columns};
  };
  const unit_routes right = by(column, row), left = by(column - side, row + 1);
  return right.length() <= left.length() ? right : left;
}

/// What a register holds: the index that the datum must go to, and the datum.
struct word {
  index_t tag = 0, value = 0;
  friend constexpr bool operator==(word const&, word const&) = default;
};

/// The registers of one processing element. Orcutt's programs call them X, TEMP, MASK1, MASK2.
struct registers {
  word x, temp;
  bool mask1 = false, mask2 = false, enabled = true;
};

/// One exchange of pairs `distance` apart with the masks that it used: element i takes from
/// i + distance where mask1[i], from i - distance where mask2[i].
struct exchange {
  index_t distance = 0;
  std::vector<bool> mask1, mask2;
};

/// A single-instruction machine of N = 2^n processing elements, n even, like ILLIAC IV: element i
/// is joined to i +- 1 and i +- sqrt(N), mod N. Programs use its instructions alone, so that R
/// (route instructions) and L (unit routes) are counted, not computed; other instructions are free.
/// Cost    a simulated unit route takes O(N).
/// Source  Orcutt 1974, section II.
class machine {
 public:
  /// Throws bad_value unless n is even, 2 to 30.
  explicit machine(unsigned n) : n_(n) {
    if (n % 2 != 0 || n < 2 || n > 30)
      throw bad_value("a square mesh has 2^n elements, n even, 2 to 30, not " + std::to_string(n));
    elements_.resize(bit(n));
  }

  [[nodiscard]] unsigned bits() const noexcept { return n_; }
  [[nodiscard]] index_t size() const noexcept { return elements_.size(); }
  [[nodiscard]] index_t routes() const noexcept { return routes_; }           // R
  [[nodiscard]] index_t unit_route_count() const noexcept { return units_; }  // L
  [[nodiscard]] double time(double a, double b) const noexcept {              // a R + b L
    return a * static_cast<double>(routes_) + b * static_cast<double>(units_);
  }
  /// The exchanges done so far.
  [[nodiscard]] std::vector<exchange> const& trace() const noexcept { return trace_; }
  [[nodiscard]] registers const& operator[](index_t i) const { return elements_[i]; }

  /// Datum i, with value i, must go to target_of(i). Counts start anew.
  template <class F>
  void load(F target_of) {
    for (index_t i = 0; i < size(); ++i)
      elements_[i] = registers{{target_of(i), i}, {}, false, false, true};
    routes_ = units_ = 0;
    trace_.clear();
  }
  /// Every datum is where its tag says.
  [[nodiscard]] bool is_done() const {
    for (index_t i = 0; i < size(); ++i)
      if (elements_[i].x.tag != i) return false;
    return true;
  }

  /// Local instruction: f(i, registers of i) on every element, enabled or not.
  template <class F>
  void everywhere(F f) {
    for (index_t i = 0; i < size(); ++i) f(i, elements_[i]);
  }
  /// The same on enabled elements.
  template <class F>
  void where_enabled(F f) {
    everywhere([&](index_t i, registers& r) {
      if (r.enabled) f(i, r);
    });
  }
  /// Sets the enable bits from each element's own index and registers.
  template <class F>
  void enable(F condition) {
    everywhere([&](index_t i, registers& r) { r.enabled = condition(i, r); });
  }
  /// Whether a local condition holds anywhere, as the control unit sees it. No route.
  template <class F>
  [[nodiscard]] bool any(F condition) const {
    for (index_t i = 0; i < size(); ++i)
      if (condition(i, elements_[i])) return true;
    return false;
  }

  /// Route instruction: register `from` of all elements shifts by `distance`, cyclically; what
  /// arrives is stored in register `to` of the enabled ones.
  template <class Register>
  void route(Register registers::*from, Register registers::*to, std::int64_t distance) {
    std::vector<Register> moving(size());
    for (index_t i = 0; i < size(); ++i) moving[i] = elements_[i].*from;
    const unit_routes units = shortest_routes(n_, distance);
    repeat(moving, units.rows, static_cast<std::int64_t>(bit(n_ / 2)));
    repeat(moving, units.columns, 1);
    where_enabled([&](index_t i, registers& r) { r.*to = moving[i]; });
    ++routes_;
  }

  /// Masked exchange with masks at hand: X(i) and X(i + distance) change places where MASK1(i) is
  /// set, which is MASK2(i + distance). Two routes.
  void exchange_masked(index_t distance) {
    const auto d = static_cast<std::int64_t>(distance);
    enable([](index_t, registers const& r) { return r.mask1; });
    route(&registers::x, &registers::temp, -d);
    enable([](index_t, registers const& r) { return r.mask2; });
    route(&registers::x, &registers::temp, d);
    enable([](index_t, registers const& r) { return r.mask1 || r.mask2; });
    where_enabled([](index_t, registers& r) { r.x = r.temp; });
    record(distance);
  }
  /// The same as Orcutt's programs have it: MASK2 is MASK1 of the partner, one more route.
  void exchange_pairs(index_t distance) {
    enable([](index_t, registers const&) { return true; });
    route(&registers::mask1, &registers::mask2, static_cast<std::int64_t>(distance));
    exchange_masked(distance);
  }

  /// Repeats recorded exchanges with their masks: two routes each.
  void replay(std::vector<exchange> const& recorded) {
    for (exchange const& step : recorded) {
      everywhere([&](index_t i, registers& r) {
        r.mask1 = step.mask1[i];
        r.mask2 = step.mask2[i];
      });
      exchange_masked(step.distance);
    }
  }

 private:
  /// `count` unit routes by `step`, or by -step where count is negative.
  template <class Register>
  void repeat(std::vector<Register>& moving, std::int64_t count, std::int64_t step) {
    std::vector<Register> arrived(size());
    const index_t by = static_cast<index_t>(count < 0 ? -step : step) & (size() - 1);
    for (index_t k = 0; k < static_cast<index_t>(count < 0 ? -count : count); ++k, ++units_) {
      for (index_t i = 0; i < size(); ++i) arrived[(i + by) & (size() - 1)] = moving[i];
      std::swap(moving, arrived);
    }
  }
  void record(index_t distance) {
    exchange done{distance, std::vector<bool>(size()), std::vector<bool>(size())};
    for (index_t i = 0; i < size(); ++i) {
      done.mask1[i] = elements_[i].mask1;
      done.mask2[i] = elements_[i].mask2;
    }
    trace_.push_back(std::move(done));
  }

  unsigned n_;
  std::vector<registers> elements_;
  index_t routes_ = 0, units_ = 0;
  std::vector<exchange> trace_;
};

}  // namespace bmmc::mesh
