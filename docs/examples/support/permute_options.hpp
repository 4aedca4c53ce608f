// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "names.hpp"
#include "usage.hpp"

namespace example {

/// What the options of permute_file say.
struct settings {
  std::string source, target;
  std::vector<std::string> permutations;
  std::string axes, matrix, layout, target_layout, policy, memory, block, io;
  std::int64_t element_bytes = 0, repeat = 1, disks = 1;
  std::string request_cost, flush_cost;  // empty: to be measured
  bool help = false, verify = false, verify_only = false, dry_run = false, quiet = false;
  bool in_place = false, resume = false, plan = false;
};

inline boost::program_options::options_description options_into(settings& s) {
  namespace po = boost::program_options;
  po::options_description options("Options");
  options.add_options()                                                                        //
      ("help,h", po::bool_switch(&s.help), "this text")                                        //
      ("permutation,p", po::value(&s.permutations)->composing()->value_name("NAME"),           //
       "a permutation from the list below; several are carried out in the order given")        //
      ("matrix,m", po::value(&s.matrix)->value_name("FILE"),                                   //
       "a permutation from a file: rows of 0 or . and 1, bit 0 first, and the bits of the "    //
       "complement behind a bar, if any; carried out after those of --permutation")            //
      ("axes", po::value(&s.axes)->value_name("LIST"),                                         //
       "axis k of the result is axis LIST[k] of the source, as in numpy's transpose: "         //
       "2,0,1 for example. SOURCE may be in Fortran order; TARGET is in C order. --in-place "  //
       "is only for extents that are powers of two")                                           //
      ("element-bytes,e", po::value(&s.element_bytes)->value_name("BYTES"),                    //
       "SOURCE is a raw file; size of an element: 1 to 16 times 2^k")                          //
      ("verify,v", po::bool_switch(&s.verify),                                                 //
       "compare SOURCE and TARGET element by element afterwards")                              //
      ("verify-only", po::bool_switch(&s.verify_only), "compare them, and write nothing")      //
      ("dry-run,n", po::bool_switch(&s.dry_run), "print the plan and stop")                    //
      ("quiet,q", po::bool_switch(&s.quiet), "print neither plan nor progress");
  po::options_description large("Arrays larger than memory");
  large.add_options()                                                                           //
      ("memory", po::value(&s.memory)->value_name("BYTES"),                                     //
       "memory for the array, of all processes together, as in 16G (half of the memory of "     //
       "the machine); a larger array is permuted tile by tile")                                 //
      ("block", po::value(&s.block)->value_name("BYTES"),                                       //
       "read and write at least this much at a time, as in 64K (that of the fastest plan)")     //
      ("in-place", po::bool_switch(&s.in_place),                                                //
       "permute SOURCE itself, without TARGET; SOURCE.journal needs disk space for two tiles")  //
      ("resume", po::bool_switch(&s.resume),                                                    //
       "continue an earlier run with the same options that was interrupted")                    //
      ("plan", po::bool_switch(&s.plan),
       "print what would be done, and how long it and a copy take")(
          "request-cost", po::value(&s.request_cost)->value_name("BYTES"),                     //
          "the time that a request takes beside its bytes, as the bytes that the disk could "  //
          "move in it; measured by reading for a second unless given")                         //
      ("flush-cost", po::value(&s.flush_cost)->value_name("BYTES"),                            //
       "the same of waiting until the disk has what was written, as --in-place does three "    //
       "times for two tiles; measured in a file without a name unless given")                  //
      ("disks", po::value(&s.disks)->default_value(1)->value_name("NUMBER"),                   //
       "the number of disks, which as many processes can use without slowing each other "      //
       "down; on one disk fewer processes with larger tiles may be faster than all")           //
      ("io", po::value(&s.io)->default_value("automatic")->value_name("NAME"),                 //
       "threads or uring (io_uring, the default where there is one)");
  po::options_description fitting("Arrays that fit into memory");
  fitting.add_options()  //
      ("layout,l", po::value(&s.layout)->default_value("processor_major")->value_name("NAME"),
       "which process holds which element while they are permuted")                    //
      ("target-layout", po::value(&s.target_layout)->value_name("NAME"),               //
       "which process holds which element afterwards, if different")                   //
      ("policy", po::value(&s.policy)->default_value("sendrecv")->value_name("NAME"),  //
       "how elements are sent: sendrecv, sendrecv_replace or alltoallv")               //
      ("repeat,r", po::value(&s.repeat)->default_value(1)->value_name("TIMES"),        //
       "permute this many times and print the median time");
  options.add(large).add(fitting);
  return options;
}

inline std::string help_text() {
  settings unused;
  std::ostringstream text;
  text
      << "Permutes an array file: the element at index x goes to index y = A x + c over GF(2).\n\n"
         "  permute_file [OPTIONS] SOURCE TARGET\n"
         "  permute_file [OPTIONS] --in-place SOURCE\n"
         "  mpirun -np PROCS permute_file [OPTIONS] SOURCE TARGET\n\n"
         "SOURCE is a .npy file or a raw one; TARGET becomes one of the same kind. The numbers of\n"
         "elements and of processes are powers of two, but for --axes of extents that are none.\n"
         "TARGET appears when it is complete.\n\n"
         "  permute_file --axes 2,0,1 volume.npy turned.npy\n"
         "  permute_file -p bit_reversal --memory 16G --plan huge.npy\n"
         "  permute_file -p bit_reversal --memory 16G --in-place huge.npy\n"
         "  permute_file -m matrix.txt -e 12 records.bin permuted.bin\n\n"
      << options_into(unused) << "\nPermutations of an array of 2^n elements\n"
      << permutation_names << "\nLayouts on 2^p processes\n"
      << layout_names
      << "\nExit code: 0 success, 1 failure (the message says whether --resume can go on), 2 wrong "
         "usage.\n";
  return text.str();
}

/// Throws usage_error.
inline settings parse(int argc, char** argv) {
  namespace po = boost::program_options;
  settings s;
  po::options_description all = options_into(s);
  all.add_options()("source", po::value(&s.source))("target", po::value(&s.target));
  po::positional_options_description places;
  places.add("source", 1).add("target", 1);
  require_plain(argc, argv);
  try {
    po::variables_map values;
    po::store(po::command_line_parser(argc, argv).options(all).positional(places).run(), values);
    po::notify(values);
  } catch (po::error const& e) {
    throw usage_error(e.what());
  }
  if (s.help) return s;
  if (s.source.empty()) throw usage_error("a SOURCE file is missing");
  s.dry_run |= s.plan;
  if (s.in_place && !s.target.empty()) throw usage_error("--in-place takes one file");
  if (s.in_place && (s.verify || s.verify_only))
    throw usage_error("--verify compares two files; --in-place has one");
  if (s.target.empty() && !s.dry_run && !s.in_place) throw usage_error("a TARGET file is missing");
  if (s.permutations.empty() && s.matrix.empty() && s.axes.empty())
    throw usage_error("give --permutation, --axes or --matrix");
  if (!s.axes.empty() && !(s.permutations.empty() && s.matrix.empty()))
    throw usage_error("--axes does not go together with --permutation or --matrix");
  if (s.element_bytes < 0 || s.element_bytes > 1 << 20)
    throw usage_error("--element-bytes takes 1 to 1048576");
  if (s.io != "automatic" && s.io != "threads" && s.io != "uring")
    throw usage_error("--io takes threads or uring, not '" + s.io + "'");
  for (auto const* text : {&s.memory, &s.block, &s.request_cost, &s.flush_cost})
    if (!text->empty())
      static_cast<void>(
          parse_bytes("--memory, --block, --request-cost or --flush-cost", *text));
  if (s.disks < 1 || s.disks > 1 << 20) throw usage_error("--disks takes 1 or more");
  if (s.policy != "sendrecv" && s.policy != "sendrecv_replace" && s.policy != "alltoallv")
    throw usage_error("there is no policy named '" + s.policy + "'");
  if (s.repeat < 1 || s.repeat > 1000000)
    throw usage_error("--repeat takes 1 or more, up to 1000000");
  if (s.target_layout.empty()) s.target_layout = s.layout;
  return s;
}

}  // namespace example
