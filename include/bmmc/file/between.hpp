// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include <bmmc/file/explain.hpp>
#include <bmmc/file/journal.hpp>
#include <bmmc/file/mover.hpp>
#include <bmmc/file/target.hpp>

namespace bmmc::file {

/// What a run may be told beside its plan.
struct run_options {
  bool resume = false;
  unsigned rank = 0;  // of the processes of the plan
  /// Told how many of how many bytes of its share this process has moved.
  std::function<void(index_t, index_t)> progress = [](index_t, index_t) {};
  /// How often a run between two files notes how far it is.
  double seconds_between_notes = 5;
};

namespace detail {
[[nodiscard]] inline std::string journal_path(std::string const& path, plan const& p,
                                              unsigned rank) {
  return path + ".journal" + (p.given().processes > 1 ? "-" + std::to_string(rank) : "");
}
[[nodiscard]] inline std::string job_text(plan const& p, std::string const& what) {
  return what + ", elements of " + std::to_string(p.element_bytes()) + " bytes, memory " +
         bytes_text(p.given().memory) + ", blocks of " + bytes_text(p.block_bytes()) + ", " +
         std::to_string(p.given().processes) + " processes, " + std::to_string(p.passes().size()) +
         " passes";
}
}  // namespace detail

/// A permutation from one file to another by a plan, in steps: create (one process), open (all),
/// carry_out for every pass (all; none begins before all have ended the one before), finish (one).
/// The target has its name only in the end. permute_between takes these steps.
template <Transfer X>
class between {
 public:
  /// The source's elements begin at data_offset; the target begins with `preamble`.
  between(plan const& p, std::string source, index_t data_offset, std::string const& target,
          std::string preamble, run_options options, X const& transfer)
      : plan_(p),
        target_path_(regular_target(target)),
        preamble_(std::move(preamble)),
        options_(std::move(options)),
        transfer_(transfer),
        source_(std::move(source), access::read),
        data_offset_(data_offset) {
    const auto s = source_.status();
    if (static_cast<index_t>(s.st_size) < data_offset + p.bytes())
      throw io_error(source_.path() + ": its " + std::to_string(s.st_size) + " bytes do not hold " +
                     std::to_string(p.bytes()) + " behind byte " + std::to_string(data_offset));
    age_ = s.st_mtim;
    size_ = s.st_size;
    struct ::stat old {};
    if (::stat(target_path_.c_str(), &old) == 0 && old.st_dev == s.st_dev && old.st_ino == s.st_ino)
      throw io_error(target + ": it is the source itself");
    std::string more = preamble_;
    for (const auto word : {static_cast<std::int64_t>(s.st_ino), std::int64_t{s.st_size},
                            std::int64_t{s.st_mtim.tv_sec}, std::int64_t{s.st_mtim.tv_nsec},
                            static_cast<std::int64_t>(data_offset)})
      more += std::to_string(word) + " ";
    job_ = {fingerprint(p, more),
            detail::job_text(p, source_.path() + " of " + std::to_string(s.st_size) + " bytes")};
  }

