// SPDX-License-Identifier: BSL-1.0
// Local permutations against a copy of the same bytes, and against the Gray-code loop. Options: see
// `usage`.

#include <bmmc/index/catalogue.hpp>
#include <bmmc/local/in_place.hpp>
#include <bmmc/local/measured_shape.hpp>
#include <bmmc/local/permute.hpp>
#include <bmmc/local/reference.hpp>
#include <bmmc/local/tuning/shape_text.hpp>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <random>
#include <string_view>

#include "local/copy.hpp"

namespace {

constexpr char const* usage =
    R"(bench_local [--from LG] [--to LG] [--step LG] [--size BYTES] [--matrices COUNT]
            [--offset BYTES] [--source-offset BYTES] [--target-offset BYTES] [--huge-pages]
            [--stream-from BYTES] [--threads COUNT] [--use portable|avx2|avx512|neon] [--in-place]
            [--measure | --shape "SETTINGS"] [--gray | --no-gray] [--seconds COUNT]
            [--csv FILE] [--help]

--measure asks measured_shape() which form of tiles is the fastest here, --shape takes the
words of local::to_text. LG are sizes of the data as powers of two bytes, 10 to 30. The
Gray-code loop is run beside the catalogue and one random matrix, with --gray beside all, for
data of up to 2^27 bytes and within half the time. After --seconds, 600 if not given, the rest
is left out, and that is said. With one thread, data of the size of the last-level cache and more
come from memory: other memory is read before each permutation and before each copy.
Calls are repeated, up to four times as many, until enough ran on cores that no other virtual machine
used, by a loop just before and just after each. A map without such a call, or copy, is marked as
disturbed.
--in-place permutes one array, in one to three passes and more: ratios are of one of them.
)";

struct options {
  unsigned from = 19, to = 28, step = 3;
  std::size_t size = 0, matrices = 20, source_offset = 0, target_offset = 0;
  int threads = 1;
  bool gray = true, all_gray = false, huge_pages = false, in_place = false;
  double seconds = 600, begin = measure::now();
  std::string csv;
  bmmc::local::tuning tuning{};

  [[nodiscard]] double used() const { return (measure::now() - begin) / seconds; }
};

struct entry {
  std::string name, kind;
  bmmc::permutation<> p;
};

/// Every permutation of the catalogue, and random ones. Kinds: what the map asks of the machine.
std::vector<entry> entries(unsigned n, std::size_t matrices) {
  using namespace bmmc;
  std::vector<entry> all{{"identity", "blocks", identity_permutation(n)},
                         {"high bits reversed", "blocks",
                          [n] {
                            auto a =
                                identity_matrix(n);  // 2^12 elements or half the bits stay in place
                            const unsigned low = std::min(12U, n / 2);
                            for (unsigned j = low; j < n; ++j) a.column[j] = bit(n - 1 - (j - low));
                            return permutation<>(a);
                          }()},
                         {"gray encode", "gray", gray_encode(n)},
                         {"gray decode", "gray", gray_decode(n)},
                         {"vector reversal", "bits", vector_reversal(n)},
                         {"shuffle", "bits", shuffle(n)},
                         {"unshuffle", "bits", unshuffle(n)},
                         {"transpose", "bits", transpose(n / 2, n - n / 2)},
                         {"transpose 1:3", "bits", transpose(n / 4, n - n / 4)},
                         {"bit reversal", "bits", bit_reversal(n)},
                         {"block to cyclic 16", "bits", block_to_cyclic(n, bit(std::min(n, 4U)))},
                         {"cyclic to block 16", "bits", cyclic_to_block(n, bit(std::min(n, 4U)))},
                         {"morton encode", "bits", morton_encode(n & ~1U)},
                         {"morton decode", "bits", morton_decode(n & ~1U)},
                         {"swap ends", "bits", swap_bits(n, 0, n - 1)},
                         {"cnot up", "gates", cnot(n, 0, n - 1)},
                         {"cnot down", "gates", cnot(n, n - 1, 0)},
                         {"flip", "gates", flip(n, n / 2)}};
  std::mt19937_64 generator(1);
  for (std::size_t i = 0; i < matrices; ++i)
    all.push_back({"random " + std::to_string(i), "random", random_permutation(n, generator)});
  for (auto& e : all)  // Morton order needs an even number of bits: the last one stays
    if (e.p.bits() < n) {
      auto a = identity_matrix(n);
      for (unsigned j = 0; j < e.p.bits(); ++j) a.column[j] = e.p.matrix().column[j];
      e.p = permutation<>(a);
    }
  return all;
}

struct result {
  double ratio;
  bool is_quiet;
};
using table = std::map<std::tuple<std::size_t, unsigned, std::string>, std::vector<result>>;

