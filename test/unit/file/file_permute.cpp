// SPDX-License-Identifier: BSL-1.0

// Files that are permuted in small tiles, compared with the oracle: every small n, block and tile,
// every element size, aligned or not, by several processes; ended at every transfer and resumed.

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <bmmc/file/in_place.hpp>
#include <bmmc/index/catalogue.hpp>
#include <vector>

#ifdef BMMC_TEST_URING
#include <bmmc/file/uring.hpp>
#endif

#include "support/arrays.hpp"
#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/files.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {
std::atomic<index_t> flushes{0};
}

/// The C library's, counted.
extern "C" int fdatasync(int file) {
  ++flushes;
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

namespace {

#ifdef BMMC_TEST_FEWER
constexpr bool fewer = true;
#else
constexpr bool fewer = false;
#endif

/// What must be in the file, from the oracle; `lead` bytes in front stay.
byte_list permuted(byte_list const& source, oracle::affine const& p, std::size_t element,
                   std::size_t lead) {
  byte_list target = source;
  const auto target_of = all_targets(p);
  for (std::size_t x = 0; x < target_of.size(); ++x)
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(lead + x * element), element,
                target.begin() + static_cast<std::ptrdiff_t>(lead + target_of[x] * element));
  return target;
}

byte_list random_bytes(std::size_t count, oracle::generator& random) {
  byte_list b(count);
  for (auto& byte : b) byte = static_cast<unsigned char>(random());
  return b;
}

/// One file permuted both ways by one plan each; leaves nothing else behind.
template <file::Transfer X = file::threads>
void check(oracle::affine const& p, std::size_t element, file::resources given,
           std::size_t lead = 0, X const& transfer = {1}, bool in_memory = true) {
  const folder here(in_memory);
  oracle::generator random(p.a.cols + element);
  const byte_list before = random_bytes(lead + (element << p.a.cols), random);
  const byte_list after = permuted(before, p, element, lead);
  write_file(here / "source", before);
  INFO("n = " << p.a.cols << ", " << element << " bytes, memory " << given.memory << ", block "
              << given.block << ", data at " << lead);

  given.in_place = false;
  const auto plan = file::make_plan(to_library(p), element, given);
  const std::string preamble(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(lead));
  index_t last = 0, all = 0;
  file::run_options options;
  options.progress = [&](index_t done, index_t of) {
    REQUIRE(done >= last);
    last = done;
    all = of;
  };
  file::permute_between(plan, here / "source", lead, here / "target", preamble, options, transfer);
  REQUIRE(last == all);
  REQUIRE(all == plan.moves().bytes());
  REQUIRE(read_file(here / "source") == before);
  REQUIRE(read_file(here / "target") == after);
  REQUIRE(here.files() == 2);

  given.in_place = true;
  given.memory = given.memory * 3 / 2;
  const auto plan_in_place = file::make_plan(to_library(p), element, given);
  last = all = 0;
  const index_t flushed = flushes;
  file::permute_in_place(plan_in_place, here / "source", lead, "", options, transfer);
  REQUIRE(flushes - flushed == plan_in_place.moves().flushes + 1);  // the journal's first page
  REQUIRE(last == all);
  REQUIRE(all == plan_in_place.moves().bytes());
  REQUIRE(read_file(here / "source") == after);
  REQUIRE(here.files() == 2);
}

}  // namespace

TEST_CASE("files: every matrix of up to 3 bits, every block and tile", "[file_permute]") {
  oracle::generator random(3);
  for (unsigned n = 1; n <= (fewer ? 2 : 3); ++n)
    for (oracle::number word = 0; word < oracle::power(n * n); ++word) {
      oracle::matrix a(n, n);
      for (unsigned k = 0; k < n * n; ++k) a.row[k % n][k / n] = static_cast<char>(word >> k & 1);
      if (oracle::rank(a) != n) continue;
      for (unsigned b = 0; b < n; ++b)
        for (unsigned m = b + 1; m <= n; ++m)
          check({a, oracle::to_bits(random() % oracle::power(n), n)}, 1,
                {.memory = bit(m) * 2, .block = bit(b)});
    }
}

