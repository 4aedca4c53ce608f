// SPDX-License-Identifier: BSL-1.0

// What runs over files are made of, one by one: requests, checksums, journals, and the cost of a
// request.

#include <bmmc/file/measure_disk.hpp>
#include <bmmc/file/steps.hpp>
#include <random>
#include <set>
#include <vector>

#ifdef BMMC_TEST_URING
#include <bmmc/file/uring.hpp>
#endif

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {

byte_list random_list(std::size_t count, std::mt19937_64& random) {
  byte_list b(count);
  for (auto& byte : b) byte = static_cast<unsigned char>(random());
  return b;
}

/// Pieces of a file and of memory, each at a place of its own, in whole pages and not.
template <file::Transfer X>
void check_transfer(X const& transfer) {
  const folder here(false);  // on a disk: in memory there is no direct I/O
  std::mt19937_64 random(3);
  const byte_list content = random_list(std::size_t{3} << 20, random);
  write_file(here / "data", content);
  const file::tile_buffer memory(content.size());
  for (int turn = 0; turn < 6; ++turn) {
    const index_t unit = turn % 2 == 0 ? file::page_bytes : 1;
    std::vector<file::run> runs;
    for (index_t at = 0; at + (index_t{1} << 18) < content.size(); at += index_t{1} << 18) {
      const index_t bytes = (1 + random() % (200000 / unit)) * unit;
      runs.push_back(
          {random() % ((content.size() - bytes) / unit) * unit, memory.data() + at, bytes});
    }
    if (turn == 0) runs.push_back({0, memory.data(), 2 << 20});  // more than one request
    const file::stored_file in(here / "data", file::access::read);
    transfer(file::direction::read, in, runs);
    for (auto const& r : runs)
      REQUIRE((turn == 0 || std::equal(r.data, r.data + r.bytes,
                                       content.begin() + static_cast<std::ptrdiff_t>(r.offset))));
    // Written to another file, where they do not overlap.
    const file::stored_file out(here / ("copy" + std::to_string(turn)), file::access::create);
    for (auto& r : runs) r.offset = static_cast<index_t>(r.data - memory.data());
    transfer(file::direction::write, out, runs);
    const byte_list found = read_file(out.path());
    for (auto const& r : runs)
      REQUIRE(std::equal(r.data, r.data + r.bytes,
                         found.begin() + static_cast<std::ptrdiff_t>(r.offset)));
  }
  const file::stored_file in(here / "data", file::access::read);
  for (const index_t bytes : {index_t{1}, file::page_bytes}) {
    const file::run beyond{content.size(), memory.data(), bytes};
    CHECK_COMPLAINS(file::io_error, transfer(file::direction::read, in, {&beyond, 1}), "data",
                    "too early");
  }
}

file::journal made(std::string const& path, file::job const& about, index_t payload) {
  return file::journal::create(path, about, payload);
}

}  // namespace

TEST_CASE("transfer: pieces of a file at any place", "[file_transfer]") {
  check_transfer(file::threads{4});
#ifdef BMMC_TEST_URING
  if (file::uring::is_available()) check_transfer(file::uring(4));
#endif
}

TEST_CASE("transfer: a request that is answered in parts", "[file_transfer]") {
  const folder here;
  write_file(here / "data", byte_list(100, 1));
  const file::stored_file f(here / "data", file::access::read, false);
  std::vector<unsigned char> memory(100);
  file::detail::request r(file::direction::read, f, {10, memory.data(), 50});
  const auto first = r.next(nullptr);
  CHECK(first.offset == 10);
  CHECK(first.bytes == 50);
  r.answered(first, 20);
  CHECK_FALSE(r.done());
  r.answered(r.next(nullptr), -EINTR);
  const auto second = r.next(nullptr);
  CHECK(second.offset == 30);
  CHECK(second.bytes == 30);
  CHECK(second.data == memory.data() + 20);
  CHECK_COMPLAINS(file::io_error, r.answered(second, -EIO), "data", "cannot be read");
  CHECK_COMPLAINS(file::io_error, r.answered(second, 0), "ends at byte 30");
  r.answered(second, 30);
  CHECK(r.done());
}

TEST_CASE("checksum: every byte and the length count", "[file_transfer]") {
  std::mt19937_64 random(5);
  for (std::size_t length = 0; length < 100; ++length) {
    byte_list data = random_list(length, random);
    std::set<std::uint64_t> sums{file::checksum(data.data(), length)};
    for (std::size_t k = 0; k < length; ++k) {
      data[k] ^= 1;
      sums.insert(file::checksum(data.data(), length));
      data[k] ^= 1;
    }
    REQUIRE(sums.size() == length + 1);
  }
  const byte_list zeros(200);
  std::set<std::uint64_t> sums;
  for (std::size_t length = 0; length <= 200; ++length)
    sums.insert(file::checksum(zeros.data(), length));
  CHECK(sums.size() == 201);
}

