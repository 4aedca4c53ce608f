// SPDX-License-Identifier: BSL-1.0

// gather and reduce by maps of any rank, against loops over all elements.

#include <algorithm>
#include <array>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/operations.hpp>
#include <optional>
#include <set>

#include <bmmc/gather.hpp>
#include <bmmc/reduce.hpp>

#include "mpi/cases.hpp"
#include "mpi/counting.hpp"
#include "mpi/policies.hpp"
#include "support/catch.hpp"
#include "support/singular.hpp"

namespace {

using bmmc::affine_map;
using bmmc::index_t;
namespace comm = bmmc::comm;
namespace element = bmmc::element;

#ifdef BMMC_TEST_FEWER
constexpr unsigned random_cases = 200;
#else
constexpr unsigned random_cases = 2000;
#endif

index_t me() { return static_cast<index_t>(cases::proc()); }

/// One map from 2^m domain indices to 2^n image indices, its arrays in layouts of two kinds, and
/// everything that the loops below need of it.
struct sample {
  affine_map map;
  unsigned m, n;
  int domain_kind, image_kind;
  std::vector<index_t> images;                      // of every domain index
  std::vector<oracle::spot> const *domain, *image;  // home of every index

  sample(oracle::affine const& from, int domain_layout, int image_layout)
      : map{to_library(from.a), oracle::to_number(from.c)},
        m(from.a.cols),
        n(from.a.rows),
        domain_kind(domain_layout),
        image_kind(image_layout),
        images{oracle::to_number(from.c)},
        domain(&cases::spots(domain_layout, m, cases::proc_bits())),
        image(&cases::spots(image_layout, n, cases::proc_bits())) {
    for (unsigned j = 0; j < m; ++j)  // each bit doubles the table
      for (std::size_t x = 0, half = images.size(); x < half; ++x)
        images.push_back(images[x] ^ oracle::column_word(from.a, j));
  }
  [[nodiscard]] std::string describe() const {
    return "layouts " + std::to_string(domain_kind) + " -> " + std::to_string(image_kind) + ", " +
           std::to_string(n) + " x " + std::to_string(m) + " of rank " +
           std::to_string(bmmc::matrix_rank(map.matrix));
  }
};

struct shape {
  unsigned n, m, rank;
};
/// All that these processes allow, up to 12 bits, in random order.
std::vector<shape> all_shapes(oracle::generator& random) {
  std::vector<shape> shapes;
  for (unsigned n = cases::proc_bits(); n <= 12; ++n)
    for (unsigned m = cases::proc_bits(); m <= 12; ++m)
      for (unsigned rank = 0; rank <= std::min(n, m); ++rank) shapes.push_back({n, m, rank});
  std::shuffle(shapes.begin(), shapes.end(), random);
  return shapes;
}
sample random_sample(shape const& s, oracle::generator& random) {
  const oracle::affine map{singular::random_of_rank(s.n, s.m, s.rank, random),
                           oracle::to_bits(random() % oracle::power(s.n), s.n)};
  return sample(map, static_cast<int>(random() % cases::layout_kinds),
                static_cast<int>(random() % cases::layout_kinds));
}
/// Index bits dropped and exchanged, as sums over axes drop them.
sample random_axes_sample(oracle::generator& random) {
  const unsigned p = cases::proc_bits();
  auto map = singular::random_axes(p + static_cast<unsigned>(random() % (13 - p)), random);
  while (map.a.rows < p) map = singular::random_axes(map.a.cols, random);
  return sample(map, static_cast<int>(random() % cases::layout_kinds),
                static_cast<int>(random() % cases::layout_kinds));
}

bool all_agree(bool right) {
  int mine = right ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return mine == 1;
}

template <class T, class Comm = comm::sendrecv, class Element = element::default_for<T>>
bool gathers(sample const& s, Comm const& policy = {}) {
  const bmmc::layout::between layout{cases::any_layout{s.image_kind},
                                     cases::any_layout{s.domain_kind}};
  const auto source = cases::elements<T>(cases::held(s.image_kind, s.n, cases::proc_bits()));
  auto expected = cases::held(s.domain_kind, s.m, cases::proc_bits());
  for (index_t& y : expected) y = s.images[y];
  std::vector<T> target(expected.size());
  auto untouched = source;
  bmmc::gather<T, Comm, std::remove_const_t<decltype(layout)>, Element>(
      MPI_COMM_WORLD, untouched, target, s.map, layout, policy);
  return all_agree(target == cases::elements<T>(expected) && untouched == source);
}

/// By the order that reducer states: own elements by offset, then processes by exclusive or.
template <class T>
std::vector<T> reduced(sample const& s, auto const& value, auto op, T const& unreached) {
  const index_t procs = index_t{1} << cases::proc_bits();
  std::vector<std::vector<index_t>> held(procs, std::vector<index_t>(s.domain->size() / procs));
  for (index_t x = 0; x < s.domain->size(); ++x)
    held[(*s.domain)[x].proc][(*s.domain)[x].offset] = x;
  std::vector<std::optional<T>> whole(s.image->size() / procs);
  for (index_t round = 0; round < procs; ++round) {
    std::vector<std::optional<T>> partial(whole.size());
    for (const index_t x : held[me() ^ round]) {
      const auto home = (*s.image)[s.images[x]];
      if (home.proc != me()) continue;
      auto& sum = partial[home.offset];
      sum = sum ? static_cast<T>(op(*sum, value(x))) : value(x);
    }
    for (index_t y = 0; y < whole.size(); ++y)
      if (partial[y])
        whole[y] = whole[y] ? static_cast<T>(op(*whole[y], *partial[y])) : *partial[y];
  }
  std::vector<T> result;
  for (auto const& y : whole) result.push_back(y.value_or(unreached));
  return result;
}

template <class T, class Comm = comm::sendrecv, class Element = element::default_for<T>>
bool reduces(sample const& s, auto const& value, auto op, T const& unreached,
             Comm const& policy = {}) {
  const bmmc::layout::between layout{cases::any_layout{s.domain_kind},
                                     cases::any_layout{s.image_kind}};
  std::vector<T> source;
  for (const index_t x : cases::held(s.domain_kind, s.m, cases::proc_bits()))
    source.push_back(value(x));
  const auto expected = reduced<T>(s, value, op, unreached);
  std::vector<T> target(expected.size());
  bmmc::reduce<T, decltype(op), Comm, std::remove_const_t<decltype(layout)>, Element>(
      MPI_COMM_WORLD, source, target, s.map, op, layout, policy, {.unreached = unreached});
  return all_agree(target == expected);
}

/// Doubles of many sizes: a sum in another order is another double.
double rough(index_t x) {
  const index_t mixed = x * 0x9e3779b97f4a7c15U + 12345;
  return std::ldexp(static_cast<double>(mixed >> 11), -static_cast<int>(mixed % 61) - 20);
}

/// Kept objects, whose sources lie anywhere in the first call and in windows later; data changes at
/// once after a call.
template <class Comm>
bool serves_shared_sources(sample const& s, Comm const& policy) {
  const cases::any_layout domain{s.domain_kind}, image{s.image_kind};
  auto gather = bmmc::make_gatherer<double>(MPI_COMM_WORLD, s.map,
                                            bmmc::layout::between{image, domain}, policy);
  auto reduce =
      bmmc::make_reducer<double>(MPI_COMM_WORLD, s.map, std::plus<>(),
                                 bmmc::layout::between{domain, image}, policy, {.unreached = -1.5});
  const auto on_image = cases::held(s.image_kind, s.n, cases::proc_bits());
  const auto on_domain = cases::held(s.domain_kind, s.m, cases::proc_bits());
  bmmc::shared_vector<double> picked(MPI_COMM_WORLD, on_image.size()),
      added(MPI_COMM_WORLD, on_domain.size());
  std::vector<double> spread(on_domain.size()), sums(on_image.size());
  bool is_right = true;
  for (index_t call = 0; call < 3; ++call) {
    const auto value = [call](index_t x) { return rough(x + 10000 * call); };
    std::transform(on_image.begin(), on_image.end(), picked.begin(), value);
    std::transform(on_domain.begin(), on_domain.end(), added.begin(), value);
    if (call == 0) {
      gather(std::span<double const>(picked.data(), picked.size()), spread);
      reduce(std::span<double const>(added.data(), added.size()), sums);
    } else {
      gather(picked, spread);
      reduce(added, sums);
    }
    for (std::size_t i = 0; i < spread.size(); ++i)
      is_right = is_right && spread[i] == value(s.images[on_domain[i]]);
    is_right = is_right && sums == reduced<double>(s, value, std::plus<>(), -1.5);
  }
  return all_agree(is_right);
}

/// How many processes read each other's memory.
template <class Comm>
index_t together(Comm const& policy, std::string const& choice) {
  const index_t all = index_t{1} << cases::proc_bits();
  if constexpr (std::derived_from<Comm, comm::shared_window>)
    return policy.processes_per_node == 0 ? all : static_cast<index_t>(policy.processes_per_node);
  else
    return choice.starts_with("automatic: shared_window") ? all : 1;
}

/// Whether a message may be cut into several.
bool is_cut(auto const& policy) {
  if constexpr (requires { policy.piece_bytes; })
    return policy.piece_bytes != 0;
  else
    return false;
}

/// Two counted calls, beside what this process sends, found element by element.
template <class T, class Comm>
void check_traffic(sample const& s, Comm const& policy) {
  const cases::any_layout domain{s.domain_kind}, image{s.image_kind};
  auto gather =
      bmmc::make_gatherer<T>(MPI_COMM_WORLD, s.map, bmmc::layout::between{image, domain}, policy);
  auto reduce = bmmc::make_reducer<T>(MPI_COMM_WORLD, s.map, std::plus<>(),
                                      bmmc::layout::between{domain, image}, policy);
  std::vector<T> on_image(gather.plan().source_elements(), 1),
      on_domain(gather.plan().target_elements());
  counted = {};
  gather(on_image, on_domain);
  const counts gathered = counted;
  counted = {};
  reduce(on_domain, on_image);
  const counts added = counted;
  for (counts const& seen : {gathered, added}) {
    if (!std::is_same_v<Comm, isend_irecv>) CHECK(seen.allocations == 0);
    CHECK(seen.reductions == 0);
  }
  std::set<std::pair<index_t, index_t>> gather_sends, reduce_sends;
  std::set<index_t> readers, writers;
  for (index_t x = 0; x < s.images.size(); ++x) {
    const auto from = (*s.image)[s.images[x]], to = (*s.domain)[x];
    if (from.proc == to.proc) continue;
    if (from.proc == me()) gather_sends.insert({to.proc, from.offset}), readers.insert(to.proc);
    if (to.proc == me()) reduce_sends.insert({from.proc, from.offset}), writers.insert(from.proc);
  }
  CHECK(gather.plan().sent(me()) == bmmc::traffic{readers.size(), gather_sends.size()});
  CHECK(reduce.plan().sent(me()) == bmmc::traffic{writers.size(), reduce_sends.size()});
  if (std::is_same_v<Comm, comm::alltoallv>) return;  // which counts for itself
  // memory is read within nodes
  const auto outside = [](auto const& all, index_t node, auto proc) {
    return static_cast<index_t>(std::count_if(
        all.begin(), all.end(), [&](auto const& one) { return (proc(one) ^ me()) >= node; }));
  };
  const auto compare = [&](counts const& seen, auto const& elements, auto const& procs,
                           std::string const& choice) {
    const index_t node = together(policy, choice);
    CHECK(seen.bytes == sizeof(T) * outside(elements, node, [](auto e) { return e.first; }));
    const auto messages = outside(procs, node, [](index_t proc) { return proc; });
    CHECK(seen.messages >= messages);
    if (!is_cut(policy)) CHECK(seen.messages == messages);
  };
  compare(gathered, gather_sends, readers, gather.choice());
  compare(added, reduce_sends, writers, reduce.choice());
}

static_assert(!comm::MapPolicy<comm::sendrecv_replace>);
static_assert(!comm::MapPolicy<comm::within_budget>);
static_assert(!comm::MapPolicy<comm::pairwise>);
static_assert(comm::MapPolicy<isend_irecv>);

/// Calls f with one of the policies that maps take.
constexpr unsigned policy_count = 9;
void with_policy(index_t which, auto f) {
  switch (which) {
    case 0:
      return f(comm::sendrecv());
    case 1:
      return f(comm::alltoallv());
    case 2:
      return f(comm::pipelined());
    case 3:
      return f(comm::pipelined(small_pieces()));
    case 4:
      return f(comm::shared_window());
    case 5:
      return f(comm::shared_window(nodes_of_two()));
    case 6:
      return f(comm::shared_window(small_nodes()));
    case 7:
      return f(comm::automatic());
    default:
      return f(isend_irecv());
  }
}

std::string word(index_t x) { return std::to_string(x) + ' '; }
std::complex<double> complex_rough(index_t x) { return {rough(x), -rough(x + 9)}; }
// none of these commutes
std::complex<double> turned(std::complex<double> a, std::complex<double> b) {
  return a * std::complex<double>(0, 1) + b;
}
const auto joined = [](std::string const& a, std::string const& b) { return a + b; };

}  // namespace

