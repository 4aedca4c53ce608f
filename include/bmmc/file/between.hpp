// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <string>

#include <bmmc/file/steps.hpp>
#include <bmmc/file/work.hpp>

namespace bmmc::file {

/// A work from one file to another, in the steps of take_steps. The target has its name only in the
/// end.
template <Work W, Transfer X>
class between {
 public:
  /// The source's elements begin at data_offset; the target begins with `preamble`.
  between(W const& work, std::string const& source, index_t data_offset, std::string const& target,
          std::string const& preamble, run_options const& options, X const& transfer)
      : work_(work),
        target_path_(regular_target(target)),
        preamble_(preamble),
        options_(options),
        transfer_(transfer),
        source_(source, access::read),
        data_offset_(data_offset),
        journals_(target_path_, work.processes()) {
    const auto s = source_.status();
    detail::require_length(source, s, data_offset, work_.bytes());
    age_ = s.st_mtim;
    size_ = s.st_size;
    struct ::stat old {};
    if (::stat(target_path_.c_str(), &old) == 0 && old.st_dev == s.st_dev && old.st_ino == s.st_ino)
      throw io_error(target + ": it is the source itself");
    job_words more;
    for (const auto word :
         {static_cast<std::int64_t>(s.st_ino), std::int64_t{s.st_size},
          std::int64_t{s.st_mtim.tv_sec}, std::int64_t{s.st_mtim.tv_nsec},
          static_cast<std::int64_t>(data_offset), static_cast<std::int64_t>(preamble.size())})
      more << static_cast<index_t>(word);
    require_whole(source);
    job_ = make_job(work_,
                    source + " of " + std::to_string(s.st_size) + " bytes, changed " +
                        detail::time_text(s.st_mtim.tv_sec),
                    more.text() + preamble);
  }

  /// One process: makes the files and reserves their space, unless an earlier run has.
  void create() {
    if (options_.resume) return;
    claimed_ = begin_target(target_path_);
    try {
      claimed_.reserve(preamble_.size() + work_.bytes());
      claimed_.write_at(0, preamble_.data(), preamble_.size());
      ::unlink(unfinished(1).c_str());
      if (files() > 1)
        stored_file(unfinished(1), access::create).reserve(preamble_.size() + work_.bytes());
      journals_.create(job_, 0);
    } catch (...) {
      ::unlink(unfinished(1).c_str());
      ::unlink(unfinished(0).c_str());  // last: another run may begin without it
      throw;
    }
  }
  /// Each process that works.
  void open() {
    if (idle()) return;
    if (!journal::is_there(journals_[options_.rank]) && journals_.notes_end(work_.passes())) {
      at_.pass = work_.passes() + 1;
      return;
    }
    journal_ = journals_.open(options_.rank, job_, 0);
    for (unsigned slot = 0; slot < 2; ++slot)
      if (const auto r = journal_.read(slot); r && r->sequence > at_.sequence) at_ = *r;
    if (at_.pass >= work_.passes()) return;  // only finish() is left
    for (unsigned k = 0; k < files(); ++k) target_[k] = stored_file(unfinished(k), access::update);
  }
  /// Each process that works: its tiles of a pass, as far as they are not done.
  void carry_out(std::size_t pass) {
    if (idle() || at_.pass > pass) return;
    if (at_.pass < pass) at_ = {at_.sequence, pass, 0, 0, 0, 0, 0};
    const share mine{options_.rank, work_.processes()};
    stored_file const& from = pass == 0 ? source_ : file_of(pass - 1);
    const auto tiles =
        work_.tiles(pass, pass == 0 ? data_offset_ : preamble_.size(), preamble_.size());
    const index_t count = mine.count(tiles.count()), all = 2 * work_.bytes() / work_.processes();
    auto noted = std::chrono::steady_clock::now();
    const auto finished = [&](index_t done) {
      at_.done = done;
      options_.progress(pass * all + (done < count ? all / count * done : all),
                        work_.passes() * all);
      const auto now = std::chrono::steady_clock::now();
      if (now - noted < std::chrono::duration<double>(options_.seconds_between_notes)) return;
      note(file_of(pass));
      noted = std::chrono::steady_clock::now();
    };
    stream(tiles, work_.buffers(), from, file_of(pass), mine, at_.done, transfer_,
           work_.mover(pass), finished);
    require_same_source();
    at_.pass = pass + 1;
    at_.done = 0;
    note(file_of(pass));
  }
  /// One process, when all have run the last pass.
  void finish() {
    at_.pass = work_.passes() + 1;
    ::unlink(unfinished(1).c_str());
    if (::access(unfinished(0).c_str(), F_OK) == 0) {
      at_.sequence += 1;
      journal_.write(at_);
      journal_.sync();
      if (target_[0].cached() >= 0) target_[0].require_named();
      journals_.remove_others();
      put_in_place(unfinished(0), target_path_);
    }
    journals_.remove_first();  // now another run may begin, and make its own
  }

 private:
  [[nodiscard]] bool idle() const noexcept { return options_.rank >= work_.processes(); }
  /// The file that becomes the target, and the one between passes.
  [[nodiscard]] unsigned files() const noexcept { return work_.passes() > 1 ? 2 : 1; }
  [[nodiscard]] std::string unfinished(unsigned k) const {
    return unfinished_name(target_path_) + (k == 0 ? "" : "-2");
  }
  /// Where a pass writes to: passes take turns, and the last one writes the target.
  [[nodiscard]] stored_file const& file_of(std::size_t pass) const {
    return target_[(work_.passes() - 1 - pass) % 2];
  }
  /// What has been written will be there after a crash, and then it is noted.
  void note(stored_file const& written) {
    written.sync();
    ++at_.sequence;
    journal_.write(at_);
    journal_.sync();
  }
  void require_same_source() const {
    const auto s = source_.status();
    if (s.st_size != size_ || s.st_mtim.tv_sec != age_.tv_sec || s.st_mtim.tv_nsec != age_.tv_nsec)
      throw io_error(source_.path() + ": it was changed while it was read");
  }

  W work_;
  std::string target_path_, preamble_;
  run_options options_;
  X const& transfer_;
  stored_file source_;
  index_t data_offset_;
  detail::journal_files journals_;
  stored_file claimed_, target_[2];
  journal journal_;
  job job_;
  record at_;
  struct ::timespec age_ {};
  ::off_t size_ = 0;
};

/// Permutes the elements of one file into another by a plan: the element at index x goes to p(x).
/// Files   the target begins with `preamble`, and replaces a file of its name when it is complete;
///         until then its bytes stand in TARGET.unfinished, and TARGET.journal tells how far it is.
/// Memory  plan.memory(), and a few MiB for requests under way.
/// Errors  io_error; the source is untouched, and what is complete can be resumed.
/// Several processes call it alike, each with its rank, and with a `together` as take_steps wants.
template <Transfer X = threads, class Together = alone>
void permute_between(plan const& p, std::string const& source, index_t data_offset,
                     std::string const& target, std::string const& preamble = {},
                     run_options const& options = {}, X const& transfer = {},
                     Together together = {}) {
  take_steps<between<tile_work, X>>(together, options.rank, p.passes().size(), tile_work(p), source,
                                    data_offset, target, preamble, options, transfer);
}

}  // namespace bmmc::file
