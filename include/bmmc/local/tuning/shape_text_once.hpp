// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <charconv>

#include <bmmc/local/tuning/shape_text.hpp>

namespace bmmc::local {

BMMC_ONCE std::string to_text(tile_shape const& shape) {
  std::string line;
  detail::for_each_setting(shape, [&](std::string_view name, unsigned value) {
    if (!line.empty()) line += ' ';
    line.append(name) += '=' + std::to_string(value);
  });
  return line;
}

BMMC_ONCE tile_shape parse_shape(std::string_view text) {
  tile_shape shape;
  constexpr std::string_view spaces = " \t\r\n";
  while (
      (text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size())), !text.empty())) {
    const std::string_view word = text.substr(0, text.find_first_of(spaces));
    text.remove_prefix(word.size());
    const auto equals = std::min(word.find('='), word.size());
    bool is_setting = false;
    detail::for_each_setting(shape, [&](std::string_view name, auto& member) {
      if (name != word.substr(0, equals) || equals == word.size()) return;
      unsigned value = 0;
      const char* const end = word.data() + word.size();
      const auto read = std::from_chars(word.data() + equals + 1, end, value);
      using member_type = std::remove_reference_t<decltype(member)>;
      is_setting = read.ec == std::errc{} && read.ptr == end &&
                   (!std::is_same_v<member_type, bool> || value < 2);
      member = static_cast<member_type>(value);
    });
    if (!is_setting)
      throw bad_value("\"" + std::string(word) + "\" is no setting of a shape of tiles");
  }
  require_room(shape);
  return shape;
}

}  // namespace bmmc::local