TEST_CASE("journal: two slots in turn, and one job", "[file_transfer]") {
  const folder here;
  const file::job job{7, {12345, 678}, "a job"};
  const std::string path = here / "data.journal";
  {
    const auto journal = made(path, job, 5000);
    CHECK(journal.is_blank(0));
    CHECK(journal.is_blank(1));
    CHECK_FALSE(journal.read(0).has_value());
    for (std::uint64_t sequence = 1; sequence < 6; ++sequence) {
      journal.write({sequence, 1, 2 * sequence, 3, 4, 5, 6});
      const auto last = journal.read(sequence % 2);
      REQUIRE(last.has_value());
      REQUIRE((last->sequence == sequence && last->done == 2 * sequence && last->partner == 4));
      if (sequence > 1) REQUIRE(journal.read((sequence + 1) % 2)->sequence == sequence - 1);
    }
    // Payloads stand where neither records nor each other are.
    CHECK(journal.payload_offset(1) % file::page_bytes == 0);
    CHECK(journal.payload_offset(1) >= journal.payload_offset(2) + 5000 + file::page_bytes);
    CHECK_COMPLAINS(file::io_error, file::journal::open(path, job, 5000), "another run is at work");
  }
  CHECK_COMPLAINS(file::io_error, made(path, job, 5000), "did not finish");
  CHECK_COMPLAINS(file::io_error, file::journal::open(path, {8, {}, "b"}, 5000), "another job",
                  "a job", "not to b");
  CHECK_COMPLAINS(file::io_error, file::journal::open(here / "none", job, 5000),
                  "nothing to resume");
  CHECK(file::earlier_job(here / "data")->costs.request == 12345);
  CHECK(file::earlier_job(here / "data")->costs.flush == 678);
  CHECK_FALSE(file::earlier_job(here / "other").has_value());
  // A journal of another version
  byte_list content = read_file(path);
  byte_list older = content;
  older[std::string("bmmc file journal ").size()] = '3';
  write_file(here / "older.journal", older);
  CHECK_COMPLAINS(file::io_error, file::earlier_job(here / "older"), "with that version");
  CHECK_COMPLAINS(file::io_error, file::journal::open(here / "older.journal", job, 5000),
                  "with that version");
  // A record that was being written when the run ended is none.
  const auto last = file::journal::open(path, job, 5000).payload_offset(5) - file::page_bytes;
  content[last + 16] ^= 1;
  write_file(path, content);
  const auto damaged = file::journal::open(path, job, 5000);
  CHECK_FALSE(damaged.read(1).has_value());
  CHECK(damaged.read(0)->sequence == 4);
}

TEST_CASE("request cost: what a disk with a known one shows", "[file_transfer]") {
  const folder here;
  write_file(here / "data", byte_list(std::size_t{4} << 20));
  const file::stored_file f(here / "data", file::access::read);
  for (const double rate : {1e8, 1e9})
    for (const double cost : {0.0, 24576.0, 2e6, 1e9}) {
      double clock = 0;
      index_t requests = 0;
      const auto disk = [&](file::direction, file::stored_file const&,
                            std::span<file::run const> runs) {
        for (auto const& r : runs) {
          REQUIRE(r.offset + r.bytes <= std::size_t{4} << 20);
          clock += (static_cast<double>(r.bytes) + cost) / rate;
          ++requests;
        }
      };
      const auto found = file::measure_disk(f, index_t{4} << 20, disk, 1, [&] { return clock; });
      CHECK(std::abs(static_cast<double>(found.request_cost) - std::min(cost, double{1 << 24})) <=
            1 + 1e-6 * cost);
      CHECK(std::abs(found.rate / rate - 1) <= 1e-6);
      CHECK(requests >= 160);
    }
}

TEST_CASE("flushes: their time is measured, and nothing is left behind", "[file_transfer]") {
  const folder here;
  write_file(here / "data", byte_list(4096));
  if (const auto seconds = file::seconds_for_a_flush(here / "data")) {
    CHECK(*seconds > 0);
    CHECK(*seconds < 60);
  } else {
    WARN("this file system has no files without a name");
  }
  CHECK(here.files() == 1);
  CHECK_FALSE(file::seconds_for_a_flush(here / "none/data").has_value());
}
