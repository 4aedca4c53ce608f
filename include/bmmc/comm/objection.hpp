// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <string>
#include <string_view>

#include <bmmc/error.hpp>

namespace bmmc::comm {

/// What a process has to say against a call; empty where all is well. The text has storage of its
/// own, so a process without memory can still say so. Longer texts are cut.
class objection {
 public:
  static constexpr std::size_t most = 480;

  objection() = default;
  objection(std::string_view text) { raise(text); }    // NOLINT: meant to convert
  objection(std::string const& text) { raise(text); }  // NOLINT: meant to convert
  objection(char const* text) { raise(text); }         // NOLINT: meant to convert

  [[nodiscard]] bool empty() const noexcept { return text_[0] == '\0'; }
  [[nodiscard]] std::string_view text() const noexcept { return text_.data(); }

  /// The first text stays.
  void raise(std::string_view text) noexcept {
    if (empty()) std::copy_n(text.data(), std::min(text.size(), most - 1), text_.data());
  }

  /// Continues the text as far as there is room.
  void append(std::string_view more) noexcept {
    const std::size_t used = text().size();
    std::copy_n(more.data(), std::min(more.size(), most - 1 - used), text_.data() + used);
  }

  /// Unless there is an objection, calls work(), and takes what it throws for one: without_memory
  /// is the text of a failed allocation. Where work returns a text, that is an objection, too.
  template <class F>
  void attempt(char const* without_memory, F work) noexcept {
    if (!empty()) return;
    attempt_to_call(without_memory, &work, [](void* any, objection& against) {
      F& typed = *static_cast<F*>(any);
      if constexpr (std::same_as<decltype(typed()), std::string>)
        against.raise(typed());
      else
        typed();
    });
  }

 private:
  /// Not a template: what it catches is compiled once.
  void attempt_to_call(char const* without_memory, void* work,
                       void (*call)(void*, objection&)) noexcept;

  std::array<char, most> text_{};
};

}  // namespace bmmc::comm

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/comm/objection_once.hpp>
#endif
