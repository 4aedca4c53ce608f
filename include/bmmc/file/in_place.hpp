// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <future>
#include <string>
#include <vector>

#include <bmmc/file/between.hpp>
#include <bmmc/file/recovery.hpp>

namespace bmmc::file {

namespace detail {
[[nodiscard]] inline job job_in_place(plan const& p, stored_file const& data, index_t data_offset) {
  const auto s = data.status();
  job_words more;
  more << s.st_ino << static_cast<index_t>(s.st_size) << data_offset;
  job about =
      make_job(tile_work(p), data.path() + " of " + std::to_string(s.st_size) + " bytes, in place",
               "in place" + more.text());
  about.in_place = true;
  return about;
}
}  // namespace detail

/// Whether an earlier run in place by this plan has left a journal. Throws io_error where the file
/// cannot be opened, or its run still goes on.
[[nodiscard]] inline bool can_resume_in_place(plan const& p, std::string const& path,
                                              index_t data_offset) {
  const stored_file data(regular_target(path), access::read);
  const auto found = journal::job_of(detail::journal_files(data.path(), p.processes())[0]);
  return found && found->fingerprint == detail::job_in_place(p, data, data_offset).fingerprint;
}

/// A permutation of a file in place by a plan, in the steps of take_steps.
///
/// Every pass is an involution f that exchanges tiles t and t' = f(t), so that
///     t is logged and synced, f(t') is written over t and synced, f(t) is written over t'.
/// At any instant both are whole in two of three places: t in the journal or not yet overwritten;
/// t' at its place, or done at the place of t. A tile that maps to itself is logged as its result.
/// The log of a pair is overwritten two pairs later, when the pair in between has been synced.
template <Transfer X>
class in_place {
 public:
  in_place(plan const& p, std::string const& path, index_t data_offset, std::string const& preamble,
           run_options const& options, X const& transfer)
      : plan_(p),
        preamble_(preamble),
        options_(options),
        transfer_(transfer),
        data_(regular_target(path), access::update,
              data_offset % page_bytes == 0 && p.block_bytes() % page_bytes == 0),
        array_{data_, data_offset, p.element_bytes()},
        journals_(data_.path(), p.processes()),
        job_(detail::job_in_place(p, data_, data_offset)) {
    if (!p.in_place())
      throw bad_value("this plan is one between two files: in place takes resources::in_place");
    detail::require_length(path, data_.status(), data_offset, p.bytes());
    if (preamble_.size() > data_offset)
      throw bad_value("a preamble of " + std::to_string(preamble_.size()) +
                      " bytes does not fit before byte " + std::to_string(data_offset));
  }

  void create() {
    if (!options_.resume) journals_.require_none();
    data_.lock();
    if (options_.resume) return;
    journals_.create(job_, plan_.tile_bytes());
  }
  void open() {
    if (idle()) return;
    journal_ = journals_.open(options_.rank, job_, plan_.tile_bytes());
    recover();
  }
  void carry_out(std::size_t pass);
  void finish() {
    if (!preamble_.empty()) {
      data_.write_at(0, preamble_.data(), preamble_.size());
      data_.sync();
    }
    journals_.remove_first();
    journals_.remove_others();  // nobody begins while the data is locked
  }

 private:
  struct pair_memory {
    tile_buffer tile, partner;
  };

  [[nodiscard]] bool idle() const noexcept { return options_.rank >= plan_.processes(); }
  [[nodiscard]] share mine() const noexcept { return {options_.rank, plan_.processes()}; }
  [[nodiscard]] std::future<void> start(direction d, tiling const& t, index_t tile,
                                        unsigned char* at) const {
    return detail::start(transfer_, d, data_, array_.runs(t, tile, at));
  }
  /// Bytes that a pair takes: read and written, and one tile logged.
  [[nodiscard]] index_t bytes_of(tiling const& t, tile_pair const& pair) const noexcept {
    return array_.bytes_of(t) * (pair.single() ? 3 : 5);
  }
  void recover();

  plan const& plan_;
  std::string preamble_;
  run_options options_;
  X const& transfer_;
  stored_file data_;
  array_in_place array_;
  detail::journal_files journals_;
  job job_;
  journal journal_;
  std::uint64_t sequence_ = 0;    // of the last pair that is done
  std::size_t pass_ = 0;          // of that pair
  index_t done_ = 0, moved_ = 0;  // pairs of that pass, bytes of all passes
};

template <Transfer X>
void in_place<X>::carry_out(std::size_t pass) {
  if (idle() || pass < pass_) return;
  if (pass > pass_) done_ = 0;
  pass_ = pass;
  tiling const& t = plan_.passes()[pass];
  const tile_mover move(t, plan_.element_bytes());
  const std::vector<tile_pair> pairs = pairs_of(t, mine());
  const index_t bytes = array_.bytes_of(t), all = plan_.moves().bytes() / plan_.processes();
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
    const tile_pair at = pairs[k];
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
    moved_ += bytes_of(t, at);
    options_.progress(moved_, all);
  }
  last_write();
  data_.sync();
  done_ = pairs.size();
}

/// Does again what the records tell of. Of two records of one pass the earlier pair may not have
/// reached the disk, and no tile is in both; a new pass begins when the old one is done for good:
/// on all processes, so that nothing of it is done again where another one has begun the new one.
template <Transfer X>
void in_place<X>::recover() {
  auto const& passes = plan_.passes();
  const auto records = whole_records(journal_, passes, plan_.element_bytes(), transfer_);
  if (records.empty()) return;
  record const& last = records.back();
  if (!journals_.is_over(last.pass, options_.rank, plan_.tile_bytes()))
    for (record const& r : records)
      if (r.pass == last.pass) redo(r, journal_, passes[r.pass], array_, transfer_);
  sequence_ = last.sequence;
  pass_ = last.pass;
  done_ = last.done + 1;
  for (std::size_t pass = 0; pass <= pass_; ++pass) {
    const auto pairs = pairs_of(passes[pass], mine());
    const index_t count = pass < pass_ ? pairs.size() : std::min<index_t>(done_, pairs.size());
    for (index_t k = 0; k < count; ++k) moved_ += bytes_of(passes[pass], pairs[k]);
  }
}

/// Permutes the elements of a file in place by a plan: the element at index x goes to p(x).
/// Files   the elements begin at data_offset; in the end `preamble` is written over the bytes
///         before. FILE.journal holds two tiles; while it is there the file is neither old nor
///         new, and a run with `resume` completes it, whatever ended the run before.
/// Memory  plan.memory(), and a few MiB for requests under way.
/// Errors  io_error; what is done can be resumed. bad_value for a plan that was not made with
///         resources::in_place: its passes do not exchange tiles.
/// Several processes call it alike; see permute_between.
template <Transfer X = threads, class Together = alone>
void permute_in_place(plan const& p, std::string const& path, index_t data_offset = 0,
                      std::string const& preamble = {}, run_options const& options = {},
                      X const& transfer = {}, Together together = {}) {
  take_steps<in_place<X>>(together, options.rank, p.passes().size(), p, path, data_offset, preamble,
                          options, transfer);
}

}  // namespace bmmc::file