TEST_CASE("2000 random maps of all ranks equal loops over all elements", "[maps]") {
  oracle::generator random(2001);
  const auto shapes = all_shapes(random);
  for (unsigned turn = 0; turn < random_cases; ++turn) {
    const auto s = turn % 8 == 7 ? random_axes_sample(random)
                                 : random_sample(shapes[turn % shapes.size()], random);
    INFO(s.describe());
    with_policy(random() % policy_count, [&](auto const& way) {
      CHECK(gathers<index_t>(s, way));
      CHECK(reduces<double>(s, rough, std::plus<>(), -1.5, way));
    });
  }
}

TEST_CASE("elements of other types", "[maps]") {
  oracle::generator random(7);
  const auto shapes = all_shapes(random);
  for (unsigned turn = 0; turn < random_cases / 10; ++turn) {
    const auto s = random_sample(shapes[turn % shapes.size()], random);
    if (s.n > 9 || s.m > 9) continue;
    INFO(s.describe());
    CHECK(gathers<std::string>(s));
    CHECK(gathers<std::string, comm::alltoallv>(s));
    CHECK(gathers<std::string, comm::automatic>(s));
    CHECK(reduces<std::string, comm::shared_window>(s, word, joined, "none"));
    CHECK(reduces<std::string, comm::pipelined>(s, word, joined, "none"));
    CHECK(gathers<cases::record, comm::shared_window>(s));
    CHECK(gathers<double, nodes_of_two, element::native>(s));
    CHECK(reduces<std::complex<double>, nodes_of_two>(s, complex_rough, turned, {1, 1}));
    CHECK(reduces<std::complex<double>, small_pieces>(s, complex_rough, turned, {1, 1}));
    CHECK(reduces<std::string, comm::alltoallv>(s, word, joined, "none"));
    CHECK(gathers<std::uint8_t>(s));
    CHECK(gathers<std::string, isend_irecv>(s));
    CHECK(gathers<double, isend_irecv, element::native>(s));
    CHECK(reduces<std::string, isend_irecv>(s, word, joined, "none"));
    CHECK((reduces<int, isend_irecv, element::native>(s, cases::element<int>,
                                                      boost::mpi::maximum<int>(), -1)));
    CHECK(gathers<cases::record, comm::alltoallv>(s));
    CHECK(gathers<double, comm::sendrecv, element::native>(s));
    CHECK(reduces<std::string>(s, word, joined, "none"));
    CHECK(reduces<std::complex<double>>(s, complex_rough, turned, {1, 1}));
    CHECK(reduces<std::uint8_t>(s, cases::element<std::uint8_t>, std::plus<>(), 7));
    CHECK((reduces<int, comm::alltoallv, element::native>(s, cases::element<int>,
                                                          boost::mpi::maximum<int>(), -1)));
  }
}