/// One permutation from source to target, or of the target in place.
template <class T>
struct job {
  job(bmmc::permutation<> const& p, options const& o) {
    if (o.in_place)
      passes = inside.emplace(p, o.tuning).passes();
    else
      across.emplace(p, o.tuning);
  }
  template <class Execution>
  void operator()(T const* source, T* target, Execution const& execution) const {
    if (inside)
      (*inside)(target, execution);
    else
      (*across)(source, target, execution);
  }

  std::optional<bmmc::local::pass<T>> across;
  std::optional<bmmc::local::in_place_pass<T>> inside;
  std::size_t passes = 1;
};

template <class T, class Execution>
void measure_size(options const& o, measure::quiet_core<Execution>& core, measure::memory const& a,
                  measure::memory const& b, measure::other_memory const& others, table& results,
                  std::FILE* csv) {
  constexpr auto lg_size = static_cast<unsigned>(std::bit_width(sizeof(T))) - 1;
  if (o.size != 0 && o.size != sizeof(T)) return;
  for (unsigned lg = std::max(o.from, lg_size); lg <= o.to; lg += o.step) {
    const std::size_t bytes = std::size_t{1} << lg;
    // Copies past the caches come before: a call or two do not bring all of a target back.
    const std::size_t times = std::max<std::size_t>(1, (std::size_t{1} << 25) >> lg);
    const int samples = lg >= 27 ? 3 : 5;
    const auto cold = [&] {  // other threads would go to sleep meanwhile, and be woken late
      if (o.threads == 1 && measure::other_memory::holds_less_than(bytes)) others.read();
    };
    std::byte const* const source_bytes = a.data() + o.source_offset;
    std::byte* const target_bytes = b.data() + o.target_offset;
    auto const* const source = reinterpret_cast<T const*>(source_bytes);
    T* const target = reinterpret_cast<T*>(target_bytes);
    std::printf("\n%zu-byte elements, 2^%u bytes\n%-20s %10s %7s %7s %9s\n", sizeof(T), lg, "",
                "ms", "copy ms", "ratio", "gray loop");
    for (auto const& e : entries(lg - lg_size, o.matrices)) {
      if (o.used() > 1) {
        std::printf("the time is up: the rest is left out\n");
        return;
      }
      const job<T> permute(e.p, o);
      if (permute.passes == 0) continue;  // the identity in place
      std::vector<measure::timing> copies, calls;
      for (int i = 0; i < samples; ++i) {
        copies.push_back(measure::copy_once(core, target_bytes, source_bytes, bytes, times, cold));
        calls.push_back(core.time([&] { permute(source, target, core.execution()); }, times, cold));
      }
      const auto [copy, is_copy_quiet] = measure::median(copies);
      const auto [call, is_call_quiet] = measure::median(calls);
      const double ms = call / static_cast<double>(permute.passes);
      const bool is_quiet = is_copy_quiet && is_call_quiet;
      double loop = 0;
      if (o.gray && !o.in_place && lg <= 27 && o.used() < 0.5 &&
          (o.all_gray || e.kind != "random" || e.name == "random 0"))
        loop = measure::milliseconds([&] { bmmc::local::gray_code_loop(source, target, e.p); });
      std::printf("%-20s %10.4f %7.4f %7.2f", e.name.c_str(), ms, copy, ms / copy);
      if (loop > 0) std::printf(" %9.1f", loop / ms);
      if (!is_quiet) std::printf("  disturbed");
      std::printf("\n");
      std::fflush(stdout);
      if (csv != nullptr)
        std::fprintf(csv, "%zu,%u,%s,%s,%.6f,%.6f,%.4f,%.2f\n", sizeof(T), lg, e.kind.c_str(),
                     e.name.c_str(), ms, copy, ms / copy, loop / ms);
      results[{sizeof(T), lg, e.kind}].push_back({ms / copy, is_quiet});
      results[{sizeof(T), lg, "all"}].push_back({ms / copy, is_quiet});
    }
  }
}

/// One line for each size of element and of data: median and worst of each class of maps, and how
/// many maps were never measured on quiet cores.
void summary(table const& results) {
  constexpr char const* kinds[] = {"blocks", "gray", "gates", "bits", "random", "all"};
  std::printf("\nratio to a copy, median and worst\n%5s %6s", "bytes", "2^data");
  for (auto const* kind : kinds) std::printf(" %13s", kind);
  std::printf(" %10s", "disturbed");
  std::map<std::pair<std::size_t, unsigned>, bool> rows;
  for (auto const& [key, list] : results) rows[{std::get<0>(key), std::get<1>(key)}] = true;
  for (auto const& [row, unused] : rows) {
    std::printf("\n%5zu %6u", row.first, row.second);
    for (auto const* kind : kinds) {
      const auto found = results.find({row.first, row.second, kind});
      std::vector<double> ratios;
      if (found != results.end())
        for (auto const& r : found->second) ratios.push_back(r.ratio);
      if (ratios.empty())
        std::printf(" %13s", "-");
      else
        std::printf("   %5.2f %5.2f", measure::median(ratios),
                    *std::max_element(ratios.begin(), ratios.end()));
    }
    auto const& all = results.at({row.first, row.second, "all"});
    std::printf(" %10td",
                std::count_if(all.begin(), all.end(), [](result const& r) { return !r.is_quiet; }));
  }
  std::printf("\n");
}