TEST_CASE("files: random maps, the catalogue, every element size", "[file_permute]") {
  oracle::generator random(7);
  for (std::size_t element = 1; element <= 24; ++element) {
    if (element > 16 && element != 20 && element != 24) continue;
    for (int turn = 0; turn < (fewer ? 2 : 8); ++turn) {
      const auto n = static_cast<unsigned>(3 + random() % 8);
      const auto b = static_cast<unsigned>(random() % n);
      const auto m = static_cast<unsigned>(b + 1 + random() % (n - b));
      const file::resources given{.memory = element * bit(m) * (2 + random() % 4),
                                  .block = element * bit(b)};
      check(random_affine(n, random), element, given, turn % 2 == 0 ? 0 : random() % 200);
      for (auto const& p : {identity_permutation(n), bit_reversal(n), shuffle(n), gray_decode(n),
                            transpose(n / 3, n - n / 3), flip(n, n - 1), cnot(n, n - 1, 0)})
        if (turn == 0) check(oracle::read_affine(p), element, given);
    }
  }
}

TEST_CASE("files: whole pages on a disk, aligned or not", "[file_permute]") {
  oracle::generator random(11);
  for (const std::size_t lead : {0U, 128U, 4096U})
    for (const std::size_t element : {8U, 3U, 24U}) {
      if (fewer && (lead == 0 || element == 24)) continue;
      const file::resources given{.memory = std::size_t{1} << 18};
      check(random_affine(17, random), element, given, lead, file::threads{4}, false);
#ifdef BMMC_TEST_URING
      if (file::uring::is_available())
        check(random_affine(17, random), element, given, lead, file::uring(8), false);
#endif
    }
}

TEST_CASE("files: requests longer than one of the system", "[file_permute]") {
  check(oracle::read_affine(flip(22, 21)), 1, {.memory = index_t{1} << 23}, 100, file::threads{4});
#ifdef BMMC_TEST_URING
  if (file::uring::is_available())
    check(oracle::read_affine(flip(22, 21)), 1, {.memory = index_t{1} << 23}, 100, file::uring(4));
#endif
}

TEST_CASE("files: an earlier run on another number of processes", "[file_permute]") {
  oracle::generator random(13);
  const unsigned n = 8;
  const auto p = random_affine(n, random);
  const folder here;
  const byte_list before = random_bytes(std::size_t{2} << n, random);
  write_file(here / "data", before);
  const auto permute = [&](unsigned processes, bool in_place, bool resume) {
    const auto plan = file::make_plan(to_library(p), 2,
                                      {.memory = 80 * processes,
                                       .block = 4,
                                       .in_place = in_place,
                                       .processes = processes,
                                       .disks = processes});
    REQUIRE(plan.processes() == processes);
    side_by_side(processes, [&](unsigned rank, auto const& together) {
      file::run_options options;
      options.rank = rank;
      options.resume = resume;
      if (in_place)
        file::permute_in_place(plan, here / "data", 0, "", options, file::threads{1}, together);
      else
        file::permute_between(plan, here / "data", 0, here / "target", "", options,
                              file::threads{1}, together);
    });
  };
  for (const bool in_place : {false, true}) {
    const std::string written = in_place ? "data" : "target";
    for (const unsigned earlier : {1U, 2U}) {
      const std::string left = written + (earlier == 1 ? ".journal" : ".journal-0");
      { const auto j = file::journal::create(here / left, {1, {}, "a run"}, 0); }
      for (const unsigned now : {1U, 2U, 4U}) {
        INFO(left << ", now " << now << " processes");
        CHECK_COMPLAINS(file::io_error, permute(now, in_place, false),
                        left + ": an earlier run did not finish");
        CHECK_COMPLAINS(file::io_error, permute(now, in_place, true), left, "another job");
      }
      fs::remove(here / left);
    }
  }
  CHECK(read_file(here / "data") == before);
  // That of process 0 is made last and removed first: others by themselves are of a run that is
  // over.
  { const auto j = file::journal::create(here / "target.journal-1", {1, {}, "a run"}, 0); }
  permute(2, false, false);
  CHECK(read_file(here / "target") == permuted(before, p, 2, 0));
  CHECK(here.files() == 2);
}

namespace {

/// permute(options, transfer, together) on two processes, the second of which is ended at this
/// transfer; and once more to the end.
void on_two(bool resume, long ends_second, auto const& permute) {
  side_by_side(2, [&](unsigned rank, auto const& together) {
    file::run_options options;
    options.rank = rank;
    options.resume = resume;
    permute(options, ending(rank == 0 ? 100000 : ends_second), together);
  });
}
void end_second(long at, auto const& permute) { on_two(false, at, permute); }
void resume_both(auto const& permute) { on_two(true, 100000, permute); }

}  // namespace

