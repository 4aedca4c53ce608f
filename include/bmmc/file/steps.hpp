// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <bmmc/file/journal.hpp>
#include <bmmc/file/target.hpp>

namespace bmmc::file {

/// Options of a run, beside its plan.
struct run_options {
  bool resume = false;
  unsigned rank = 0;  // of the processes of the plan
  /// Told how many of how many bytes of its share this process has moved.
  std::function<void(index_t, index_t)> progress = [](index_t, index_t) {};
  /// How often a run between two files notes how far it is.
  double seconds_between_notes = 5;
};

/// For a program of one process: each step is done here and now.
struct alone {
  template <class Step>
  void operator()(Step step) const {
    step();
  }
};

/// A run in steps that all processes take together: it is made from `arguments`, and process 0
/// creates its files; all open them; all carry out each pass, and none begins one before all have
/// ended the one before; process 0 finishes it.
/// `together` runs a step on each process, waits for all, and throws on all where one has thrown.
template <class Run, class Together, class... Arguments>
void take_steps(Together together, unsigned rank, std::size_t passes,
                Arguments const&... arguments) {
  std::optional<Run> run;
  together([&] {
    run.emplace(arguments...);
    if (rank == 0) run->create();
  });
  together([&] { run->open(); });
  for (std::size_t pass = 0; pass < passes; ++pass) together([&] { run->carry_out(pass); });
  together([&] {
    if (rank == 0) run->finish();
  });
}

namespace detail {

/// The journals of a run on so many processes, beside the file that is written. The run is there as
/// long as that of process 0, which is made last. It is removed first where nobody can begin
/// meanwhile; else last, when it has noted the end.
class journal_files {
 public:
  journal_files() = default;
  journal_files(std::string const& file, unsigned processes) : file_(file), processes_(processes) {}

  [[nodiscard]] std::string operator[](unsigned rank) const {
    return file_ + ".journal" + (processes_ > 1 ? "-" + std::to_string(rank) : "");
  }
  /// Those of process 0 of a run on one process and of a run on several: what tells of a run.
  [[nodiscard]] static std::array<std::string, 2> of_process_0(std::string const& file) {
    return {journal_files(file, 1)[0], journal_files(file, 2)[0]};
  }
  /// Throws io_error where an earlier run did not finish, on as many processes or on others.
  void require_none() const {
    for (auto const& path : of_process_0(file_)) journal::require_none(path);
  }
  /// All or none.
  void create(job const& about, index_t payload) const {
    unsigned made = processes_;  // from this one on
    try {
      while (made > 0) {
        if (made > 1) ::unlink((*this)[made - 1].c_str());  // of a run that is over
        static_cast<void>(journal::create((*this)[made - 1], about, payload));
        --made;
      }
    } catch (...) {
      for (; made < processes_; ++made) ::unlink((*this)[made].c_str());
      throw;
    }
  }
  /// That of one process, which an earlier run or create() has left.
  [[nodiscard]] journal open(unsigned rank, job const& about, index_t payload) const {
    for (auto const& path : of_process_0(file_))
      if (const auto found = journal::job_of(path)) journal::require_same(path, *found, about);
    return journal::open((*this)[rank], about, payload);
  }
  /// Whether a run of so many passes is over: process 0 has noted it, and may have removed others'.
  [[nodiscard]] bool notes_end(std::size_t passes) const {
    return journal::is_there((*this)[0]) && journal::last_pass((*this)[0], 0) > passes;
  }
  /// Whether another process is known to have begun a later pass, so that this one is over: all end
  /// a pass before any begins the next.
  [[nodiscard]] bool is_over(std::uint64_t pass, unsigned rank, index_t payload) const {
    for (unsigned k = 0; k < processes_; ++k)
      if (k != rank && journal::last_pass((*this)[k], payload) > pass) return true;
    return false;
  }
  void remove_first() const noexcept {
    ::unlink((*this)[0].c_str());
    try {
      sync_folder_of(file_);
    } catch (io_error const&) {  // then those of a run that is over may be there after a power cut
    }
  }
  void remove_others() const noexcept {
    for (unsigned k = 1; k < processes_; ++k) ::unlink((*this)[k].c_str());
  }

 private:
  std::string file_;
  unsigned processes_ = 1;
};

/// A time as people write it, in UTC.
[[nodiscard]] inline std::string time_text(std::time_t time) {
  std::tm parts{};
  std::array<char, 32> text{};
  if (::gmtime_r(&time, &parts) == nullptr) return std::to_string(time);
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

/// Throws io_error unless a file holds so many bytes from `offset` on.
inline void require_length(std::string const& name, struct ::stat const& s, index_t offset,
                           index_t bytes) {
  const auto size = static_cast<index_t>(s.st_size);
  if (size < offset || size - offset < bytes)
    throw io_error(name + ": its " + std::to_string(s.st_size) + " bytes do not hold " +
                   std::to_string(bytes) + " behind byte " + std::to_string(offset));
}

}  // namespace detail

/// What an earlier run that writes this file, on one process or several, is about, if one has left
/// a journal. Throws io_error.
[[nodiscard]] inline std::optional<job> earlier_job(std::string const& path) {
  for (auto const& name : detail::journal_files::of_process_0(regular_target(path)))
    if (auto found = journal::job_of(name)) return found;
  return std::nullopt;
}

/// Whether there is such a journal, which it may not be possible to read.
[[nodiscard]] inline bool has_journal(std::string const& path) {
  try {
    const auto names = detail::journal_files::of_process_0(regular_target(path));
    return journal::is_there(names[0]) || journal::is_there(names[1]);
  } catch (io_error const&) {
    return false;
  }
}

/// Throws io_error for a file whose elements are neither old nor new, since a run in place did not
/// finish.
inline void require_whole(std::string const& path) {
  if (const auto found = earlier_job(path); found && found->in_place)
    throw io_error(path + ": a run in place did not finish with it; resume that");
}

/// Where the bytes of a target stand until it is complete.
[[nodiscard]] inline std::string unfinished_name(std::string const& target) {
  return target + ".unfinished";
}

/// That file, without a byte: new, or left by a run that was ended before it had journals. It is
/// locked until it is closed: of runs that begin at once all but one throw io_error and change
/// nothing. put_in_place() then makes it the target. Throws io_error where an earlier run with
/// journals did not finish.
[[nodiscard]] inline stored_file begin_target(std::string const& target) {
  const detail::journal_files journals(target, 1);
  const std::string path = unfinished_name(target);
  const bool is_left = ::access(path.c_str(), F_OK) == 0;
  if (!is_left) journals.require_none();
  stored_file file(path, access::update_or_create, false);
  file.lock();
  file.require_named();
  try {
    journals.require_none();
  } catch (...) {  // what a run with journals has left holds its bytes
    if (file.status().st_size == 0) ::unlink(path.c_str());
    throw;
  }
  file.require_named();  // or a run that was resumed has ended meanwhile
  file.clear();
  return file;
}

}  // namespace bmmc::file