options parse(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--no-gray" || name == "--gray" || name == "--huge-pages" || name == "--in-place") {
      o.gray = o.gray && name != "--no-gray";
      o.all_gray = o.all_gray || name == "--gray";
      o.huge_pages = o.huge_pages || name == "--huge-pages";
      o.in_place = o.in_place || name == "--in-place";
      continue;
    }
    if (name == "--measure") {
      const double begin = measure::now();
      o.tuning.shape = bmmc::local::measured_shape();
      std::printf("measured in %.2f s\n", measure::now() - begin);
      continue;
    }
    if (i + 1 == argc) throw bmmc::bad_value("no value after " + std::string(name));
    const std::string value = argv[++i];
    const auto number = [&] { return static_cast<unsigned>(std::stoul(value)); };
    if (name == "--from")
      o.from = number();
    else if (name == "--to")
      o.to = std::min(number(), 30U);
    else if (name == "--step")
      o.step = std::max(number(), 1U);
    else if (name == "--size")
      o.size = number();
    else if (name == "--seconds")
      o.seconds = std::stod(value);
    else if (name == "--matrices")
      o.matrices = number();
    else if (name == "--threads") {
      o.threads = static_cast<int>(number());
      if (o.threads < 1) throw bmmc::bad_value("--threads takes 1 and more");
    } else if (name == "--offset")
      o.source_offset = o.target_offset = number() & 63U;
    else if (name == "--source-offset")
      o.source_offset = number() & 63U;
    else if (name == "--target-offset")
      o.target_offset = number() & 63U;
    else if (name == "--csv")
      o.csv = value;
    else if (name == "--shape")
      o.tuning.shape = bmmc::local::parse_shape(value);
    else if (name == "--stream-from")
      o.tuning.stream_from = std::stoull(value);
    else if (name == "--use") {
      using bmmc::local::instructions;
      o.tuning.use = value == "avx512" ? instructions::avx512
                     : value == "avx2" ? instructions::avx2
                     : value == "neon" ? instructions::neon
                                       : instructions::portable;
      if (!available(o.tuning.use)) throw bmmc::bad_value("this machine has no " + value);
    } else
      throw bmmc::bad_value("unknown option " + std::string(name));
  }
  return o;
}

struct alignas(16) sixteen {
  double re, im;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::fputs(usage, stdout);
    return 0;
  }
  const options o = parse(argc, argv);
  std::printf(
      "%s %s, %s, %d thread(s), source and target %zu and %zu bytes after a page begins%s%s\n",
      measure::machine().c_str(), BENCH_FLAGS, to_text(o.tuning.use).c_str(), o.threads,
      o.source_offset, o.target_offset, o.huge_pages ? ", huge pages" : "",
      o.in_place ? ", in place, a pass" : "");
  std::printf("caches: %s; tiles: %s\n", measure::caches().c_str(),
              bmmc::local::to_text(o.tuning.shape).c_str());
  const std::size_t bytes = (std::size_t{1} << o.to) + 64;
  const measure::memory a(bytes, o.huge_pages), b(bytes, o.huge_pages);
  const measure::other_memory others;
  std::FILE* const csv = o.csv.empty() ? nullptr : std::fopen(o.csv.c_str(), "w");
  if (csv != nullptr) std::fprintf(csv, "size,lg_bytes,kind,name,ms,copy_ms,ratio,gray\n");
  table results;
  const auto run = [&](auto const& execution) {
    measure::quiet_core core(execution, static_cast<std::size_t>(o.threads));
    const auto sizes = [&]<class... T>(T...) {
      (measure_size<T>(o, core, a, b, others, results, csv), ...);
    };
    sizes(std::uint8_t{}, std::uint16_t{}, std::uint32_t{}, std::uint64_t{}, sixteen{});
    summary(results);
    std::printf("%s\n", core.report().c_str());
  };
  if (o.threads == 1)
    run(bmmc::local::sequential{});
  else
    run(bmmc::local::parallel{o.threads});
  if (csv != nullptr) std::fclose(csv);
} catch (std::exception const& error) {
  std::fprintf(stderr, "bench_local: %s\n%s", error.what(), usage);
  return 2;
}
