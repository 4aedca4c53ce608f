// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/transport/written.hpp>

namespace bmmc::transport {

BMMC_ONCE message_pattern among_others(message_pattern pattern) {
  pattern.rounds.front() = {};  // which stays
  std::erase_if(pattern.rounds, [](message_round const& round) {
    return round.sent.elements == 0 && round.received.elements == 0;
  });
  return pattern;
}

BMMC_ONCE index_t longest_sent(message_pattern const& pattern) {
  index_t longest = 1;
  for (message_round const& round : pattern.rounds)
    longest = std::max(longest, round.sent.elements);
  return longest;
}

BMMC_ONCE message_pattern padded(message_pattern pattern, index_t length) {
  for (std::size_t b = 0; b < pattern.rounds.size(); ++b)
    for (message* one : {&pattern.rounds[b].sent, &pattern.rounds[b].received})
      if (one->elements != 0) *one = {one->proc, b * length, length};
  return pattern;
}

}  // namespace bmmc::transport
