// SPDX-License-Identifier: BSL-1.0

// reduce: every source element names the place that it adds to, target[A x + c] += source[x], with
// any operation. Each process combines its own elements before anything travels. Run it on 4
// processes.

#include <boost/mpi/environment.hpp>
#include <boost/mpi/operations.hpp>
#include <numeric>
#include <string>

#include <bmmc/reduce.hpp>

#include "support/gathered.hpp"

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  const auto procs = static_cast<bmmc::index_t>(world.size());

  // 4 x 2 x 4 elements, the first axis over the processes; every element holds its index.
  std::vector<int> array(8);
  std::iota(array.begin(), array.end(), 8 * world.rank());
  example::print_chunks(world, "a 4 x 2 x 4 array", array, 4);

  const auto show = [&](std::string const& title, bmmc::affine_map const& map, auto op,
                        std::size_t width) {
    const auto plan = bmmc::make_reduce_plan(map, bmmc::layout::processor_major{}, procs);
    std::vector<int> target(plan.target_elements());
    bmmc::reduce<int>(world, array, target, map, op, {}, {}, {.unreached = -1});
    const auto received = plan.received(1);
    example::print_chunks(world,
                          (title + "; process 1 receives " + std::to_string(received.messages) +
                           " messages, " + std::to_string(received.elements) + " elements")
                              .c_str(),
                          target, width);
  };
  show("sums over the last axis", bmmc::drop_axes({2, 1, 2}, {2}), std::plus<>(), 2);
  show("sums over the first axis", bmmc::drop_axes({2, 1, 2}, {0}), std::plus<>(), 2);
  show("largest over the last two", bmmc::drop_axes({2, 1, 2}, {1, 2}), boost::mpi::maximum<int>(),
       1);
  // Columns of A are the images of 1, 2, 4, 8, 16: sums over pairs, to every second place.
  show("sums of pairs", {bmmc::bit_matrix<>(5, {0, 2, 4, 8, 16}), 0}, std::plus<>(), 8);

  // Built once, called often: no allocation, no communication but the data.
  auto sum = bmmc::make_reducer<int>(world, bmmc::drop_axes({2, 1, 2}, {0}));
  std::vector<int> target(sum.plan().target_elements());
  for (int call = 0; call < 3; ++call) {
    sum(array, target);
    for (int& element : array) element *= 2;
  }
  example::print_chunks(world, "sums over the first axis of 4 times the array", target, 2);
}

// Prints:
// a 4 x 2 x 4 array
//   process 0:   0   1   2   3
//                4   5   6   7
//   process 1:   8   9  10  11
//               12  13  14  15
//   process 2:  16  17  18  19
//               20  21  22  23
//   process 3:  24  25  26  27
//               28  29  30  31
// sums over the last axis; process 1 receives 0 messages, 0 elements
//   process 0:   6  22
//   process 1:  38  54
//   process 2:  70  86
//   process 3: 102 118
// sums over the first axis; process 1 receives 3 messages, 6 elements
//   process 0:  48  52
//   process 1:  56  60
//   process 2:  64  68
//   process 3:  72  76
// largest over the last two; process 1 receives 0 messages, 0 elements
//   process 0:   7
//   process 1:  15
//   process 2:  23
//   process 3:  31
// sums of pairs; process 1 receives 0 messages, 0 elements
//   process 0:   1  -1   5  -1   9  -1  13  -1
//   process 1:  17  -1  21  -1  25  -1  29  -1
//   process 2:  33  -1  37  -1  41  -1  45  -1
//   process 3:  49  -1  53  -1  57  -1  61  -1
// sums over the first axis of 4 times the array
//   process 0: 192 208
//   process 1: 224 240
//   process 2: 256 272
//   process 3: 288 304
