// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace example {

/// Options or arguments that make no sense: exit code 2.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Refuses words that Boost.Program_options 1.74 looks for in its own messages: where an argument
/// has one, what() of its exceptions does not come back. Throws usage_error.
inline void require_plain(int argc, char const* const* argv) {
  for (int k = 1; k < argc; ++k)
    for (char const* const word :
         {"%original_token%", "%canonical_option%", "%option%", "%value%", "%prefix%"})
      if (std::string_view(argv[k]).find(word) != std::string_view::npos)
        throw usage_error(std::string("an argument cannot contain ") + word);
}

/// 64K, 16G, 4096: bytes, with the units of 1024. Throws usage_error.
[[nodiscard]] inline std::uint64_t parse_bytes(std::string const& option, std::string const& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const std::string_view units = "KMGT";
  std::size_t shift = 0;
  if (end - rest == 1 && units.find(*rest) != std::string_view::npos)
    shift = 10 * (units.find(*rest) + 1);
  if (error != std::errc{} || number == 0 || (rest != end && shift == 0) ||
      number >> (63 - shift) != 0)
    throw usage_error(option + " takes a number of bytes such as 4096, 64K or 16G, not '" + text +
                      "'");
  return number << shift;
}

}  // namespace example
