// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <bmmc/file/journal.hpp>
#include <bmmc/file/mover.hpp>

namespace bmmc::file {

/// Two tiles of a pass in place that are exchanged, or one that maps to itself.
struct tile_pair {
  index_t tile = 0, partner = 0;
  [[nodiscard]] bool single() const noexcept { return tile == partner; }
};

/// The pairs of a share of a pass, in their order, without tiles whose elements all stay.
[[nodiscard]] inline std::vector<tile_pair> pairs_of(tiling const& t, share mine) {
  std::vector<tile_pair> list;
  index_t number = 0;
  for (index_t tile = 0; tile < t.tiles(); ++tile) {
    const index_t partner = t.image(tile);
    if (partner < tile) continue;
    const affine_map inside = t.inside(tile);
    if (partner == tile && inside.complement == 0 &&
        inside.matrix == identity_matrix(t.tile_bits()))
      continue;
    if (number++ % mine.processes == mine.rank) list.push_back({tile, partner});
  }
  return list;
}

/// The array in a file that is permuted in place.
struct array_in_place {
  stored_file const& data;
  index_t data_offset, element_bytes;

  [[nodiscard]] index_t bytes_of(tiling const& t) const noexcept {
    return element_bytes << t.tile_bits();
  }
  [[nodiscard]] std::vector<run> runs(tiling const& t, index_t tile, unsigned char* memory) const {
    return source_runs(t, tile, element_bytes, data_offset, memory);
  }
};

namespace detail {
template <Transfer X>
void read_payload(journal const& from, record const& r, tile_buffer const& to, index_t bytes,
                  X const& transfer) {
  const run all{from.payload_offset(r.sequence), to.data(), bytes};
  transfer(direction::read, from.file(), std::span(&all, 1));
}
}  // namespace detail

/// The last pairs that a run in place had logged as a whole, in their order: one or two, or none
/// where the first log is not whole, and nothing was changed. Throws io_error for a journal that no
/// run leaves behind.
template <Transfer X>
[[nodiscard]] std::vector<record> whole_records(journal const& from,
                                                std::vector<tiling> const& passes,
                                                index_t element_bytes, X const& transfer) {
  std::vector<record> list;
  for (unsigned slot = 0; slot < 2; ++slot) {
    const auto r = from.read(slot);
    if (!r) continue;
    if (r->pass >= passes.size()) throw io_error(from.path() + ": it is damaged");
    const index_t bytes = element_bytes << passes[r->pass].tile_bits();
    const tile_buffer payload(bytes);
    detail::read_payload(from, *r, payload, bytes, transfer);
    if (checksum(payload.data(), bytes) == r->payload_sum) list.push_back(*r);
  }
  // The second pair is logged when the first log is whole, and each later one when another is.
  if (list.empty() && !from.is_blank(0)) throw io_error(from.path() + ": it is damaged");
  if (list.size() == 2 && list[0].sequence > list[1].sequence) std::swap(list[0], list[1]);
  return list;
}

/// Does again what a record tells of, from whatever state a run has left.
template <Transfer X>
void redo(record const& r, journal const& from, tiling const& t, array_in_place const& array,
          X const& transfer) {
  const index_t bytes = array.bytes_of(t);
  const tile_buffer payload(bytes), partner(bytes), image(bytes);
  detail::read_payload(from, r, payload, bytes, transfer);
  const auto move = [&](direction d, index_t tile, tile_buffer const& memory) {
    transfer(d, array.data, array.runs(t, tile, memory.data()));
    if (d == direction::write) array.data.sync();
  };
  if (r.tile == r.partner) return move(direction::write, r.tile, payload);
  const tile_mover permute(t, array.element_bytes);
  move(direction::read, r.partner, partner);
  if (checksum(partner.data(), bytes) == r.partner_sum) {  // it has not been overwritten
    permute(t.inside(r.partner), partner.data(), image.data());
    move(direction::write, r.tile, image);
  }
  permute(t.inside(r.tile), payload.data(), image.data());
  move(direction::write, r.partner, image);
}

}  // namespace bmmc::file