  /// One process: makes the files and reserves their space, unless an earlier run has.
  void create() {
    if (options_.resume) return;
    for (unsigned k = 0; k < plan_.given().processes; ++k) journal::require_none(journal_path(k));
    try {
      for (unsigned k = 0; k < (plan_.passes().size() > 1 ? 2U : 1U); ++k) {
        ::unlink(unfinished(k).c_str());
        const stored_file made(unfinished(k), access::create);
        made.reserve(preamble_.size() + plan_.bytes());
      }
      stored_file(unfinished(0), access::update, false)
          .write_at(0, preamble_.data(), preamble_.size());
      for (unsigned k = 0; k < plan_.given().processes; ++k) {
        const journal made = journal::create(journal_path(k), job_, 0);
      }
    } catch (...) {
      remove_temporary();
      throw;
    }
  }
  /// All processes.
  void open() {
    journal_ = journal::open(journal_path(options_.rank), job_, 0);
    for (unsigned slot = 0; slot < 2; ++slot)
      if (const auto r = journal_.read(slot); r && r->sequence > at_.sequence) at_ = *r;
    if (at_.pass >= plan_.passes().size()) return;  // only finish() is left
    for (unsigned k = 0; k < (plan_.passes().size() > 1 ? 2U : 1U); ++k)
      target_[k] = stored_file(unfinished(k), access::update);
  }
  /// All processes: this one's tiles of a pass, as far as they are not done.
  void carry_out(std::size_t pass) {
    if (at_.pass > pass) return;
    if (at_.pass < pass) at_ = {at_.sequence, pass, 0, 0, 0, 0, 0};
    tiling const& t = plan_.passes()[pass];
    const tile_mover move(t, plan_.element_bytes());
    const share mine{options_.rank, plan_.given().processes};
    stored_file const& from = pass == 0 ? source_ : file_of(pass - 1);
    const coset_tiles tiles{t, plan_.element_bytes(), pass == 0 ? data_offset_ : preamble_.size(),
                            preamble_.size()};
    const index_t count = mine.count(t.tiles());
    const index_t total = 2 * count * (plan_.element_bytes() << t.tile_bits());
    auto noted = std::chrono::steady_clock::now();
    const auto finished = [&](index_t done) {
      at_.done = done;
      options_.progress(pass * total + total / std::max<index_t>(count, 1) * done,
                        plan_.passes().size() * total);
      const auto now = std::chrono::steady_clock::now();
      if (now - noted < std::chrono::duration<double>(options_.seconds_between_notes)) return;
      note(file_of(pass));
      noted = std::chrono::steady_clock::now();
    };
    stream(
        tiles, plan_.buffers(), from, file_of(pass), mine, at_.done, transfer_,
        [&](index_t tile, unsigned char* source, unsigned char* target) {
          move(t.inside(tile), source, target);
        },
        finished);
    require_same_source();
    at_.pass = pass + 1;
    at_.done = 0;
    note(file_of(pass));
  }
  /// One process, when all have run the last pass.
  void finish() {
    at_.pass = plan_.passes().size() + 1;
    if (::access(unfinished(0).c_str(), F_OK) == 0) {
      at_.sequence += 1;
      journal_.write(at_);
      journal_.sync();
      put_in_place(unfinished(0), target_path_);
    }
    remove_temporary();
  }

 private:
  [[nodiscard]] std::string journal_path(unsigned rank) const {
    return detail::journal_path(target_path_, plan_, rank);
  }
  void remove_temporary() const {
    for (unsigned k = 0; k < 2; ++k) ::unlink(unfinished(k).c_str());
    for (unsigned k = 0; k < plan_.given().processes; ++k) ::unlink(journal_path(k).c_str());
  }
  /// The file that becomes the target, and the one between passes.
  [[nodiscard]] std::string unfinished(unsigned k) const {
    return target_path_ + (k == 0 ? ".unfinished" : ".unfinished-2");
  }
  /// Where a pass writes to: passes take turns, and the last one writes the target.
  [[nodiscard]] stored_file const& file_of(std::size_t pass) const {
    return target_[(plan_.passes().size() - 1 - pass) % 2];
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

  plan const& plan_;
  std::string target_path_, preamble_;
  run_options options_;
  X const& transfer_;
  stored_file source_;
  index_t data_offset_;
  stored_file target_[2];
  journal journal_;
  job job_;
  record at_;
  struct ::timespec age_ {};
  ::off_t size_ = 0;
};

/// For a program of one process: each step is done here and now.
struct alone {
  template <class Step>
  void operator()(Step step) const {
    step();
  }
};

/// Permutes the elements of one file into another by a plan: the element at index x goes to p(x).
/// Files   the target begins with `preamble`, and replaces a file of its name when it is complete;
///         until then its bytes stand in TARGET.unfinished, and TARGET.journal tells how far it is.
/// Memory  plan.memory(), and a few MiB for requests under way.
/// Errors  io_error; the source is untouched, and what is complete can be resumed.
/// Several processes call it alike, each with its rank, and with a `together` that runs a step on
/// each, waits for all, and throws on all where one has thrown.
template <Transfer X = threads, class Together = alone>
void permute_between(plan const& p, std::string const& source, index_t data_offset,
                     std::string const& target, std::string const& preamble = {},
                     run_options const& options = {}, X const& transfer = {},
                     Together together = {}) {
  std::optional<between<X>> work;
  together([&] {
    work.emplace(p, source, data_offset, target, preamble, options, transfer);
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
