// SPDX-License-Identifier: BSL-1.0
#pragma once

// Reads OpenQASM 2: registers, the gates of qelib1.inc listed below, barriers and measurements.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <numbers>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qasm {

/// What is wrong, and where: lines and columns count from 1.
class error : public std::runtime_error {
 public:
  error(std::string const& what, std::size_t line, std::size_t column)
      : std::runtime_error("line " + std::to_string(line) + ", column " + std::to_string(column) +
                           ": " + what) {}
};

enum class gate { x, cx, swap, ccx, cswap, phase, cphase, unitary, controlled };

/// One gate on qubits of all registers together, the first one declared lowest. `phase` and
/// `cphase` have an angle; `unitary` has theta, phi and lambda of u3, and so has `controlled`: that
/// gate on the second qubit where the first one is 1.
struct operation {
  gate kind;
  std::array<unsigned, 3> qubit{};
  std::array<double, 3> angle{};
};
struct program {
  unsigned qubits = 0;
  std::vector<operation> operations{};
};

inline constexpr unsigned most_qubits = 30;
inline constexpr std::size_t most_operations = 10'000'000;

/// A recursive-descent parser over the text of a file.
class parser {
 public:
  explicit parser(std::string_view text) : text_(text) { next(); }

  [[nodiscard]] program parse() {
    expect("OPENQASM");
    if (token_ != "2.0" && token_ != "2") fail("only OpenQASM 2.0 is read");
    next();
    expect(";");
    while (!at_end_) statement();
    return std::move(program_);
  }

 private:
  struct qubit_register {
    unsigned first, size;
    bool is_quantum;
  };
  struct argument {
    unsigned first, count;  // a whole register, or one qubit
  };
  /// A gate of the language: how many qubits and angles it has, and what it is here.
  struct gate_entry {
    unsigned qubits, angles;
    gate kind;
    std::array<double, 3> fixed;  // angles, where the language gives none
    bool halves = false;  // a phase of minus half the angle on the first qubit goes with it
  };
  static std::map<std::string_view, gate_entry> const& known_gates() {
    constexpr double pi = std::numbers::pi;
    static const std::map<std::string_view, gate_entry> known{
        {"id", {1, 0, gate::phase, {}}},
        {"x", {1, 0, gate::x, {}}},
        {"cx", {2, 0, gate::cx, {}}},
        {"CX", {2, 0, gate::cx, {}}},
        {"swap", {2, 0, gate::swap, {}}},
        {"ccx", {3, 0, gate::ccx, {}}},
        {"cswap", {3, 0, gate::cswap, {}}},
        {"z", {1, 0, gate::phase, {pi}}},
        {"s", {1, 0, gate::phase, {pi / 2}}},
        {"sdg", {1, 0, gate::phase, {-pi / 2}}},
        {"t", {1, 0, gate::phase, {pi / 4}}},
        {"tdg", {1, 0, gate::phase, {-pi / 4}}},
        {"u1", {1, 1, gate::phase, {}}},
        {"rz", {1, 1, gate::phase, {}}},  // as in qelib1.inc
        {"cz", {2, 0, gate::cphase, {pi}}},
        {"cu1", {2, 1, gate::cphase, {}}},
        {"crz", {2, 1, gate::cphase, {}, true}},
        {"y", {1, 0, gate::unitary, {pi, pi / 2, pi / 2}}},
        {"h", {1, 0, gate::unitary, {pi / 2, 0, pi}}},
        {"rx", {1, 1, gate::unitary, {0, -pi / 2, pi / 2}}},
        {"ry", {1, 1, gate::unitary, {}}},
        {"u2", {1, 2, gate::unitary, {pi / 2}}},
        {"u3", {1, 3, gate::unitary, {}}},
        {"U", {1, 3, gate::unitary, {}}},
        {"cy", {2, 0, gate::controlled, {pi, pi / 2, pi / 2}}},
        {"ch", {2, 0, gate::controlled, {pi / 2, 0, pi}}},
        {"cu3", {2, 3, gate::controlled, {}}},  // of the u3 above, as in Qiskit's qelib1.inc
    };
    return known;
  }

