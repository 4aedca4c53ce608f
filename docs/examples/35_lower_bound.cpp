// SPDX-License-Identifier: BSL-1.0

// What must leave a process, and what plans send: for each permutation the elements that another
// process has to hold afterwards are counted one by one, and beside them stands what the plan says,
// in elements of one process (the mean over all of them); then the same with processes
// renumbered. No scheme can send less than must leave.

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <bmmc/planning.hpp>

namespace {

using bmmc::index_t;

struct named {
  std::string name;
  bmmc::permutation<> map;
};

/// Elements whose process, in blocks, is another one afterwards.
index_t count_leaving(bmmc::permutation<> const& map, unsigned m) {
  index_t count = 0;
  for (index_t x = 0; x < index_t{1} << map.bits(); ++x) count += (map(x) ^ x) >> m != 0 ? 1 : 0;
  return count;
}

/// Elements of all messages that do not go to their own sender.
index_t count_sent(bmmc::plan const& plan) {
  index_t messages = 0;
  for (index_t proc = 0; proc < plan.procs(); ++proc)
    for (index_t step = 0; step < plan.messages(); ++step)
      messages += plan.target(proc, step) != proc ? 1 : 0;
  return messages * plan.message_elements();
}

void print_table(unsigned p, unsigned m) {
  const unsigned n = m + p;
  const index_t procs = index_t{1} << p;
  std::mt19937_64 random(1997);
  bmmc::circuit<> cnots(n);
  for (int gate = 0; gate < 200; ++gate) {
    const auto control = static_cast<unsigned>(random() % n);
    cnots.cnot(control, (control + 1 + static_cast<unsigned>(random() % (n - 1))) % n);
  }
  const std::vector<named> list{{"bit reversal", bmmc::bit_reversal(n)},
                                {"transpose", bmmc::transpose(n / 2, n - n / 2)},
                                {"random A c", bmmc::random_permutation(n, random)},
                                {"block to cyclic", bmmc::block_to_cyclic(n, bmmc::bit(p))},
                                {"200 CNOTs", cnots},
                                {"shuffle", bmmc::shuffle(n)},
                                {"Gray encode", bmmc::gray_encode(n)}};
  std::printf("%4u processes, %u elements each\n", 1U << p, 1U << m);
  std::printf("  %-16s %9s %11s %11s %11s\n", "", "messages", "must leave", "sent", "relabelled");
  for (auto const& [name, map] : list) {
    const auto plan = bmmc::make_plan(map, bmmc::layout::processor_major{}, procs);
    const auto relabelled = bmmc::make_plan(map, bmmc::relabelled(map), procs);
    const auto mean = [&](index_t all) { return static_cast<double>(all) / (1U << p); };
    std::printf("  %-16s %9llu %11.1f %11.1f %11.1f\n", name.c_str(),
                static_cast<unsigned long long>(plan.messages()), mean(count_leaving(map, m)),
                mean(count_sent(plan)), mean(count_sent(relabelled)));
  }
}

}  // namespace

int main() {
  print_table(4, 12);
  print_table(6, 12);
  print_table(10, 10);
}

// Prints:
//   16 processes, 4096 elements each
//                     messages  must leave        sent  relabelled
//   bit reversal            16      3840.0      3840.0      3840.0
//   transpose               16      3840.0      3840.0      3840.0
//   random A c              16      3840.0      3840.0      3840.0
//   block to cyclic         16      3840.0      3840.0      3840.0
//   200 CNOTs               16      3840.0      3840.0      3840.0
//   shuffle                  2      3840.0      3840.0      2048.0
//   Gray encode              1      3584.0      3584.0         0.0
//   64 processes, 4096 elements each
//                     messages  must leave        sent  relabelled
//   bit reversal            64      4032.0      4032.0      4032.0
//   transpose               64      4032.0      4032.0      4032.0
//   random A c              64      4032.0      4032.0      4032.0
//   block to cyclic         64      4032.0      4032.0      4032.0
//   200 CNOTs               64      4032.0      4032.0      4032.0
//   shuffle                  2      4032.0      4032.0      2048.0
//   Gray encode              1      3968.0      3968.0         0.0
// 1024 processes, 1024 elements each
//                     messages  must leave        sent  relabelled
//   bit reversal          1024      1023.0      1023.0      1023.0
//   transpose             1024      1023.0      1023.0      1023.0
//   random A c             256      1023.0      1023.0      1020.0
//   block to cyclic       1024      1023.0      1023.0      1023.0
//   200 CNOTs              512      1023.0      1023.0      1022.0
//   shuffle                  2      1023.0      1023.0       512.0
//   Gray encode              1      1022.0      1022.0         0.0