TEST_CASE("files: in place on two processes, one is ended while the other is in the next pass",
          "[file_permute]") {
  oracle::generator random(17);
  const unsigned n = 8;
  unsigned plans = 0;
  for (int turn = 0; turn < 40 && plans < (fewer ? 2 : 6); ++turn) {
    const auto p = turn == 0 ? oracle::read_affine(bit_reversal(n)) : random_affine(n, random);
    const auto plan =
        file::make_plan(to_library(p), 2,
                        {.memory = 160, .block = 4, .in_place = true, .processes = 2, .disks = 2});
    if (plan.processes() != 2 || plan.passes().size() < 2) continue;
    ++plans;
    const byte_list before = random_bytes(std::size_t{2} << n, random),
                    after = permuted(before, p, 2, 0);
    unsigned resumed = 0;
    for (long end = 1; end < 150; end += 3) {
      const folder here;
      write_file(here / "data", before);
      const auto permute = [&](auto const& options, auto const& soon, auto const& together) {
        file::permute_in_place(plan, here / "data", 0, "", options, soon, together);
      };
      try {
        end_second(end, permute);
      } catch (ending::ended const&) {
        ++resumed;
        resume_both(permute);
      }
      const bool right = read_file(here / "data") == after;
      INFO(plan.passes().size() << " passes, the second process ended at transfer " << end);
      REQUIRE(right);
    }
    CHECK(resumed > 10);
  }
  CHECK(plans == (fewer ? 2 : 6));
}

TEST_CASE("files: several processes", "[file_permute]") {
  oracle::generator random(5);
  for (int turn = 0; turn < 20; ++turn) {
    const auto n = static_cast<unsigned>(5 + random() % 5);
    const unsigned processes = turn % 2 == 0 ? 2 : 4;
    const auto p = random_affine(n, random);
    const folder here;
    const byte_list before = random_bytes(std::size_t{2} << n, random),
                    after = permuted(before, p, 2, 0);
    write_file(here / "data", before);
    const auto work = [&](bool in_place, auto permute) {
      // On one disk one of them works; on as many disks all do.
      const auto plan = file::make_plan(to_library(p), 2,
                                        {.memory = 2 * 8 * 5 * processes,
                                         .block = 4,
                                         .in_place = in_place,
                                         .processes = processes,
                                         .disks = turn % 4 < 2 ? processes : 1});
      side_by_side(processes, [&](unsigned rank, auto const& together) {
        file::run_options options;
        options.rank = rank;
        permute(plan, options, together);
      });
    };
    work(false, [&](auto const& plan, auto const& options, auto const& together) {
      file::permute_between(plan, here / "data", 0, here / "target", "", options, file::threads{1},
                            together);
    });
    CHECK(read_file(here / "target") == after);
    work(true, [&](auto const& plan, auto const& options, auto const& together) {
      file::permute_in_place(plan, here / "data", 0, "", options, file::threads{1}, together);
    });
    CHECK(read_file(here / "data") == after);
    CHECK(here.files() == 2);
  }
}

TEST_CASE("files: several processes, ended when the target has its name", "[file_permute]") {
  oracle::generator random(19);
  const unsigned n = 7;
  const auto p = random_affine(n, random);
  const folder here;
  const byte_list before = random_bytes(bit(n), random);
  write_file(here / "data", before);
  const auto plan =
      file::make_plan(to_library(p), 1, {.memory = 80, .block = 4, .processes = 2, .disks = 2});
  REQUIRE(plan.processes() == 2);
  const auto permute = [&](auto const& options, auto const& soon, auto const& together) {
    file::permute_between(plan, here / "data", 0, here / "target", "", options, soon, together);
  };
  CHECK_THROWS_AS(end_second(2, permute), ending::ended);
  const auto job = file::earlier_job(here / "target");
  REQUIRE(job.has_value());
  resume_both(permute);
  CHECK(read_file(here / "target") == permuted(before, p, 1, 0));
  CHECK(here.files() == 2);
  // All but the journal of process 0 has been removed, and it has noted the end.
  file::record end;
  end.sequence = 1;
  end.pass = plan.passes().size() + 1;
  {
    const auto left = file::journal::create(here / "target.journal-0", *job, 0);
    left.write(end);
  }
  resume_both(permute);
  CHECK(read_file(here / "target") == permuted(before, p, 1, 0));
  CHECK(here.files() == 2);
  end.pass -= 1;
  {
    const auto left = file::journal::create(here / "target.journal-0", *job, 0);
    left.write(end);
  }
  CHECK_COMPLAINS(file::io_error, resume_both(permute), "there is no such journal");
}

TEST_CASE("files: journals of a run are made all or none", "[file_permute]") {
  const folder here;
  const file::detail::journal_files three(here / "target", 3);
  const file::job about{1, {}, "a run"};
  { const auto other = file::journal::create(here / "target.journal-0", about, 0); }
  CHECK_COMPLAINS(file::io_error, three.create(about, 0), "target.journal-0: an earlier run");
  CHECK(fs::exists(here / "target.journal-0"));
  CHECK(here.files() == 1);
  fs::remove(here / "target.journal-0");
  three.create(about, 0);
  CHECK(here.files() == 3);
}

