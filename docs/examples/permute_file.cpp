// SPDX-License-Identifier: BSL-1.0

// Permutes an array file by y = A x + c over the processes of an MPI job: in their memory where the
// array fits, else tile by tile from file to file, or in place. See --help.

#include <algorithm>
#include <array>
#include <boost/mpi/environment.hpp>
#include <boost/mpi/timer.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <bmmc.hpp>

#include "support/array_file.hpp"
#include "support/large_file.hpp"
#include "support/mpi_file.hpp"
#include "support/names.hpp"
#include "support/permute_options.hpp"
#include "support/together.hpp"
#include "support/verify.hpp"

namespace {

namespace mpi = boost::mpi;
using bmmc::index_t;
using layouts = bmmc::layout::between<bmmc::layout::affine<>, bmmc::layout::affine<>>;

using example::settings;

/// All that is to be done, known to every process before it starts.
struct task {
  example::array_format source, target;
  bmmc::permutation<> permutation;
  layouts where{bmmc::layout::affine<>(bmmc::permutation<>()),
                bmmc::layout::affine<>(bmmc::permutation<>())};
  unsigned proc_bits = 0;
  bmmc::file::disk_costs costs;
  std::optional<bmmc::file::plan> plan;         // where the array does not fit into memory
  std::optional<bmmc::file::axis_boxes> boxes;  // axes whose extents are no powers of two
  std::vector<unsigned> axes;                   // of boxes, as they stand in the file
};

/// The permutation that the options name; `shape` becomes the result's.
bmmc::permutation<> chosen_permutation(settings const& s, example::array_format const& a,
                                       std::vector<std::uint64_t>& shape) {
  const unsigned n = a.bits();
  if (!s.axes.empty())
    return example::named_permutation(example::axes_of_file(s.axes, a), n, shape);
  if (a.fortran_order)
    throw std::runtime_error(s.source +
                             ": it is in Fortran order (columns first): say --axes, which writes "
                             "C order, or save it with numpy.ascontiguousarray");
  auto p = bmmc::identity_permutation(n);
  const auto then = [&](bmmc::permutation<> const& next) {
    if (next.bits() != n)
      throw bmmc::bad_value("a permutation of 2^" + std::to_string(next.bits()) +
                            " elements is not for " + s.source + " with its 2^" +
                            std::to_string(n));
    p = bmmc::compose(next, p);
  };
  for (auto const& name : s.permutations) then(example::named_permutation(name, n, shape));
  if (!s.matrix.empty()) then(example::read_permutation(s.matrix));
  return p;
}

index_t memory_of(settings const& s) {
  return s.memory.empty() ? example::half_of_memory() : example::parse_bytes("--memory", s.memory);
}

/// As many processes as have disks to themselves; more would only have smaller boxes.
unsigned working_processes(mpi::communicator const& world, settings const& s) {
  return static_cast<unsigned>(std::min<std::int64_t>(world.size(), s.disks));
}

/// Axes of any extents: they are permuted box by box, whatever their size.
void make_boxes(mpi::communicator const& world, settings const& s, task& t) {
  if (s.in_place)
    throw std::runtime_error(
        s.source + ": shape " + example::shape_text(t.source.shape) +
        ": --in-place takes extents that are powers of two; where they are not, the places of a "
        "box of the result belong to parts of many boxes of the source");
  t.axes = example::detail::file_axes(s.axes, t.source);
  const unsigned processes = working_processes(world, s);
  t.boxes =
      bmmc::file::make_boxes(t.source.shape, t.axes, t.source.element_bytes,
                             std::min(memory_of(s), 4 * t.source.bytes() * processes), processes);
  for (std::size_t k = 0; k < t.axes.size(); ++k) t.target.shape[k] = t.source.shape[t.axes[k]];
}

bmmc::file::plan plan_for(settings const& s, task const& t) {
  bmmc::file::resources given;
  given.memory = memory_of(s);
  given.block = s.block.empty() ? 0 : example::parse_bytes("--block", s.block);
  given.in_place = s.in_place;
  given.processes = 1U << t.proc_bits;
  given.disks = static_cast<unsigned>(s.disks);
  given.costs = t.costs;
  return bmmc::file::make_plan(t.permutation, t.source.element_bytes, given);
}

/// Whether the array is permuted in the memory of the processes: source and target fit into it.
bool fits(settings const& s, task const& t) {
  const index_t size = t.source.element_bytes;
  if (s.in_place || s.resume || !s.block.empty()) return false;
  if (!std::has_single_bit(size) || size > 16) return false;
  return t.source.bytes() <= memory_of(s) / 2;
}

/// An earlier run in place that had only the header's new shape to write, or its journal to remove:
/// then the shape that is found is the result's already.
void look_for_earlier_run(settings const& s, task& t) {
  if (!s.in_place || !s.resume || s.axes.empty() ||
      bmmc::file::can_resume_in_place(*t.plan, s.source, t.source.data_offset))
    return;
  task before = t;
  before.source.shape = example::shape_before(s.axes, t.source);
  before.target = before.source;
  before.permutation = chosen_permutation(s, before.source, before.target.shape);
  before.plan = plan_for(s, before);
  if (bmmc::file::can_resume_in_place(*before.plan, s.source, t.source.data_offset)) t = before;
}

void require_verifiable(settings const& s, task& t) {
  t.target = example::inspect(s.target, static_cast<index_t>(s.element_bytes));
  if (t.target.elements != t.source.elements || t.target.element_bytes != t.source.element_bytes)
    throw std::runtime_error(s.target + ": " + t.target.text() + ", the source has " +
                             t.source.text());
}

/// Collective: given, noted by the run that is resumed, or measured, by process 0 for all.
bmmc::file::disk_costs costs_for(mpi::communicator const& world, settings const& s) {
  example::large_job j;
  j.source = s.source;
  j.target = s.in_place ? "" : s.target;
  j.io = s.io;
  j.resume = s.resume;
  bmmc::file::disk_costs costs;
  std::error_code ignored;
  const index_t bytes = std::filesystem::file_size(s.source, ignored);
  // Between two files a block that is given leaves nothing to choose by costs.
  const bool by_tiles =
      !ignored && !s.verify_only &&
      (s.in_place || s.resume || (s.block.empty() && bytes > memory_of(s) / 2));
  const bool all_given = !s.request_cost.empty() && (!s.in_place || !s.flush_cost.empty());
  example::together(world, [&] {
    if (by_tiles && !all_given && world.rank() == 0) costs = example::costs_of(j);
  });
  mpi::broadcast(world, &costs.request, 1, 0);
  mpi::broadcast(world, &costs.flush, 1, 0);
  if (!s.request_cost.empty())
    costs.request = example::parse_bytes("--request-cost", s.request_cost);
  if (!s.flush_cost.empty()) costs.flush = example::parse_bytes("--flush-cost", s.flush_cost);
  return costs;
}

/// Collective: what is wrong on one process, all throw.
task make_task(mpi::communicator const& world, settings const& s) {
  task t;
  t.costs = costs_for(world, s);
  std::string unknown;
  example::together(world, [&] {
    t.source = example::inspect(s.source, static_cast<index_t>(s.element_bytes));
    if (!s.in_place) bmmc::file::require_whole(s.source);
    const bool by_boxes = !s.axes.empty() && t.source.elements != 0;
    if (!std::has_single_bit(t.source.elements) && !by_boxes)
      throw std::runtime_error(s.source + ": the number of elements must be a power of two, not " +
                               std::to_string(t.source.elements));
    t.target = t.source;
    t.target.fortran_order = false;
    const unsigned n = t.source.bits();
    try {
      const bool affine = std::has_single_bit(t.source.elements);
      if (affine) {
        t.proc_bits = bmmc::proc_bits_of(static_cast<index_t>(world.size()));
        t.permutation = chosen_permutation(s, t.source, t.target.shape);
      }
      if (!affine || (!fits(s, t) && !s.verify_only)) {
        if (s.layout != "processor_major" || s.target_layout != s.layout || s.repeat != 1 ||
            s.policy != "sendrecv")
          throw example::usage_error(
              "the array is permuted file by file: --layout, "
              "--target-layout, --policy and --repeat are for arrays that "
              "fit into memory");
        if (!affine) {
          make_boxes(world, s, t);
        } else {
          t.plan = plan_for(s, t);
          look_for_earlier_run(s, t);
        }
      } else {
        if (!s.dry_run && !s.verify_only && bmmc::file::earlier_job(s.target))
          throw std::runtime_error(s.target +
                                   ": an earlier run that writes it did not finish; resume it");
        t.where = layouts{example::named_layout(s.layout, n, t.proc_bits),
                          example::named_layout(s.target_layout, n, t.proc_bits)};
      }
    } catch (example::unknown_name const& e) {
      unknown = e.what();
    } catch (example::usage_error const& e) {
      unknown = e.what();
    }
    if (s.dry_run || s.in_place) return;
    if (s.verify_only) return require_verifiable(s, t);
    std::error_code ignored;
    if (std::filesystem::equivalent(s.source, s.target, ignored))
      throw std::runtime_error(s.target + ": it is the source itself");
    t.target.data_offset =
        t.source.is_npy() ? example::npy_preamble(t.target.dtype, t.target.shape).size() : 0;
  });
  if (!unknown.empty()) throw example::usage_error(unknown);  // the same words on all processes
  return t;
}

/// Tile by tile or box by box, from file to file or in place.
void permute_by_parts(mpi::communicator const& world, settings const& s, task& t) {
  example::large_job j;
  j.source = s.source;
  j.target = s.in_place ? "" : s.target;
  j.data_offset = t.source.data_offset;
  j.io = s.io;
  j.resume = s.resume;
  j.quiet = s.quiet;
  example::together(world, [&] {
    if (!t.source.is_npy()) return;
    const bool other_header = t.target.shape != t.source.shape || t.source.fortran_order;
    if (!s.in_place)
      j.preamble = example::npy_preamble(t.target.dtype, t.target.shape, bmmc::file::page_bytes);
    else if (other_header)
      j.preamble = example::npy_preamble_of_size(t.target.dtype, t.target.shape, j.data_offset);
  });
  if (!s.in_place) t.target.data_offset = j.preamble.size();
  const mpi::timer clock;
  try {
    if (t.boxes) {
      const auto working = std::min<index_t>(working_processes(world, s), t.boxes->count());
      const bmmc::file::box_work work(*t.boxes, static_cast<unsigned>(working));
      example::permute_large(world, work, j);
    } else {
      example::permute_large(world, *t.plan, j);
    }
  } catch (example::failure const& e) {
    const std::string text = e.what();
    if (s.resume || !bmmc::file::has_journal(s.in_place ? s.source : s.target) ||
        text.find("earlier run") != text.npos || text.find("another run") != text.npos)
      throw;
    throw example::failure(text +
                           "\nWhat is done is kept: the same command with --resume goes on.");
  }
  if (world.rank() != 0) return;
  std::cout << std::fixed << std::setprecision(3) << "permuted in " << clock.elapsed() << " s\n"
            << (s.in_place ? s.source : s.target) << ": " << t.target.text() << std::endl;
}

/// Seconds that the slowest process takes for one call: the median of several.
double median_seconds(mpi::communicator const& world, std::int64_t repeat, auto call) {
  std::vector<double> seconds;
  for (std::int64_t k = 0; k < repeat; ++k) {
    world.barrier();
    const mpi::timer clock;
    call();
    seconds.push_back(mpi::all_reduce(world, clock.elapsed(), mpi::maximum<double>()));
  }
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

/// Reads the source, permutes it and writes the target, under another name until it is complete.
template <class T, class Comm>
void permute_file(mpi::communicator const& world, settings const& s, task const& t) {
  const unsigned n = t.source.bits();
  const auto proc = static_cast<index_t>(world.rank());
  const auto owned_by = [&](bmmc::layout::affine<> const& l) {
    return example::owned_indices(l.physical(n, t.proc_bits), t.proc_bits, proc);
  };
  std::vector<T> source, target;
  example::together(world, [&] {
    source.resize(bmmc::bit(n - t.proc_bits));
    target.resize(bmmc::bit(n - t.proc_bits));
  });
  auto permute = bmmc::make_permuter<T>(world, t.permutation, t.where, Comm{},
                                        {.kind = bmmc::call_kind::between_spans});
  mpi::timer clock;
  example::mpi_file in(world, s.source, MPI_MODE_RDONLY);
  in.read_chunk(std::span<T>(source), owned_by(t.where.source), t.source.data_offset);
  in.close();
  const double reading = clock.elapsed();

  const double seconds = median_seconds(world, s.repeat, [&] { permute(source, target); });

  clock.restart();
  std::string target_path, unfinished;
  bmmc::file::stored_file begun;
  example::together(world, [&] {
    target_path = bmmc::file::regular_target(s.target);
    unfinished = bmmc::file::unfinished_name(target_path) + "-2";
    if (world.rank() == 0) begun = bmmc::file::begin_target(target_path);
  });
  // That file stays locked and empty: MPI may lock the one that all processes write.
  const auto remove = [&](std::string const& path) {
    std::error_code ignored;
    if (world.rank() == 0) std::filesystem::remove(path, ignored);
  };
  try {
    // Open MPI 4.1 tells nobody where a collective write meets a full disk, so space is reserved.
    example::together(world, [&] {
      if (world.rank() != 0) return;
      const bmmc::file::stored_file made(unfinished, bmmc::file::access::update_or_create, false);
      made.clear();
      made.reserve(t.target.data_offset + t.target.bytes());
      if (!t.target.is_npy()) return;
      const auto preamble = example::npy_preamble(t.target.dtype, t.target.shape);
      made.write_at(0, preamble.data(), preamble.size());
    });
    example::mpi_file out(world, unfinished, MPI_MODE_WRONLY);
    out.write_chunk(std::span<T const>(target), owned_by(t.where.target), t.target.data_offset);
    out.close();
    example::together(world, [&] {
      if (world.rank() == 0) bmmc::file::put_in_place(unfinished, target_path);
    });
  } catch (example::failure const&) {
    remove(unfinished);
    remove(begun.path());
    throw;
  }
  remove(begun.path());
  if (world.rank() != 0) return;
  const double gib = static_cast<double>(t.source.bytes()) / (1U << 30);
  std::cout << std::fixed << std::setprecision(3) << "read in " << reading << " s, permuted in "
            << seconds << " s (" << gib / seconds << " GiB/s"
            << (s.repeat > 1 ? ", median of " + std::to_string(s.repeat) : "") << "), written in "
            << clock.elapsed() << " s\n"
            << s.target << ": " << t.target.text() << std::endl;
}

template <class T>
void with_policy(mpi::communicator const& world, settings const& s, task const& t) {
  namespace comm = bmmc::comm;
  if (s.policy == "alltoallv") return permute_file<T, comm::alltoallv>(world, s, t);
  if (s.policy == "sendrecv_replace") return permute_file<T, comm::sendrecv_replace>(world, s, t);
  permute_file<T, comm::sendrecv>(world, s, t);
}

void with_element(mpi::communicator const& world, settings const& s, task const& t) {
  switch (t.source.element_bytes) {
    case 1:
      return with_policy<std::uint8_t>(world, s, t);
    case 2:
      return with_policy<std::uint16_t>(world, s, t);
    case 4:
      return with_policy<std::uint32_t>(world, s, t);
    case 8:
      return with_policy<std::uint64_t>(world, s, t);
    default:
      return with_policy<std::array<std::uint64_t, 2>>(world, s, t);
  }
}

int program(mpi::communicator const& world, int argc, char** argv) {
  const settings s = example::parse(argc, argv);
  const bool speaks = world.rank() == 0;
  if (s.help) {
    if (speaks) std::cout << example::help_text() << std::flush;
    return 0;
  }
  task t = make_task(world, s);
  if (speaks && (!s.quiet || s.plan)) std::cout << s.source << ": " << t.source.text() << '\n';
  if (t.boxes) {
    if (speaks && (!s.quiet || s.plan)) std::cout << example::boxes_text(*t.boxes) << std::flush;
  } else if (t.plan) {
    if (speaks && (!s.quiet || s.plan)) std::cout << *t.plan << std::flush;
    if (s.plan)
      example::together(world, [&] {
        if (speaks) std::cout << example::times_text(*t.plan, s.source) << std::flush;
      });
  } else if (speaks && !s.quiet) {
    std::cout << bmmc::make_plan(t.permutation, t.where, static_cast<index_t>(world.size()))
              << (s.plan ? "it fits into memory: read, permuted there, and written\n" : "")
              << std::flush;
  }
  if (s.dry_run) return 0;
  if (!s.verify_only) {
    if (t.boxes || t.plan)
      permute_by_parts(world, s, t);
    else
      with_element(world, s, t);
  }
  if (!s.verify && !s.verify_only) return 0;
  const auto compare = [&](auto const& target_of) {
    return example::verify_files(world, s.source, t.source, s.target, t.target, target_of);
  };
  const index_t compared = t.boxes ? compare(example::axis_by_axis(t.source.shape, t.axes))
                                   : compare(example::row_by_row(t.permutation));
  if (speaks) std::cout << "verified " << compared << " elements of " << s.target << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const mpi::environment environment(argc, argv, mpi::threading::funneled);
  const mpi::communicator world;
  return example::run_together(world, "permute_file", [&] { return program(world, argc, argv); });
}
