// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/local/pass.hpp>

namespace bmmc::local::detail {

BMMC_ONCE untyped_pass::untyped_pass(affine_map const& map, affine_map const& source_of,
                                     element_shape const& shape, tuning const& t)
    : map_(map),
      source_of_(source_of),
      tuning_(t),
      tables_(make_pass_tables(map, source_of, shape, t)) {
  set_complement(map.complement, source_of.complement);
}

BMMC_ONCE void untyped_pass::set_complement(index_t c, index_t source_c) noexcept {
  // What a source complement changes inside a row can as well be said of the target.
  const index_t inside = source_c & low_bits(tables_.source_bits_kept);
  source_of_.complement = source_c ^ inside;
  map_.complement = c ^ map_.matrix * inside;
  is_identity_ = tables_.source_bits_kept == source_of_.matrix.rows() && map_.complement == 0 &&
                 map_.matrix == identity_matrix(map_.matrix.cols());
}

}  // namespace bmmc::local::detail