TEST_CASE("files: ended at any transfer and resumed", "[file_permute]") {
  oracle::generator random(13);
  for (int turn = 0; turn < (fewer ? 3 : 12); ++turn) {
    const unsigned n = 7;
    const auto p = turn == 0 ? oracle::read_affine(bit_reversal(n)) : random_affine(n, random);
    const byte_list before = random_bytes(bit(n), random), after = permuted(before, p, 1, 0);
    const bool in_place = turn % 3 != 1;
    const auto plan = file::make_plan(
        to_library(p), 1, {.memory = turn % 2 == 0 ? 80U : 48U, .block = 4, .in_place = in_place});
    for (long transfers = 0;; ++transfers) {
      const folder here;
      write_file(here / "data", before);
      file::run_options options;
      options.seconds_between_notes = 0;
      const auto permute = [&](auto const& transfer) {
        if (in_place)
          file::permute_in_place(plan, here / "data", 0, "", options, transfer);
        else
          file::permute_between(plan, here / "data", 0, here / "target", "", options, transfer);
      };
      bool whole = false;
      // Ended again and again: after so many transfers, then after a few more each.
      for (long next = transfers; !whole; next = 3 + static_cast<long>(random() % 20)) {
        try {
          permute(ending(next));
          whole = true;
        } catch (ending::ended const&) {
          REQUIRE((in_place || !fs::exists(here / "target")));
        }
        if (next == transfers && whole) break;
        options.resume = true;
      }
      INFO("turn " << turn << ", " << transfers << " transfers");
      REQUIRE(read_file(here / (in_place ? "data" : "target")) == after);
      if (!in_place) REQUIRE(read_file(here / "data") == before);
      REQUIRE(here.files() == (in_place ? 1 : 2));
      if (!options.resume) break;  // it was not ended at all
    }
  }
}

