// SPDX-License-Identifier: BSL-1.0

// gather: every target element names the source element that it takes, target[y] = source[A y + c].
// Elements may be repeated or left out, and both arrays are spread over the processes. Run it on 4
// processes.

#include <boost/mpi/environment.hpp>
#include <numeric>
#include <string>

#include <bmmc/gather.hpp>

#include "support/gathered.hpp"

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  const auto procs = static_cast<bmmc::index_t>(world.size());

  // A vector of 8 elements, 2 on each process.
  std::vector<int> vector(2);
  std::iota(vector.begin(), vector.end(), 2 * world.rank());
  example::print_chunks(world, "a vector", vector, 2);

  const auto show = [&](std::string const& title, bmmc::affine_map const& map, std::size_t width) {
    const auto plan = bmmc::make_gather_plan(map, bmmc::layout::processor_major{}, procs);
    std::vector<int> target(plan.target_elements());
    bmmc::gather<int>(world, vector, target, map);
    const auto received = plan.received(1);
    example::print_chunks(world,
                          (title + "; process 1 receives " + std::to_string(received.messages) +
                           " messages, " + std::to_string(received.elements) + " elements")
                              .c_str(),
                          target, width);
  };
  // A 4 x 8 matrix has indices of 2 row bits above 3 column bits; dropping the axis of the rows
  // leaves the index into the vector. Then the same along columns of an 8 x 4 matrix.
  show("4 equal rows", bmmc::drop_axes({2, 3}, {0}), 8);
  show("4 equal columns", bmmc::drop_axes({3, 2}, {1}), 4);
  // Columns of A are the images of 1, 2, 4: only every second element, and from 1 on.
  show("odd elements", {bmmc::bit_matrix<>(3, {2, 4}), 1}, 1);
}

// Prints:
// a vector
//   process 0:   0   1
//   process 1:   2   3
//   process 2:   4   5
//   process 3:   6   7
// 4 equal rows; process 1 receives 3 messages, 6 elements
//   process 0:   0   1   2   3   4   5   6   7
//   process 1:   0   1   2   3   4   5   6   7
//   process 2:   0   1   2   3   4   5   6   7
//   process 3:   0   1   2   3   4   5   6   7
// 4 equal columns; process 1 receives 0 messages, 0 elements
//   process 0:   0   0   0   0
//                1   1   1   1
//   process 1:   2   2   2   2
//                3   3   3   3
//   process 2:   4   4   4   4
//                5   5   5   5
//   process 3:   6   6   6   6
//                7   7   7   7
// odd elements; process 1 receives 0 messages, 0 elements
//   process 0:   1
//   process 1:   3
//   process 2:   5
//   process 3:   7
