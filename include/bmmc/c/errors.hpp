// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include <bmmc/c/bmmc.h>
#include <bmmc/c/handles.hpp>
#include <bmmc/comm/call.hpp>

namespace bmmc::detail::c {

/// The text of the last error of this thread: no memory is needed to write it.
[[nodiscard]] inline std::array<char, 1024>& last_error() noexcept {
  static thread_local std::array<char, 1024> text{};
  return text;
}

/// Bytes of a text without its last character where that is cut: what is no UTF-8 other languages
/// may not show at all.
[[nodiscard]] constexpr std::size_t whole_characters(std::string_view text) noexcept {
  std::size_t last = text.size();  // where the last character begins
  while (last > 0 && (text[last - 1] & 0xC0) == 0x80) --last;
  if (last == 0) return text.size();
  const auto first_byte = static_cast<unsigned char>(text[--last]);
  const std::size_t bytes = first_byte < 0xC0   ? 1
                            : first_byte < 0xE0 ? 2
                            : first_byte < 0xF0 ? 3
                                                : 4;
  return text.size() - last < bytes ? last : text.size();
}

[[nodiscard]] inline int failed(bmmc_status status, std::string_view why) noexcept {
  auto& text = last_error();
  const std::size_t length = whole_characters(why.substr(0, text.size() - 1));
  std::memcpy(text.data(), why.data(), length);
  text[length] = '\0';
  return status;
}

/// Calls work(); a status and a text for whatever it throws.
template <class F>
[[nodiscard]] int guarded(F work) noexcept {
  try {
    work();
    return BMMC_SUCCESS;
  } catch (bad_handle const& error) {
    return failed(BMMC_BAD_HANDLE, error.what());
  } catch (bad_value const& error) {
    return failed(BMMC_BAD_VALUE, error.what());
  } catch (transport_error const& error) {
    return failed(BMMC_TRANSPORT_ERROR, error.what());
  } catch (std::bad_alloc const&) {
    return failed(BMMC_NO_MEMORY, "no memory");
  } catch (std::exception const& error) {
    return failed(BMMC_OTHER_ERROR, error.what());
  } catch (...) {
    return failed(BMMC_OTHER_ERROR, "an exception that is no std::exception");
  }
}

/// What each process does by itself before a collective call: where it fails on one, all throw. The
/// others are in an agreement of their own by then, which this process joins; all have one shape.
template <class F>
void together(MPI_Comm comm, F prepare) {
  comm::objection against;
  against.attempt("no memory", prepare);
  if (!against.empty()) comm::agree(*comm::communicator::of(comm), against);
}
/// The same, where all processes must have elements of one size as well: what follows knows only
/// units and padded elements.
template <class F>
void together(MPI_Comm comm, char const* function, std::uint64_t element_bytes, F prepare) {
  comm::objection against;
  against.attempt("no memory", prepare);
  const std::array<comm::common_fact, 2> facts{
      {detail::function_fact(function), {"bytes of an element", element_bytes}}};
  comm::agree(*comm::communicator::of(comm), against, facts);
}

/// Copies a text to C as snprintf does.
inline void copy_text(std::string_view all, char* text, size_t size, size_t* length) {
  if (length != nullptr) *length = all.size();
  if (size == 0) return;
  require_pointer(text, "text");
  const std::size_t fits = std::min(all.size(), size - 1);
  std::memcpy(text, all.data(), fits);
  text[fits] = '\0';
}

}  // namespace bmmc::detail::c