TEST_CASE("maps serve sources in windows", "[maps]") {
  oracle::generator random(31);
  const auto shapes = all_shapes(random);
  const auto check = [](sample const& s, index_t policy) {
    INFO(s.describe());
    with_policy(policy, [&](auto const& way) { CHECK(serves_shared_sources(s, way)); });
  };
  for (unsigned turn = 0; turn < random_cases / 10; ++turn)
    check(random_sample(shapes[turn % shapes.size()], random), random() % policy_count);
  // from nothing dropped to so much that each element is wanted 64 times
  const unsigned m = cases::proc_bits() + 6;
  for (const unsigned dropped : {0U, 1U, 6U})
    for (int layout = 0; layout < cases::layout_kinds; ++layout)
      for (index_t policy = 0; policy < policy_count; ++policy) {
        const auto map = bmmc::drop_bits(m, m - dropped, dropped);
        check(sample({oracle::read(map.matrix), oracle::to_bits(0, m - dropped)}, 0, layout),
              policy);
      }
  // lists that are offsets on process 0 alone: odd processes have neighbours exchanged
  if (cases::proc_bits() == 0) return;
  auto map = bmmc::drop_bits(m, 0, 0);
  map.matrix.column[6] |= 1;
  for (index_t policy = 0; policy < policy_count; ++policy)
    check(sample({oracle::read(map.matrix), oracle::to_bits(bmmc::bit(6), m)}, 0, 0), policy);
}

