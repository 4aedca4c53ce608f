// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <bmmc/file/stream.hpp>

namespace bmmc::file {

/// Tells whether bytes are those that were written, save by an accident of 1 in 2^64: four sums in
/// turn, each multiplied by an odd number, so that memory is the limit.
[[nodiscard]] inline std::uint64_t checksum(void const* data, index_t bytes) noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
  std::array<std::uint64_t, 4> sum{1, 2, 3, 4};
  auto const* at = static_cast<unsigned char const*>(data);
  const auto mix = [&](std::uint64_t& lane, std::uint64_t word) {
    lane = (lane ^ word) * odd;
    lane ^= lane >> 29;
  };
  for (; bytes >= 32; bytes -= 32, at += 32) {
    std::array<std::uint64_t, 4> word;
    std::memcpy(word.data(), at, 32);
    for (unsigned k = 0; k < 4; ++k) mix(sum[k], word[k]);
  }
  std::array<unsigned char, 32> rest{};
  if (bytes > 0) std::memcpy(rest.data(), at, bytes);
  for (unsigned k = 0; k < 32; ++k) mix(sum[k % 4], rest[k]);
  mix(sum[0], bytes);
  for (unsigned k = 1; k < 4; ++k) mix(sum[0], sum[k]);
  return sum[0];
}

/// What a run is about. A resumed run must be about the same.
struct job {
  std::uint64_t fingerprint = 0;
  disk_costs costs = {0, 0};  // which its plan was made for
  std::string text;           // for people, without control characters
  bool in_place = false;
};

/// How far a run has come. In a file it begins a page of its own.
struct record {
  std::uint64_t sequence = 0;  // ascends; 0 is no record
  std::uint64_t pass = 0, done = 0;
  std::uint64_t tile = 0, partner = 0;  // in place: equal where a tile maps to itself
  std::uint64_t payload_sum = 0, partner_sum = 0;
};

/// A small file beside the data that lets a run go on where another one was ended: a page that
/// names the job, then two slots, used in turn, of a record and `payload` bytes. A run that is
/// killed while it writes a slot leaves the other one whole.
class journal {
 public:
  journal() = default;
  [[nodiscard]] static bool is_there(std::string const& path) noexcept {
    return ::access(path.c_str(), F_OK) == 0;
  }
  /// Throws io_error where there is one: another run is at work, or an earlier one did not finish.
  static void require_none(std::string const& path) {
    const auto found = find(path);
    if (!found) return;
    found->file_.lock();
    throw io_error(path + ": an earlier run did not finish; resume it" +
                   (found->read_job().in_place ? "" : ", or remove it to begin anew"));
  }
  /// A new one, where there is none.
  static journal create(std::string const& path, job const& about, index_t payload) {
    require_none(path);
    // It gets its name when its first page is whole.
    const std::string young = path + ".new";
    ::unlink(young.c_str());
    try {
      journal made(stored_file(young, access::create), payload);
      made.file_.lock();
      made.file_.reserve(made.offset_of(2));
      page first{};
      const auto text = std::string_view(about.text).substr(0, most_text);
      put(first, {about.fingerprint, about.costs.request, about.costs.flush, text.size(),
                  about.in_place ? 1U : 0U});
      std::memcpy(first.data() + text_at, text.data(), text.size());
      made.file_.write_at(0, first.data(), first.size());
      made.file_.sync();
    } catch (...) {
      ::unlink(young.c_str());
      throw;
    }
    if (::rename(young.c_str(), path.c_str()) != 0) detail::fail(path, "it cannot be made", errno);
    try {
      sync_folder_of(path);
      return open(path, about, payload);
    } catch (...) {
      ::unlink(path.c_str());
      throw;
    }
  }
  /// That of an earlier run. Throws io_error where there is none, where it is about another job,
  /// and where its run still goes on.
  static journal open(std::string const& path, job const& about, index_t payload) {
    if (!is_there(path))
      throw io_error(path + ": there is no such journal, so there is nothing to resume");
    journal found(stored_file(path, access::update), payload);
    found.file_.lock();
    require_same(path, found.read_job(), about);
    return found;
  }
  /// Throws io_error where an earlier run was about another job.
  static void require_same(std::string const& path, job const& earlier, job const& about) {
    if (earlier.fingerprint != about.fingerprint)
      throw io_error(path + ": it belongs to another job: " + earlier.text + "; not to " +
                     about.text);
  }
  /// What that of an earlier run is about, if there is one: another file of that name is none.
  [[nodiscard]] static std::optional<job> job_of(std::string const& path) {
    const auto found = find(path);
    if (!found || !found->has_magic()) return std::nullopt;
    return found->read_job();
  }
  /// The last pass that the run with that journal is known to have begun.
  [[nodiscard]] static std::uint64_t last_pass(std::string const& path, index_t payload) {
    const journal found(stored_file(path, access::read), payload);
    std::uint64_t pass = 0;
    for (unsigned slot = 0; slot < 2; ++slot)
      if (const auto r = found.read(slot)) pass = std::max(pass, r->pass);
    return pass;
  }

