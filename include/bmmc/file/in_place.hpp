// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/file/between.hpp>

namespace bmmc::file {

namespace detail {
[[nodiscard]] inline job job_in_place(plan const& p, stored_file const& data, index_t data_offset) {
  const auto s = data.status();
  const std::string size = std::to_string(s.st_size);
  return {fingerprint(p, "in place " + std::to_string(s.st_ino) + " " + size + " " +
                             std::to_string(data_offset)),
          job_text(p, data.path() + " of " + size + " bytes, in place")};
}
}  // namespace detail

/// Whether an earlier run in place by this plan has left a journal. Throws io_error where the file
/// cannot be opened, or its run still goes on.
[[nodiscard]] inline bool can_resume_in_place(plan const& p, std::string const& path,
                                              index_t data_offset) {
  const stored_file data(regular_target(path), access::read);
  return journal::is_about(detail::journal_path(data.path(), p, 0),
                           detail::job_in_place(p, data, data_offset));
}

/// A permutation of a file in place by a plan, in steps: create (one process), open (all),
/// carry_out for every pass (all), finish (one). permute_in_place takes these steps.
///
/// Every pass is an involution f that exchanges tiles t and t' = f(t), so that
///     t is logged and synced, f(t') is written over t and synced, f(t) is written over t'.
/// At any instant both are whole in two of three places: t in the journal or not yet overwritten;
/// t' at its place, or done at the place of t. A tile that maps to itself is logged as its result.
/// The log of a pair is overwritten two pairs later, when the pair in between has been synced.
template <Transfer X>
class in_place {
 public:
  in_place(plan const& p, std::string const& path, index_t data_offset, std::string preamble,
           run_options options, X const& transfer)
      : plan_(p),
        preamble_(std::move(preamble)),
        options_(std::move(options)),
        transfer_(transfer),
        data_offset_(data_offset),
        data_(regular_target(path), access::update,
              data_offset % page_bytes == 0 && p.block_bytes() % page_bytes == 0) {
    const auto s = data_.status();
    if (static_cast<index_t>(s.st_size) < data_offset + p.bytes())
      throw io_error(path + ": its " + std::to_string(s.st_size) + " bytes do not hold " +
                     std::to_string(p.bytes()) + " behind byte " + std::to_string(data_offset));
    if (preamble_.size() > data_offset)
      throw bad_value("a preamble of " + std::to_string(preamble_.size()) +
                      " bytes does not fit before byte " + std::to_string(data_offset));
    job_ = detail::job_in_place(p, data_, data_offset);
  }

  void create() {
    if (options_.resume) return;
    for (unsigned k = 0; k < plan_.given().processes; ++k)
      journal::require_none(detail::journal_path(data_.path(), plan_, k));
    try {
      for (unsigned k = 0; k < plan_.given().processes; ++k) {
        const journal made =
            journal::create(detail::journal_path(data_.path(), plan_, k), job_, plan_.tile_bytes());
      }
    } catch (...) {
      remove_journals();
      throw;
    }
  }
  void open() {
    journal_ = journal::open(detail::journal_path(data_.path(), plan_, options_.rank), job_,
                             plan_.tile_bytes());
    recover();
  }
  void carry_out(std::size_t pass);
  void finish() {
    if (!preamble_.empty()) {
      data_.write_at(0, preamble_.data(), preamble_.size());
      data_.sync();
    }
    remove_journals();
  }

 private:
  void remove_journals() const {
    for (unsigned k = 0; k < plan_.given().processes; ++k)
      ::unlink(detail::journal_path(data_.path(), plan_, k).c_str());
  }

  /// A pair of tiles and where they are in memory.
  struct pair {
    index_t tile = 0, partner = 0;
    [[nodiscard]] bool single() const noexcept { return tile == partner; }
  };
  struct pair_memory {
    tile_buffer tile, partner;
  };