TEST_CASE("a message of more than one part", "[maps]") {
  // every process adds its whole chunk of 2^18 doubles to all: two parts of 1 MiB for each
  const unsigned p = cases::proc_bits(), n = p + 18;
  bmmc::bit_matrix<> a(n, n);
  for (unsigned j = 0; j < 18; ++j) a.column[j] = bmmc::bit((5 * j + 1) % 18);
  const oracle::affine map{oracle::read(a), oracle::to_bits(0, n)};
  const sample s(map, 0, 0);
  for (const index_t policy : {0U, 1U, 2U, 4U, 5U})
    with_policy(policy, [&](auto const& way) {
      CHECK(reduces<double>(s, rough, std::plus<>(), 0.25, way));
      CHECK(gathers<double>(s, way));
    });
}

TEMPLATE_TEST_CASE("a repeated call allocates nothing and sends what the plan says", "[maps]",
                   std::uint16_t, double) {
  oracle::generator random(11);
  const auto shapes = all_shapes(random);
  for (unsigned turn = 0; turn < 400; ++turn) {
    const auto s = random_sample(shapes[turn % shapes.size()], random);
    INFO(s.describe());
    with_policy(turn % policy_count, [&](auto const& way) { check_traffic<TestType>(s, way); });
  }
}

TEST_CASE("kept objects serve other data in each call, and outlive their communicator", "[maps]") {
  const unsigned n = cases::proc_bits() + 4;
  const auto sums = bmmc::drop_bits(n, 1, 3);  // of 8 neighbours but one
  const auto build = [&] {
    const boost::mpi::communicator temporary(MPI_COMM_WORLD, boost::mpi::comm_duplicate);
    return std::pair(bmmc::make_reducer<index_t>(temporary, sums),
                     bmmc::make_gatherer<std::string>(temporary, sums));
  };
  auto [reduce, gather] = build();
  for (index_t call = 1; call < 4; ++call) {
    std::vector<index_t> source, target(2);
    for (index_t o = 0; o < 16; ++o) source.push_back(call * (16 * me() + o));
    reduce(source, target);
    // bits 1 .. 3 run through 0, 2 .. 14 above 16 me + (0 or 1)
    CHECK(target == std::vector<index_t>{call * (8 * 16 * me() + 56), call * (8 * 16 * me() + 64)});
    const std::vector<std::string> words{word(call + me()), word(call)};
    std::vector<std::string> spread(16);
    gather(words, spread);
    for (index_t o = 0; o < 16; ++o) CHECK(spread[o] == words[o % 2]);
  }
}

