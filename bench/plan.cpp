// SPDX-License-Identifier: BSL-1.0

// What a plan costs: time and memory, up to a million processes.

#include <bmmc/planning.hpp>
#include <cstdio>
#include <random>

#include "support/measure.hpp"

namespace {

/// Median microseconds of `work`, which returns a number so that it is not left out.
template <class Work>
double microseconds(Work work, bmmc::index_t& sum) {
  std::vector<double> times;
  for (int k = 0; k < 1001; ++k) {
    const double start = measure::now();
    sum += work();
    times.push_back(measure::now() - start);
  }
  return measure::median(times) * 1e6;
}

}  // namespace

int main() {
  std::printf("%s; a plan has %zu bytes, whatever n and p are\n", measure::machine().c_str(),
              sizeof(bmmc::plan));
  std::printf("%4s %4s %10s %22s %22s\n", "n", "p", "processes", "plan from (A, c), us",
              "partners of 1 step, us");
  std::mt19937_64 random(50);
  bmmc::index_t sum = 0;
  for (const auto& [n, p] : {std::pair{20U, 3U}, {30U, 10U}, {50U, 20U}, {63U, 31U}}) {
    const auto map = bmmc::random_permutation(n, random);
    const auto build = [&] {
      return make_plan(map, bmmc::layout::processor_minor{}, bmmc::bit(p));
    };
    const double plan_time = microseconds([&] { return build().messages(); }, sum);
    const auto plan = build();
    bmmc::index_t step = 0;
    const double step_time = microseconds(
        [&] {
          ++step;
          return plan.target(5, step % plan.messages()) ^ plan.source(5, step % plan.messages());
        },
        sum);
    std::printf("%4u %4u %10llu %22.2f %22.3f\n", n, p,
                static_cast<unsigned long long>(plan.procs()), plan_time, step_time);
  }
  return sum == 0 ? 1 : 0;
}
