// SPDX-License-Identifier: BSL-1.0

// What several threads of one process may do at a time, without MPI: passes that share an array,
// passes that share a table, files, handles of C. Compiled with ThreadSanitizer, which ends the
// program with status 66 where two of them meet at an address.

#include <numeric>
#include <random>

#include <bmmc/c/handles.hpp>
#include <bmmc/file/in_place.hpp>
#include <bmmc/local/axes_in_place.hpp>
#include <bmmc/local/axes_pass.hpp>
#include <bmmc/local/coset_pass.hpp>
#include <bmmc/local/in_place.hpp>
#include <bmmc/local/permute.hpp>
#include <bmmc/planning.hpp>

#include "races/at_once.hpp"
#include "support/files.hpp"

namespace {

using namespace bmmc;
using races::at_once;
using races::check;

constexpr unsigned workers = 3;

/// A Threading as users write them: each part is a thread of its own.
struct by_threads {
  template <class Work>
  void operator()(index_t parts, Work work) const {
    at_once(workers, [&](unsigned k) {
      const index_t first = parts * k / workers, last = parts * (k + 1) / workers;
      if (first < last) work(first, last);
    });
  }
};
static_assert(local::Threading<by_threads>);

template <class T>
std::vector<T> indices(index_t count) {
  std::vector<T> made(count);
  std::iota(made.begin(), made.end(), T{});
  return made;
}
/// p has taken the element at x to p(x).
template <class T>
bool is_moved(std::span<T const> data, auto const& p) {
  for (index_t x = 0; x < data.size(); ++x)
    if (data[p(x)] != static_cast<T>(x)) return false;
  return true;
}

/// Maps that take other ways through a pass: runs, tiles, a loop; nothing at all.
std::vector<permutation<>> maps(unsigned n) {
  std::mt19937_64 random(n);
  return {bit_reversal(n), random_permutation(n, random), swap_bits(n, n - 2, n - 1), shuffle(n),
          vector_reversal(n), identity_permutation(n)};
}

/// Several threads move parts of one array; large ones go past the caches.
void try_shared_arrays() {
  for (const unsigned n : {4U, 13U, 20U})
    for (auto const& p : maps(n)) {
      const auto source = indices<std::uint32_t>(bit(n));
      std::vector<std::uint32_t> target(source.size() + 1);
      for (const unsigned shift : {0U, 1U}) {
        const std::span<std::uint32_t> into(target.data() + shift, source.size());
        local::permute(source, into, p, by_threads());
        check(is_moved<std::uint32_t>(into, p), "a pass by three threads");
      }
      auto data = source;
      local::in_place_pass<std::uint32_t>{p}(data.data(), by_threads());
      check(is_moved<std::uint32_t>(data, p), "a pass in place by three threads");
    }
  const extents each{170, 30, 20, 21};
  const auto source = indices<std::uint16_t>(each.elements());
  std::vector<std::uint16_t> target(source.size());
  const axis_order turned{3, 0, 2, 1};
  local::permute_axes(source, target, each, turned, by_threads());
  const auto p = axis_permutation(each, turned);
  check(is_moved<std::uint16_t>(target, p), "axes by three threads");
  const extents square{300, 300, 7};
  auto data = indices<std::uint32_t>(square.elements());
  local::permute_axes_in_place<std::uint32_t>(data, square, {1, 0, 2}, by_threads());
  check(is_moved<std::uint32_t>(data, axis_permutation(square, {1, 0, 2})),
        "axes in place by three threads");
}

/// Threads that make the same tables at a time, and call one pass for arrays of their own.
void try_shared_passes() {
  constexpr unsigned n = 16;
  for (auto const& p : maps(n)) {
    const auto source = indices<double>(bit(n));
    const local::pass<double> shared(p);
    const local::in_place_pass<double> shared_in_place(p);
    at_once(workers, [&](unsigned) {
      std::vector<double> target(source.size()), data = source;
      shared(source.data(), target.data());
      check(is_moved<double>(target, p), "one pass for three threads");
      shared_in_place(data.data());
      check(is_moved<double>(data, p), "one pass in place for three threads");
      std::fill(target.begin(), target.end(), 0);
      local::permute(source, target, p);
      check(is_moved<double>(target, p), "three passes at a time");
    });
  }
}

byte_list bytes(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  byte_list made(count);
  for (auto& each : made) each = static_cast<unsigned char>(random());
  return made;
}

/// Tiles are read and written by threads while others are permuted, in several jobs at a time.
void try_files() {
  constexpr unsigned n = 17;
  for (auto const& p : {bit_reversal(n), maps(n)[1]})
    at_once(2, [&](unsigned k) {
      const folder here(k == 0);
      const auto before = bytes(std::size_t{8} << n, k);
      byte_list after(before.size());
      for (index_t x = 0; x < bit(n); ++x)
        std::copy_n(&before[8 * x], 8, &after[8 * p(x)]);
      write_file(here / "source", before);
      const file::resources little{.memory = std::size_t{1} << 18};
      file::permute_between(file::make_plan(p, 8, little), here / "source", 0, here / "target", "",
                            {}, file::threads{4});
      check(read_file(here / "target") == after, "a file by threads");
      auto in_place = little;
      in_place.in_place = true;
      file::permute_in_place(file::make_plan(p, 8, in_place), here / "source", 0, "", {},
                             file::threads{4});
      check(read_file(here / "source") == after, "a file in place by threads");
    });
}

/// One of several threads meets an error: it alone is thrown, after all have ended.
void try_broken_file() {
  const folder here;
  write_file(here / "short", bytes(100, 1));
  const file::stored_file f(here / "short", file::access::read);
  byte_list memory(std::size_t{1} << 24);
  std::vector<file::run> runs;
  for (index_t k = 0; k < 16; ++k) runs.push_back({k << 20, memory.data() + (k << 20), 1 << 20});
  bool threw = false;
  try {
    file::threads{8}(file::direction::read, f, runs);
  } catch (file::io_error const&) {
    threw = true;
  }
  check(threw, "a file that ends too early");
}

struct thing : detail::c::object {
  static constexpr char name[] = "a thing";
  explicit thing(unsigned n) : object(name), number(n) {}
  unsigned number;
};

/// Any thread may make, use and free handles of C.
void try_handles() {
  at_once(workers, [&](unsigned k) {
    auto& all = detail::c::registry::all();
    for (unsigned turn = 0; turn < 500; ++turn) {
      const auto first = all.add(std::make_shared<thing>(turn));
      const auto second = all.add(std::make_shared<thing>(turn + k));
      check(all.find<thing>(first)->number == turn, "a handle");
      all.remove(first);
      check(all.find<thing>(second)->number == turn + k, "another handle");
      all.remove(second);
      bool is_known = true;
      try {
        static_cast<void>(all.find<thing>(first));
      } catch (detail::c::bad_handle const&) {
        is_known = false;
      }
      check(!is_known, "a handle that was freed");
    }
  });
}

}  // namespace

int main() {
  try_shared_arrays();
  try_shared_passes();
  try_files();
  try_broken_file();
  try_handles();
  return races::status();
}