TEST_CASE("all processes read a source in windows alike, whatever each adds to its places",
          "[mpi]") {
  if (cases::proc_bits() == 0) return;
  // Bit 2 and the first process bit change places, so no process wants whole lines; those of odd
  // numbers want no runs either.
  const unsigned n = cases::proc_bits() + 8;
  auto a = bmmc::identity_matrix(n);
  a.column[2] = bmmc::bit(8);
  a.column[8] = bmmc::bit(2) ^ 1;
  const affine_map map{a, 0};
  bmmc::shared_vector<double> shared(MPI_COMM_WORLD, 256);
  const index_t first = 256 * static_cast<index_t>(cases::proc());
  for (index_t i = 0; i < 256; ++i) shared[i] = rough(first + i);
  std::vector<double> target(256), expected(256);
  for (index_t i = 0; i < 256; ++i) expected[i] = rough(map(first + i));
  auto gather = bmmc::make_gatherer<double>(MPI_COMM_WORLD, map, {}, comm::shared_window{});
  for (int call = 0; call < 3; ++call) {
    target.assign(256, 0);
    gather(shared, target);
    CHECK(target == expected);
  }
}

TEST_CASE("a shared source of processes in another order is an array as any other", "[mpi]") {
  const int last = static_cast<int>(1U << cases::proc_bits()) - 1;
  const auto mirrored = comm::renumbered(MPI_COMM_WORLD, last - cases::proc());
  const unsigned n = cases::proc_bits() + 4;
  const bmmc::affine_map map{bmmc::bit_reversal(n).matrix(), 1};
  std::vector<double> source(16), target(16), sums(16), expected(16);
  for (std::size_t i = 0; i < source.size(); ++i)
    source[i] = rough(i + 16 * static_cast<index_t>(cases::proc()));
  bmmc::shared_vector<double> shared(MPI_COMM_WORLD, source.size());
  std::copy(source.begin(), source.end(), shared.begin());
  auto gather = bmmc::make_gatherer<double>(mirrored, map, {}, comm::shared_window{});
  gather(source, expected);
  gather(shared, target);
  CHECK(target == expected);
  auto reduce = bmmc::make_reducer<double>(mirrored, map, std::plus<>(), {}, comm::shared_window{});
  reduce(source, expected);
  reduce(shared, sums);
  CHECK(sums == expected);
}