  void statement() {
    if (token_ == "include") return include();
    if (token_ == "qreg" || token_ == "creg") return declaration();
    if (token_ == "barrier") return barrier();
    if (token_ == "measure") return measurement();
    application();
  }
  void include() {
    next();
    if (token_ != "\"qelib1.inc\"") fail("only \"qelib1.inc\" is included");
    next();
    expect(";");
  }
  void declaration() {
    const bool is_quantum = token_ == "qreg";
    next();
    const std::string name = identifier();
    if (registers_.count(name) != 0) fail("there is a register " + name + " already");
    expect("[");
    const unsigned size = integer();
    if (size == 0) fail("a register has one element at least");
    expect("]");
    if (is_quantum && size > most_qubits - program_.qubits)
      fail("there are more than " + std::to_string(most_qubits) + " qubits");
    registers_.emplace(name, qubit_register{is_quantum ? program_.qubits : 0, size, is_quantum});
    if (is_quantum) program_.qubits += size;
    expect(";");
  }
  void barrier() {
    next();
    for (static_cast<void>(operand(true)); token_ == ","; static_cast<void>(operand(true))) next();
    expect(";");
  }
  /// Measurements are those at the end: they change nothing here.
  void measurement() {
    next();
    const argument from = operand(true);
    expect("->");
    const argument to = operand(false);
    if (from.count != to.count) fail("a measurement has as many qubits as bits");
    expect(";");
    is_measured_ = true;
  }

  void application() {
    const auto found = known_gates().find(token_);
    if (found == known_gates().end())
      fail(at_end_ ? "a statement is missing" : "there is no gate '" + printable(token_) + "' here");
    if (is_measured_) fail("gates after a measurement are not simulated");
    const gate_entry entry = found->second;
    next();
    operation made{entry.kind, {}, entry.fixed};
    if (entry.angles != 0) {
      expect("(");
      for (unsigned k = 0; k < entry.angles; ++k) {
        if (k != 0) expect(",");
        made.angle[entry.angles == 1 ? 0 : 3 - entry.angles + k] = finite(expression(0));
      }
      expect(")");
    } else if (token_ == "(") {
      next();
      expect(")");
    }
    std::array<argument, 3> arguments{};
    for (unsigned k = 0; k < entry.qubits; ++k) {
      if (k != 0) expect(",");
      arguments[k] = operand(true);
    }
    broadcast(made, arguments, entry);
    expect(";");
  }
  /// A gate on registers is one on each of their qubits.
  void broadcast(operation made, std::array<argument, 3> const& arguments,
                 gate_entry const& entry) {
    unsigned count = 1;
    const unsigned qubits = entry.qubits;
    for (unsigned k = 0; k < qubits; ++k) {
      if (arguments[k].count == 1) continue;
      if (count != 1 && count != arguments[k].count) fail("the registers have different sizes");
      count = arguments[k].count;
    }
    for (unsigned i = 0; i < count; ++i) {
      for (unsigned k = 0; k < qubits; ++k) {
        made.qubit[k] = arguments[k].first + (arguments[k].count == 1 ? 0 : i);
        for (unsigned other = 0; other < k; ++other)
          if (made.qubit[other] == made.qubit[k]) fail("a gate needs different qubits");
      }
      add(made);
      if (entry.halves) add({gate::phase, made.qubit, {-made.angle[0] / 2}});
    }
  }
  void add(operation const& made) {
    if (program_.operations.size() == most_operations) fail("there are too many gates");
    program_.operations.push_back(made);
  }
  argument operand(bool is_quantum) {
    const std::string name = identifier();
    const auto found = registers_.find(name);
    if (found == registers_.end() || found->second.is_quantum != is_quantum)
      fail("there is no " + std::string(is_quantum ? "quantum" : "classical") + " register " + name);
    const qubit_register r = found->second;
    if (token_ != "[") return {r.first, r.size};
    next();
    const unsigned number = integer();
    if (number >= r.size)
      fail("register " + name + " has " + std::to_string(r.size) + " elements");
    expect("]");
    return {r.first + number, 1};
  }

  // expressions: + - below * / below unary minus below ^

  static constexpr unsigned deepest = 64;