  [[nodiscard]] std::vector<run> runs_of(tiling const& t, index_t tile, unsigned char* at) const {
    return source_runs(t, tile, plan_.element_bytes(), data_offset_, at);
  }
  [[nodiscard]] std::future<void> start(direction d, tiling const& t, index_t tile,
                                        unsigned char* at) const {
    return detail::start(transfer_, d, data_, runs_of(t, tile, at));
  }
  [[nodiscard]] index_t bytes_of(tiling const& t) const noexcept {
    return plan_.element_bytes() << t.tile_bits();
  }
  /// This process's pairs of a pass, without tiles that stay as they are.
  [[nodiscard]] std::vector<pair> pairs_of(tiling const& t) const {
    std::vector<pair> mine;
    index_t number = 0;
    for (index_t tile = 0; tile < t.tiles(); ++tile) {
      const index_t partner = t.image(tile);
      if (partner < tile) continue;
      const affine_map inside = t.inside(tile);
      if (partner == tile && inside.complement == 0 &&
          inside.matrix == identity_matrix(t.tile_bits()))
        continue;
      if (number++ % plan_.given().processes == options_.rank) mine.push_back({tile, partner});
    }
    return mine;
  }
  void recover();
  void redo(record const& r);

  plan const& plan_;
  std::string preamble_;
  run_options options_;
  X const& transfer_;
  index_t data_offset_;
  stored_file data_;
  journal journal_;
  job job_;
  std::uint64_t sequence_ = 0;    // of the last pair that is done
  std::size_t pass_ = 0;          // of that pair
  index_t done_ = 0, moved_ = 0;  // pairs of that pass, bytes of all passes
};

template <Transfer X>
void in_place<X>::carry_out(std::size_t pass) {
  if (pass < pass_) return;
  if (pass > pass_) done_ = 0;
  pass_ = pass;
  tiling const& t = plan_.passes()[pass];
  const tile_mover move(t, plan_.element_bytes());
  const std::vector<pair> pairs = pairs_of(t);
  const index_t bytes = bytes_of(t), all = plan_.moves().bytes() / plan_.given().processes;
  std::vector<pair_memory> sets;
  for (unsigned k = 0; k < (plan_.buffers() == 5 ? 2 : 1); ++k)
    sets.push_back({tile_buffer(bytes), tile_buffer(bytes)});
  const tile_buffer image(bytes);
  // Started transfers end before the memory goes.
  std::future<void> reading, reading_partner, logging, writing;
  const auto read = [&](index_t k) {
    if (k >= pairs.size()) return;
    auto const& set = sets[k % sets.size()];
    reading = start(direction::read, t, pairs[k].tile, set.tile.data());
    if (!pairs[k].single())
      reading_partner = start(direction::read, t, pairs[k].partner, set.partner.data());
  };
  const auto last_write = [&] {
    if (writing.valid()) writing.get();
  };
  read(done_);
  for (index_t k = done_; k < pairs.size(); ++k) {
    auto const& set = sets[k % sets.size()];
    const pair at = pairs[k];
    reading.get();
    if (!at.single()) reading_partner.get();
    record r{++sequence_, pass, k, at.tile, at.partner, 0, 0};
    if (at.single()) {
      last_write();  // it may come from `image`
      move(t.inside(at.tile), set.tile.data(), image.data());
    }
    unsigned char* const logged = at.single() ? image.data() : set.tile.data();
    logging = detail::start(transfer_, direction::write, journal_.file(),
                            {{journal_.payload_offset(r.sequence), logged, bytes}});
    r.payload_sum = checksum(logged, bytes);
    if (!at.single()) {
      r.partner_sum = checksum(set.partner.data(), bytes);
      if (k > 0 && pairs[k - 1].single()) last_write();
      move(t.inside(at.partner), set.partner.data(), image.data());
    }
    last_write();
    if (sets.size() == 2) read(k + 1);
    logging.get();
    journal_.write(r);
    journal_.sync();
    data_.sync();  // the pair before is done for good
    writing = start(direction::write, t, at.tile, image.data());
    if (!at.single()) {
      move(t.inside(at.tile), set.tile.data(), set.partner.data());
      writing.get();
      data_.sync();
      writing = start(direction::write, t, at.partner, set.partner.data());
    }
    if (sets.size() == 1) {
      last_write();
      read(k + 1);
    }
    moved_ += bytes * (at.single() ? 3 : 5);
    options_.progress(moved_, all);
  }
  last_write();
  data_.sync();
  done_ = pairs.size();
}

/// Does again what the records tell of. Of two records of one pass the earlier pair may not have
/// reached the disk, and no tile is in both; a new pass begins when the old one is done for good.
template <Transfer X>
void in_place<X>::recover() {
  auto first = journal_.read(0), second = journal_.read(1);
  const auto whole = [&](std::optional<record>& r) {
    if (!r) return;
    if (r->pass >= plan_.passes().size()) throw io_error(journal_.path() + ": it is damaged");
    const index_t bytes = bytes_of(plan_.passes()[r->pass]);
    const tile_buffer payload(bytes);
    transfer_(direction::read, journal_.file(),
              std::vector<run>{{journal_.payload_offset(r->sequence), payload.data(), bytes}});
    if (checksum(payload.data(), bytes) != r->payload_sum) r.reset();  // it was being written
  };
  whole(first);
  whole(second);
  // The second pair is logged when the first log is whole, and each later one when another is.
  if (!first && !second && !journal_.is_blank(0))
    throw io_error(journal_.path() + ": it is damaged");
  if (!first && !second) return;
  if (first && second && first->sequence > second->sequence) std::swap(first, second);
  if (first && second && first->pass == second->pass) redo(*first);
  record const& last = second ? *second : *first;
  redo(last);
  sequence_ = last.sequence;
  pass_ = last.pass;
  done_ = last.done + 1;
  for (std::size_t pass = 0; pass <= pass_; ++pass) {
    const auto pairs = pairs_of(plan_.passes()[pass]);
    const index_t count = pass < pass_ ? pairs.size() : std::min<index_t>(done_, pairs.size());
    for (index_t k = 0; k < count; ++k)
      moved_ += bytes_of(plan_.passes()[pass]) * (pairs[k].single() ? 3 : 5);
  }
}

template <Transfer X>
void in_place<X>::redo(record const& r) {
  tiling const& t = plan_.passes()[r.pass];
  const index_t bytes = bytes_of(t);
  const tile_buffer payload(bytes), partner(bytes), image(bytes);
  transfer_(direction::read, journal_.file(),
            std::vector<run>{{journal_.payload_offset(r.sequence), payload.data(), bytes}});
  const auto move = [&](direction d, index_t tile, tile_buffer const& memory) {
    transfer_(d, data_, runs_of(t, tile, memory.data()));
    if (d == direction::write) data_.sync();
  };
  if (r.tile == r.partner) return move(direction::write, r.tile, payload);
  const tile_mover permute(t, plan_.element_bytes());
  move(direction::read, r.partner, partner);
  if (checksum(partner.data(), bytes) == r.partner_sum) {  // it has not been overwritten
    permute(t.inside(r.partner), partner.data(), image.data());
    move(direction::write, r.tile, image);
  }
  permute(t.inside(r.tile), payload.data(), image.data());
  move(direction::write, r.partner, image);
}

/// Permutes the elements of a file in place by a plan: the element at index x goes to p(x).
/// Files   the elements begin at data_offset; in the end `preamble` is written over the bytes
/// before.
///         FILE.journal holds two tiles; while it is there the file is neither old nor new, and a
///         run with `resume` completes it, whatever ended the run before.
/// Memory  plan.memory(), and a few MiB for requests under way.
/// Errors  io_error; what is done can be resumed.
/// Several processes call it alike; see permute_between.
template <Transfer X = threads, class Together = alone>
void permute_in_place(plan const& p, std::string const& path, index_t data_offset = 0,
                      std::string const& preamble = {}, run_options const& options = {},
                      X const& transfer = {}, Together together = {}) {
  std::optional<in_place<X>> work;
  together([&] {
    work.emplace(p, path, data_offset, preamble, options, transfer);
    if (options.rank == 0) work->create();
  });
  together([&] { work->open(); });
  for (std::size_t pass = 0; pass < p.passes().size(); ++pass)
    together([&] { work->carry_out(pass); });
  together([&] {
    if (options.rank == 0) work->finish();
  });
}

}  // namespace bmmc::file
