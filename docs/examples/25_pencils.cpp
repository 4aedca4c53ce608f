// SPDX-License-Identifier: BSL-1.0

// The distributions of a three-dimensional FFT of 4 x 4 x 4 elements. A transform along an axis
// needs that axis on one process: slabs have two such axes, pencils one. Run it on 4 processes.

#include <boost/mpi/environment.hpp>

#include "support/gathered.hpp"

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  using bmmc::array_layout, bmmc::axis;
  const auto whole = axis::local(2), over_4 = axis::blocks(2, 4), over_2 = axis::blocks(2, 2);

  const array_layout slabs{over_4, whole, whole};     // planes x: transform along y and z
  const array_layout along_z{over_2, over_2, whole};  // 2 x 2 pencils
  const array_layout along_y{over_2, whole, over_2};
  const array_layout along_x{whole, over_2, over_2};

  const auto tell = [&](char const* name, array_layout const& from, array_layout const& to) {
    const auto plan =
        bmmc::make_plan(bmmc::identity_permutation(6), bmmc::layout::between{from, to},
                        static_cast<bmmc::index_t>(world.size()));
    if (world.rank() == 0)
      std::cout << name << ": " << plan.messages() << " messages of " << plan.message_elements()
                << " elements per process, counting the one to itself\n";
  };
  tell("slabs to pencils along x  ", slabs, along_x);
  tell("pencils along z to along y", along_z, along_y);
  tell("pencils along y to along x", along_y, along_x);
  tell("slabs to pencils along z  ", slabs, along_z);

  auto chunk = example::own_indices(world, along_z);
  example::print_chunks(world, "pencils along z: four of them, one in a row", chunk, 4);
  bmmc::redistribute<int>(world, chunk, along_z, along_y);
  bmmc::redistribute<int>(world, chunk, along_y, along_x);
  example::print_chunks(world, "pencils along x: four of them, one in a column", chunk, 4);
  bmmc::redistribute<int>(world, chunk, along_x, slabs);
  example::print_chunks(world, "slabs", chunk, 16);
}

// Prints:
// slabs to pencils along x  : 4 messages of 4 elements per process, counting the one to itself
// pencils along z to along y: 2 messages of 8 elements per process, counting the one to itself
// pencils along y to along x: 2 messages of 8 elements per process, counting the one to itself
// slabs to pencils along z  : 2 messages of 8 elements per process, counting the one to itself
// pencils along z: four of them, one in a row
//   process 0:   0   1   2   3
//                4   5   6   7
//               16  17  18  19
//               20  21  22  23
//   process 1:   8   9  10  11
//               12  13  14  15
//               24  25  26  27
//               28  29  30  31
//   process 2:  32  33  34  35
//               36  37  38  39
//               48  49  50  51
//               52  53  54  55
//   process 3:  40  41  42  43
//               44  45  46  47
//               56  57  58  59
//               60  61  62  63
// pencils along x: four of them, one in a column
//   process 0:   0   1   4   5
//               16  17  20  21
//               32  33  36  37
//               48  49  52  53
//   process 1:   2   3   6   7
//               18  19  22  23
//               34  35  38  39
//               50  51  54  55
//   process 2:   8   9  12  13
//               24  25  28  29
//               40  41  44  45
//               56  57  60  61
//   process 3:  10  11  14  15
//               26  27  30  31
//               42  43  46  47
//               58  59  62  63
// slabs
//   process 0:   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
//   process 1:  16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31
//   process 2:  32  33  34  35  36  37  38  39  40  41  42  43  44  45  46  47
//   process 3:  48  49  50  51  52  53  54  55  56  57  58  59  60  61  62  63