  double expression(unsigned depth) {
    double value = term(depth);
    while (token_ == "+" || token_ == "-") {
      const bool adds = token_ == "+";
      next();
      const double other = term(depth);
      value = adds ? value + other : value - other;
    }
    return value;
  }
  double term(unsigned depth) {
    double value = factor(depth);
    while (token_ == "*" || token_ == "/") {
      const bool multiplies = token_ == "*";
      next();
      const double other = factor(depth);
      value = multiplies ? value * other : value / other;
    }
    return value;
  }
  double factor(unsigned depth) {
    if (depth > deepest) fail("the expression is nested too deeply");
    if (token_ == "-" || token_ == "+") {
      const bool negates = token_ == "-";
      next();
      const double value = factor(depth + 1);
      return negates ? -value : value;
    }
    const double base = atom(depth + 1);
    if (token_ != "^") return base;
    next();
    return std::pow(base, factor(depth + 1));
  }
  double atom(unsigned depth) {
    if (token_ == "(") {
      next();
      const double value = expression(depth);
      expect(")");
      return value;
    }
    if (token_ == "pi") {
      next();
      return std::numbers::pi;
    }
    static const std::map<std::string_view, double (*)(double)> functions{
        {"sin", std::sin}, {"cos", std::cos}, {"tan", std::tan},
        {"exp", std::exp}, {"ln", std::log},  {"sqrt", std::sqrt}};
    if (const auto found = functions.find(token_); found != functions.end()) {
      next();
      expect("(");
      const double value = found->second(expression(depth));
      expect(")");
      return value;
    }
    double value = 0;
    const auto [end, code] = std::from_chars(token_.data(), token_.data() + token_.size(), value);
    if (code != std::errc{} || end != token_.data() + token_.size() || token_.empty())
      fail("a number is missing");
    next();
    return value;
  }
  double finite(double value) const {
    if (!std::isfinite(value)) fail("the angle is no finite number");
    return value;
  }

  // tokens

  unsigned integer() {
    unsigned value = 0;
    const auto [end, code] = std::from_chars(token_.data(), token_.data() + token_.size(), value);
    if (code != std::errc{} || end != token_.data() + token_.size() || token_.empty())
      fail("a whole number below 2^32 is missing");
    next();
    return value;
  }
  std::string identifier() {
    if (token_.empty() || !is_letter(token_[0])) fail("a name is missing");
    const std::string name(token_);
    next();
    return name;
  }
  void expect(std::string_view what) {
    if (token_ != what) fail("'" + std::string(what) + "' is missing");
    next();
  }
  [[noreturn]] void fail(std::string const& what) const { throw error(what, line_, column_); }

  static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static std::string printable(std::string_view text) {
    std::string shown(text.substr(0, 40));
    for (char& c : shown)
      if (c < ' ' || c > '~') c = '?';
    return shown;
  }
  [[nodiscard]] char at(std::size_t k) const { return k < text_.size() ? text_[k] : '\0'; }

  void next() {
    skip();
    const std::size_t first = at_;
    line_ = here_line_;
    column_ = first - line_start_ + 1;
    at_end_ = first == text_.size();
    if (at_end_) {
      token_ = {};
      return;
    }
    const char c = text_[first];
    if (is_letter(c)) {
      while (is_letter(at(at_)) || is_digit(at(at_))) ++at_;
    } else if (is_digit(c) || (c == '.' && is_digit(at(at_ + 1)))) {
      while (is_digit(at(at_)) || at(at_) == '.') ++at_;
      if (at(at_) == 'e' || at(at_) == 'E') {
        at_ += at(at_ + 1) == '+' || at(at_ + 1) == '-' ? 2U : 1U;
        while (is_digit(at(at_))) ++at_;
      }
    } else if (c == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n';) ++at_;
      if (at(at_) != '"') fail("the text does not end");
      ++at_;
    } else {
      at_ += c == '-' && at(at_ + 1) == '>' ? 2U : 1U;
    }
    at_ = std::min(at_, text_.size());
    token_ = text_.substr(first, at_ - first);
  }
  void skip() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++here_line_;
        line_start_ = at_ + 1;
      } else if (c == '/' && at(at_ + 1) == '/') {
        while (at(at_ + 1) != '\n' && at_ + 1 < text_.size()) ++at_;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }

  std::string_view text_, token_;
  std::size_t at_ = 0, line_start_ = 0, here_line_ = 1, line_ = 1, column_ = 1;
  bool at_end_ = false, is_measured_ = false;
  std::map<std::string, qubit_register> registers_;
  program program_;
};

/// The program of a file's text. Throws error for what cannot be read.
[[nodiscard]] inline program read(std::string_view text) { return parser(text).parse(); }

}  // namespace qasm
