// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include "catch.hpp"

/// Empty where the call throws an E whose text holds every part; otherwise what happened instead.
template <class E>
std::string complaint(auto&& call, std::vector<std::string> const& parts) {
  try {
    call();
  } catch (E const& e) {
    const std::string text = e.what();
    for (auto const& part : parts)
      if (text.find(part) == std::string::npos) return "no '" + part + "' in: " + text;
    return {};
  } catch (std::exception const& e) {
    return std::string("threw something else: ") + e.what();
  }
  return "threw nothing";
}

/// CHECK that a call throws E and that its text names the figures given.
#define CHECK_COMPLAINS(E, call, ...) \
  CHECK(complaint<E>([&] { (void)(call); }, std::vector<std::string>{__VA_ARGS__}) == "")