TEST_CASE("files: what is refused, and what a run leaves alone", "[file_permute]") {
  const folder here;
  oracle::generator random(17);
  const unsigned n = 8;
  const auto p = random_affine(n, random);
  const byte_list before = random_bytes(bit(n), random);
  write_file(here / "data", before);
  const file::resources given{.memory = 64, .block = 4};
  const auto plan = file::make_plan(to_library(p), 1, given);
  const auto in_place =
      file::make_plan(to_library(p), 1, {.memory = 64, .block = 4, .in_place = true});
  file::run_options resume;
  resume.resume = true;
  const auto permute = [&](std::string const& target, file::run_options const& options = {}) {
    file::permute_between(plan, here / "data", 0, target, "", options);
  };
  CHECK_COMPLAINS(file::io_error, permute(here / "data"), "it is the source itself");
  CHECK_COMPLAINS(file::io_error, permute(here / "."), "it is a directory");
  CHECK_COMPLAINS(file::io_error, permute("/dev/null"), "/dev/null: it is no regular file");
  CHECK_COMPLAINS(file::io_error, permute(here / "no/where"), "cannot be opened");
  CHECK_COMPLAINS(file::io_error, permute(here / "target", resume), "nothing to resume");
  CHECK_COMPLAINS(file::io_error, file::permute_between(plan, here / "data", 1, here / "target"),
                  "256 bytes do not hold 256 behind byte 1");
  CHECK_COMPLAINS(file::io_error, file::permute_in_place(in_place, here / "data", 1),
                  "do not hold");
  CHECK_COMPLAINS(file::io_error, file::permute_in_place(in_place, here / "data", 0, "", resume),
                  "nothing to resume");
  const index_t beyond = ~index_t{100};
  CHECK_COMPLAINS(file::io_error,
                  file::permute_between(plan, here / "data", beyond, here / "target"),
                  "do not hold");
  CHECK_COMPLAINS(file::io_error, file::permute_in_place(in_place, here / "data", beyond),
                  "do not hold");
  CHECK_COMPLAINS(bad_value, file::permute_in_place(plan, here / "data"), "between two files");
  CHECK(read_file(here / "data") == before);
  CHECK(here.files() == 1);

  // A run that was ended: a second one must resume, and be about the same.
  const auto end_soon = [&](bool between) {
    const ending soon(6);
    try {
      if (between)
        file::permute_between(plan, here / "data", 0, here / "target", "", {}, soon);
      else
        file::permute_in_place(in_place, here / "data", 0, "", {}, soon);
      FAIL("it was not ended");
    } catch (ending::ended const&) {
    }
  };
  end_soon(true);
  const byte_list unfinished = read_file(here / "target.unfinished");
  CHECK_COMPLAINS(file::io_error, permute(here / "target"), "target.journal: an earlier run",
                  "remove it");
  CHECK(read_file(here / "target.unfinished") == unfinished);
  {
    const file::stored_file held(here / "target.journal", file::access::read);
    held.lock();
    CHECK_COMPLAINS(file::io_error, permute(here / "target"),
                    "target.journal: another run is at work");
  }
  write_file(here / "target", before);  // which the run was to replace, and others may read
  file::permute_between(plan, here / "target", 0, here / "again");
  CHECK(read_file(here / "again") == permuted(before, p, 1, 0));
  fs::remove(here / "target");
  const auto other = file::make_plan(to_library(p), 1, {.memory = 128, .block = 4});
  CHECK_COMPLAINS(file::io_error,
                  file::permute_between(other, here / "data", 0, here / "target", "", resume),
                  "it belongs to another job", "memory 64 bytes");
  write_file(here / "data", before);  // another time of change
  CHECK_COMPLAINS(file::io_error, permute(here / "target", resume), "another job");
  fs::remove(here / "target.journal");
  fs::remove(here / "target.unfinished");
  fs::remove(here / "target.unfinished-2");

  // Two runs begin at once; then one was ended before it had a journal.
  const byte_list young(before.size() + 1000, 'x');
  write_file(here / "target.unfinished", young);
  {
    const file::stored_file made(here / "target.unfinished", file::access::update);
    made.lock();
    CHECK_COMPLAINS(file::io_error, permute(here / "target"),
                    "target.unfinished: another run is at work");
    CHECK(read_file(here / "target.unfinished") == young);
  }
  permute(here / "target");
  CHECK(read_file(here / "target") == permuted(before, p, 1, 0));
  fs::remove(here / "target");

  end_soon(false);
  CHECK_COMPLAINS(file::io_error, file::permute_in_place(in_place, here / "data"),
                  "data.journal: an earlier run");
  std::string text;  // nobody is told to remove the journal of a run in place
  try {
    file::permute_between(plan, here / "again", 0, here / "data");
  } catch (file::io_error const& refused) {
    text = refused.what();
  }
  CHECK((text.find("did not finish") != text.npos && text.find("remove") == text.npos));
  CHECK_COMPLAINS(file::io_error, permute(here / "target"), "data: a run in place did not finish");
  {
    const file::stored_file held(here / "data", file::access::read);
    held.lock();
    CHECK_COMPLAINS(file::io_error, file::permute_in_place(in_place, here / "data", 0, "", resume),
                    "data: another run is at work");
  }
  write_file(here / "data.journal", byte_list(8192, 'x'));
  CHECK_COMPLAINS(file::io_error, file::permute_in_place(in_place, here / "data", 0, "", resume),
                  "it is no journal");
  fs::remove(here / "data.journal");
  write_file(here / "data", before);

  // The source changes while it is read: its time of change is another one. (Writing it anew would
  // cut it off for a moment, and the thread that reads ahead might see that first.)
  const auto meddle = [&](file::direction d, file::stored_file const& f,
                          std::span<file::run const> runs) {
    file::threads{1}(d, f, runs);
    if (d == file::direction::write)
      fs::last_write_time(here / "data", fs::file_time_type::clock::now() + std::chrono::hours(1));
  };
  CHECK_COMPLAINS(file::io_error,
                  file::permute_between(plan, here / "data", 0, here / "target", "", {}, meddle),
                  "data: it was changed while it was read");
  fs::remove(here / "target.journal");
  const auto replace = [&](file::direction d, file::stored_file const& f,
                           std::span<file::run const> runs) {
    file::threads{1}(d, f, runs);
    if (d != file::direction::write) return;
    fs::remove(here / "target.unfinished");
    write_file(here / "target.unfinished", byte_list(256));
  };
  CHECK_COMPLAINS(file::io_error,
                  file::permute_between(plan, here / "data", 0, here / "target", "", {}, replace),
                  "target.unfinished: another run has replaced it");
  CHECK_FALSE(fs::exists(here / "target"));
  fs::remove(here / "target.journal");

  // Links stay links, permissions stay.
  write_file(here / "old", {1, 2, 3});
  fs::permissions(here / "old", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("old", here / "link");
  permute(here / "link");
  CHECK(fs::is_symlink(here / "link"));
  CHECK(read_file(here / "old") == permuted(before, p, 1, 0));
  CHECK(fs::status(here / "old").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}
