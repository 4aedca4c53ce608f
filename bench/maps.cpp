// SPDX-License-Identifier: BSL-1.0

// Sums over an axis and repetition along an axis of a distributed array, beside what one would
// write with MPI's own collectives, where there is one for it, by every policy; in multiples of a
// copy of the larger array by all processes at once, taken in turn with them.
//   mpirun -np 2 maps [lg of elements] [repetitions]

#include <bmmc/gather.hpp>
#include <bmmc/gf2/elimination.hpp>
#include <bmmc/index/catalogue.hpp>
#include <bmmc/reduce.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/measure_all.hpp"
#include "support/regret.hpp"

namespace {

using bmmc::index_t;

/// Sums the rows of a matrix into one row.
void add_rows(double const* rows, index_t count, index_t length, double* sum) {
  std::copy_n(rows, length, sum);
  for (index_t k = 1; k < count; ++k)
    for (index_t j = 0; j < length; ++j) sum[j] += rows[k * length + j];
}

class session {
 public:
  session(unsigned bits, index_t procs, int repetitions)
      : bits_(bits),
        procs_(procs),
        repetitions_(repetitions),
        large_(bmmc::bit(bits) / procs, 1.0),
        other_(large_.size()),
        row_(large_.size()) {}

  /// An array of 2^lg_rows rows: sums over the rows, and repetition of one row.
  void rows(unsigned lg_rows) {
    const unsigned lg_row = bits_ - lg_rows;
    const auto map = bmmc::drop_bits(bits_, lg_row, lg_rows);
    const index_t row = bmmc::bit(lg_row), mine = bmmc::bit(lg_rows) / procs_;
    small_.assign(row / procs_, 1.0);
    const auto count = static_cast<int>(row / procs_);
    compare("sum of 2^" + std::to_string(lg_rows) + " rows", map, true, [=, this] {
      double const* summed = large_.data();
      if (mine > 1) {
        add_rows(large_.data(), mine, row, row_.data());
        summed = row_.data();
      }
      MPI_Reduce_scatter_block(summed, small_.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    });
    compare("one row to 2^" + std::to_string(lg_rows), map, false, [=, this] {
      MPI_Allgather(small_.data(), count, MPI_DOUBLE, large_.data(), count, MPI_DOUBLE,
                    MPI_COMM_WORLD);
      for (index_t k = 1; k < mine; ++k) std::copy_n(large_.data(), row, large_.data() + k * row);
    });
  }
  /// The same for columns, which lie inside a process.
  void columns(unsigned lg_cols) {
    const auto map = bmmc::drop_bits(bits_, 0, lg_cols);
    const index_t length = bmmc::bit(lg_cols);
    small_.assign(large_.size() / length, 1.0);
    compare("sum of 2^" + std::to_string(lg_cols) + " columns", map, true, [=, this] {
      for (index_t k = 0; k < small_.size(); ++k) {
        double sum = large_[k * length];
        for (index_t j = 1; j < length; ++j) sum += large_[k * length + j];
        small_[k] = sum;
      }
    });
    compare("one column to 2^" + std::to_string(lg_cols), map, false, [=, this] {
      for (index_t k = 0; k < small_.size(); ++k)
        std::fill_n(large_.data() + k * length, length, small_[k]);
    });
  }
  void print_regret() { regret_.print(); }
  /// A random map of a rank a little below its size.
  void random(unsigned lost) {
    std::mt19937_64 generator(5);
    const auto left = bmmc::random_permutation(bits_, generator),
               right = bmmc::random_permutation(bits_, generator);
    auto middle = bmmc::identity_matrix(bits_);
    for (unsigned j = 0; j < lost; ++j) middle.column[j] = 0;
    small_.assign(large_.size(), 1.0);
    const bmmc::affine_map map{left.matrix() * middle * right.matrix(), 1};
    const std::string name = "random of rank " + std::to_string(bits_ - lost);
    compare("sum, " + name, map, true, {});
    compare("gather, " + name, map, false, {});
  }

 private:
  using times = std::vector<double>;

  /// One policy's way, ready to be called.
  template <class Comm>
  [[nodiscard]] std::function<void()> way_of(bmmc::affine_map const& map, bool is_sum) {
    const auto settled = [&](auto& made, auto const& from, auto& to) {  // automatic tries its ways
      while (made.choice().find("from a span: will be tried") != std::string::npos) made(from, to);
    };
    if (is_sum) {
      const auto reduce =
          std::make_shared<bmmc::reducer<double, std::plus<>, Comm>>(MPI_COMM_WORLD, map);
      settled(*reduce, large_, small_);
      choice_ = reduce->choice();
      return [this, reduce] { (*reduce)(large_, small_); };
    }
    const auto gather = std::make_shared<bmmc::gatherer<double, Comm>>(MPI_COMM_WORLD, map);
    settled(*gather, small_, large_);
    choice_ = gather->choice();
    return [this, gather] { (*gather)(small_, large_); };
  }
  /// A source that lies in windows.
  [[nodiscard]] std::function<void()> way_of_shared_source(bmmc::affine_map const& map,
                                                           bool is_sum) {
    using bmmc::comm::shared_window;
    const auto source = std::make_shared<bmmc::shared_vector<double>>(
        MPI_COMM_WORLD, is_sum ? large_.size() : small_.size());
    std::fill(source->begin(), source->end(), 1.0);
    if (is_sum)
      return [this, source,
              reduce = std::make_shared<bmmc::reducer<double, std::plus<>, shared_window>>(
                  MPI_COMM_WORLD, map)] { (*reduce)(*source, small_); };
    return [this, source,
            gather = std::make_shared<bmmc::gatherer<double, shared_window>>(MPI_COMM_WORLD, map)] {
      (*gather)(*source, large_);
    };
  }

  void compare(std::string const& name, bmmc::affine_map const& map, bool is_sum,
               std::function<void()> const& naive) {
    using namespace bmmc::comm;
    const std::vector<std::pair<char const*, std::function<void()>>> ways{
        {"copy",
         [this] {
           measure::copy_past_cache(reinterpret_cast<std::byte*>(other_.data()),
                                    reinterpret_cast<std::byte const*>(large_.data()),
                                    large_.size() * sizeof(double));
         }},
        {"by hand", naive},
        {"sendrecv", way_of<sendrecv>(map, is_sum)},
        {"alltoallv", way_of<alltoallv>(map, is_sum)},
        {"pipelined", way_of<pipelined>(map, is_sum)},
        {"shared_window", way_of<shared_window>(map, is_sum)},
        {"shared source", way_of_shared_source(map, is_sum)},
        {"automatic", way_of<automatic>(map, is_sum)}};
    std::vector<times> taken(ways.size());
    // in turn, so that all meet the same machine; in another order each time, since each finds in
    // the caches what the one before has left
    std::vector<std::size_t> order(ways.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(1);  // the same on all processes
    for (int k = 0; k <= repetitions_; ++k) {
      for (std::size_t const i : order)
        if (ways[i].second) taken[i].push_back(measure::seconds_on_all(ways[i].second));
      std::shuffle(order.begin(), order.end(), random);
    }
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) return;
    for (auto& t : taken)
      if (!t.empty()) t.erase(t.begin());  // the first call touches memory
    const double copy = measure::median(taken[0]);
    const auto plan = bmmc::make_gather_plan(map, bmmc::layout::processor_major{}, procs_);
    const auto traffic = is_sum ? plan.sent(0) : plan.received(0);
    std::printf("%-27s %10llu received; copy %.2f ms;", name.c_str(),
                static_cast<unsigned long long>(traffic.elements), copy * 1e3);
    for (std::size_t i = 1; i < ways.size(); ++i)
      if (!taken[i].empty())
        std::printf(" %s %.2f", ways[i].first, measure::median(taken[i]) / copy);
    std::printf("\n");
    std::vector<measure::timed_policy> policies;
    for (std::size_t i = 2; i < ways.size(); ++i)
      if (ways[i].first != std::string("shared source"))
        policies.emplace_back(ways[i].first, taken[i]);
    regret_.add(name, policies);
    std::printf("  %s", choice_.c_str());
    std::fflush(stdout);
  }

  measure::regrets regret_;
  std::string choice_;  // of the last one made, which is automatic
  unsigned bits_;
  index_t procs_;
  int repetitions_;
  std::vector<double> large_, other_, row_, small_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, procs = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  const auto bits = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 24;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 5;
  const unsigned p = bmmc::proc_bits_of(static_cast<index_t>(procs));
  if (bits < 2 * p + 4 || bits > 34 || repetitions < 1) {
    if (rank == 0) std::cerr << "maps: lg of elements is 4 + 2 p to 34, repetitions 1 at least\n";
    MPI_Finalize();
    return 2;
  }
  if (rank == 0)
    std::printf("%s; 2^%lu elements (double) on %d processes, medians of %d, in copies\n",
                measure::machine().c_str(), bits, procs, repetitions);
  {
    const auto n = static_cast<unsigned>(bits);
    session s(n, static_cast<index_t>(procs), repetitions);
    s.rows(n / 2);
    s.rows(p == 0 ? 1 : p);
    s.columns(n / 2);
    s.columns(2);
    s.random(4);
    s.random(0);
    if (rank == 0) s.print_regret();
  }
  MPI_Finalize();
  return 0;
}
