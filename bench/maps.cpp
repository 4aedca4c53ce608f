// SPDX-License-Identifier: BSL-1.0

// Sums over an axis and repetition along an axis of a distributed array, beside what one would
// write with MPI's own collectives, where there is one for it, by every policy; in multiples of a
// copy of the larger array by all processes at once, the faster of two, taken in turn with them.
//   mpirun -np 2 bench_maps [LG_ELEMENTS [REPETITIONS]]

#include <bmmc/gather.hpp>
#include <bmmc/gf2/elimination.hpp>
#include <bmmc/index/catalogue.hpp>
#include <bmmc/reduce.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/contest.hpp"
#include "support/numbers.hpp"
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

  /// All ways in turn, and once more where automatic was slow.
  void compare(std::string const& name, bmmc::affine_map const& map, bool is_sum,
               std::function<void()> const& naive) {
    using namespace bmmc::comm;
    measure::contest ways(reinterpret_cast<std::byte*>(other_.data()),
                          reinterpret_cast<std::byte const*>(large_.data()),
                          large_.size() * sizeof(double));
    if (naive) ways.add("by hand", naive);
    ways.add("shared source", way_of_shared_source(map, is_sum));
    const std::size_t first_policy = ways.ways().size();
    ways.add("sendrecv", way_of<sendrecv>(map, is_sum));
    ways.add("alltoallv", way_of<alltoallv>(map, is_sum));
    ways.add("pipelined", way_of<pipelined>(map, is_sum));
    ways.add("shared_window", way_of<shared_window>(map, is_sum));
    ways.add("automatic", way_of<automatic>(map, is_sum));
    for (const bool is_second : {false, true}) {
      ways.run(repetitions_, seconds);
      std::vector<measure::timed_policy> policies;
      for (std::size_t i = first_policy; i < ways.ways().size(); ++i)
        policies.emplace_back(ways.ways()[i].name, ways.ways()[i].times);
      if (measure::rank() == 0) {
        if (!is_second) print(name, map, is_sum, ways);
        regret_.add(name, policies, is_second);
        std::fflush(stdout);
      }
      if (measure::regrets::of(policies) <= measure::regrets::small) return;
    }
  }

  void print(std::string const& name, bmmc::affine_map const& map, bool is_sum,
             measure::contest const& ways) const {
    const auto plan = bmmc::make_gather_plan(map, bmmc::layout::processor_major{}, procs_);
    const auto traffic = is_sum ? plan.sent(0) : plan.received(0);
    std::printf("%-27s %10llu received; copy %.2f ms;", name.c_str(),
                static_cast<unsigned long long>(traffic.elements),
                1e3 * std::min(ways.ways()[0].seconds(), ways.ways()[1].seconds()));
    for (std::size_t i = 2; i < ways.ways().size(); ++i)
      std::printf(" %s %.2f", ways.ways()[i].name.c_str(), ways.ways()[i].ratio());
    std::printf("\n%s%s", choice_.empty() ? "" : "  ", choice_.c_str());
  }

  static constexpr double seconds = 1;  // for one map, three rounds at least
  measure::regrets regret_;
  std::string choice_;  // of the last one made, which is automatic
  unsigned bits_;
  index_t procs_;
  int repetitions_;
  std::vector<double> large_, other_, row_, small_;
};

}  // namespace

int main(int argc, char** argv) {
  int bits = 24, repetitions = 7;
  const auto read = [&] {
    return measure::read_numbers(
        argc, argv, "Sums over an axis and repetition along an axis, beside MPI's own calls",
        {{"lg-elements", &bits, 4, 34,
          "lg of the number of doubles, 4 and two more for each bit of a process"},
         {"repetitions", &repetitions, 1, 1 << 20, "timed rounds at most"}});
  };
  return measure::run_on_all(argc, argv, read, [&] {
    const int rank = measure::rank(), procs = measure::procs();
    const unsigned p = bmmc::proc_bits_of(static_cast<index_t>(procs));
    const auto n = static_cast<unsigned>(bits);
    if (n < 2 * p + 4)
      throw std::invalid_argument("2^" + std::to_string(n) + " elements are too few for " +
                                  std::to_string(procs) + " processes");
    if (rank == 0)
      std::printf("%s; 2^%u elements (double) on %d processes, medians of up to %d, in copies\n",
                  measure::machine().c_str(), n, procs, repetitions);
    session s(n, static_cast<index_t>(procs), repetitions);
    s.rows(n / 2);
    s.rows(p == 0 ? 1 : p);
    s.columns(n / 2);
    s.columns(2);
    s.random(4);
    s.random(0);
    if (rank == 0) s.print_regret();
    return 0;
  });
}