TEST_CASE("sums that others read are written in every way, and every call is right", "[maps]") {
  oracle::generator random(23);
  const unsigned n = cases::proc_bits() + 11;
  const auto drop_high = bmmc::drop_bits(n, n - 3, 3);
  const std::array maps{drop_high, bmmc::drop_bits(n, n - 6, 3),
                        compose(drop_high, bmmc::as_map(bmmc::bit_reversal(n))),
                        compose(drop_high, bmmc::as_map(bmmc::random_permutation(n, random)))};
  for (affine_map const& map : maps) {
    auto reduce =
        bmmc::make_reducer<index_t>(MPI_COMM_WORLD, map, std::plus<>(), {}, comm::shared_window());
    std::vector<index_t> source(bmmc::bit(11)), target(bmmc::bit(8));
    bool is_right = true;
    for (index_t call = 0; call < 10; ++call) {
      const auto value = [call](index_t x) { return x * x + call; };
      for (index_t i = 0; i < source.size(); ++i) source[i] = value(source.size() * me() + i);
      reduce(source, target);
      std::vector<index_t> sums(bmmc::bit(n - 3));
      for (index_t x = 0; x < bmmc::bit(n); ++x) sums[map.matrix * x ^ map.complement] += value(x);
      is_right =
          is_right && std::equal(target.begin(), target.end(),
                                 sums.begin() + static_cast<std::ptrdiff_t>(target.size() * me()));
    }
    CHECK(all_agree(is_right));
  }
}