  [[nodiscard]] stored_file const& file() const noexcept { return file_; }
  [[nodiscard]] std::string const& path() const noexcept { return file_.path(); }

  void write(record const& r) const {
    page p{};
    std::memcpy(p.data(), &r, sizeof r);
    const std::uint64_t sum = checksum(&r, sizeof r);
    std::memcpy(p.data() + sizeof r, &sum, sizeof sum);
    file_.write_at(offset_of(r.sequence % 2), p.data(), p.size());
  }
  /// The payload of a record stands at this offset of the file.
  [[nodiscard]] index_t payload_offset(std::uint64_t sequence) const noexcept {
    return offset_of(sequence % 2) + page_bytes;
  }
  /// The record in slot 0 or 1; nothing where it is damaged or none was written.
  [[nodiscard]] std::optional<record> read(unsigned slot) const {
    page p;
    file_.read_at(offset_of(slot), p.data(), p.size());
    record r;
    std::memcpy(&r, p.data(), sizeof r);
    std::uint64_t sum = 0;
    std::memcpy(&sum, p.data() + sizeof r, sizeof sum);
    if (r.sequence == 0 || r.sequence % 2 != slot || sum != checksum(&r, sizeof r))
      return std::nullopt;
    return r;
  }
  /// Whether nothing was ever written to slot 0 or 1.
  [[nodiscard]] bool is_blank(unsigned slot) const {
    page p;
    file_.read_at(offset_of(slot), p.data(), p.size());
    return p == page{};
  }
  void sync() const { file_.sync(); }

 private:
  using page = std::array<char, page_bytes>;
  // fingerprint, costs of a request and of a flush, length of the text, whether in place
  using words = std::array<std::uint64_t, 5>;
  static constexpr std::string_view magic = "bmmc file journal 4\n",
                                    any_version = "bmmc file journal ";
  static constexpr std::size_t text_at = 64, most_text = page_bytes - text_at;

  journal(stored_file file, index_t payload) : file_(std::move(file)), payload_(payload) {}
  /// Nothing where there is none, or no longer.
  [[nodiscard]] static std::optional<journal> find(std::string const& path) {
    if (!is_there(path)) return std::nullopt;
    try {
      return journal(stored_file(path, access::read), 0);
    } catch (io_error const&) {
      if (is_there(path)) throw;
      return std::nullopt;
    }
  }
  [[nodiscard]] bool has_magic() const {
    std::array<char, any_version.size()> begin;
    if (static_cast<index_t>(file_.status().st_size) < begin.size()) return false;
    file_.read_at(0, begin.data(), begin.size());
    return std::string_view(begin.data(), begin.size()) == any_version;
  }
  [[nodiscard]] job read_job() const {
    page first;
    file_.read_at(0, first.data(), first.size());
    words word;
    std::memcpy(word.data(), first.data() + magic.size(), sizeof word);
    const std::string_view begin(first.data(), magic.size());
    if (begin != magic && begin.starts_with(any_version))
      throw io_error(path() +
                     ": an earlier run of another version of this program left it: resume that "
                     "run with that version");
    if (begin != magic || word[3] > most_text)
      throw io_error(path() + ": it is no journal of this program");
    return {
        word[0], {word[1], word[2]}, std::string(first.data() + text_at, word[3]), word[4] != 0};
  }
  static void put(page& first, words const& word) {
    std::memcpy(first.data(), magic.data(), magic.size());
    std::memcpy(first.data() + magic.size(), word.data(), sizeof word);
  }
  [[nodiscard]] index_t offset_of(index_t slot) const noexcept {
    const index_t pages = (payload_ + page_bytes - 1) / page_bytes + 1;
    return page_bytes * (1 + slot * pages);
  }

  stored_file file_;
  index_t payload_ = 0;
};

}  // namespace bmmc::file
