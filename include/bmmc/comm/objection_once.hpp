// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <exception>
#include <new>

#include <bmmc/comm/objection.hpp>

namespace bmmc::comm {

[[gnu::noinline]] BMMC_ONCE void objection::attempt_to_call(char const* without_memory, void* work,
                                                            void (*call)(void*,
                                                                         objection&)) noexcept {
  try {
    call(work, *this);
  } catch (std::bad_alloc const&) {
    raise(without_memory);
  } catch (std::exception const& error) {
    raise(error.what());
  } catch (...) {
    raise("an exception that is no std::exception");
  }
}

}  // namespace bmmc::comm
