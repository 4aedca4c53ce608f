// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/error.hpp>

namespace bmmc::detail {

BMMC_ONCE std::string text(std::initializer_list<text_part> parts) {
  std::string all;
  for (text_part const& part : parts)
    if (part.word.data() != nullptr)
      all.append(part.word);
    else
      all.append(part.is_negative ? "-" : "").append(std::to_string(part.number));
  return all;
}

BMMC_ONCE std::string counted(std::uint64_t number, std::string_view thing) {
  std::string all = std::to_string(number).append(" ").append(thing);
  if (number != 1) all.append(thing.ends_with('s') ? "es" : "s");
  return all;
}

}  // namespace bmmc::detail
