// SPDX-License-Identifier: BSL-1.0

// Permutations on cosets over processes, against a loop that tests each condition on every index:
// policies, layouts and element types; memory outside of the coset is guarded.

#include <sys/mman.h>

#include <algorithm>

#include <boost/mpi/communicator.hpp>

#include <bmmc/permute/circuit.hpp>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "mpi/counting.hpp"
#include "mpi/fragile.hpp"
#include "mpi/policies.hpp"
#include "support/catch.hpp"
#include "support/every_coset.hpp"

namespace {

namespace comm = bmmc::comm;
namespace element = bmmc::element;
using bmmc::bit;
using bmmc::coset_permutation;
using bmmc::index_t;

#ifdef BMMC_TEST_FEWER
constexpr int random_cases = 36;
#else
constexpr int random_cases = 180;
#endif

/// What is wrong with a permutation on a coset, in place and from source to target; nothing where
/// all is well.
template <class T, class Comm>
std::string fault(every_coset::sample const& s, int layout_kind, Comm const& policy = {}) {
  const unsigned p = cases::proc_bits();
  const cases::any_layout layout{layout_kind};
  std::vector<index_t> targets;
  for (index_t x = 0; x < bit(s.n); ++x) targets.push_back(s.target(x));
  const auto before = cases::elements<T>(cases::held(layout_kind, s.n, p));
  const auto after = cases::elements<T>(cases::held(layout_kind, s.n, p, &targets));
  auto chunk = before;
  bmmc::permute<T, Comm>(MPI_COMM_WORLD, chunk, s.on_coset(), layout, policy);
  if (chunk != after) return "in place";
  auto kept = bmmc::make_permuter<T, Comm>(MPI_COMM_WORLD, s.on_coset(), layout, policy);
  chunk = before;
  std::vector<T> other(chunk.size());
  for (int call = 0; call < 2; ++call) {
    kept(chunk, other);
    if (other != after) return "from source to target";
    if (chunk != before) return "the source was changed";
  }
  kept(std::span<T>(chunk));
  return chunk == after ? "" : "in place, again";
}
std::string fault(int kind, every_coset::sample const& s, int layout) {
  switch (kind % 9) {
    case 0:
      return fault<std::uint32_t, comm::automatic>(s, layout);
    case 1:
      return fault<double, comm::sendrecv_replace>(s, layout);
    case 2:
      return fault<index_t, comm::alltoallv>(s, layout);
    case 3:
      return fault<cases::record, isend_irecv>(s, layout);
    case 4:
      return fault<double, comm::dimension_exchange>(s, layout);
    case 5:
      return fault<std::string, comm::automatic>(s, layout);
    case 6:
      return fault<std::complex<double>, comm::sendrecv>(s, layout);
    case 7:
      return fault<double, comm::shared_window>(s, layout);
    default:
      return fault<unsigned char, small_pieces>(s, layout);
  }
}

/// What is wrong with a circuit that takes index x to targets[x], called once and kept.
template <class T>
std::string circuit_fault(bmmc::controlled_circuit const& circuit,
                          std::vector<index_t> const& targets, int layout_kind) {
  const unsigned p = cases::proc_bits(), n = circuit.bits();
  const cases::any_layout layout{layout_kind};
  auto chunk = cases::elements<T>(cases::held(layout_kind, n, p));
  auto other = chunk;
  const auto after = cases::elements<T>(cases::held(layout_kind, n, p, &targets));
  bmmc::permute(MPI_COMM_WORLD, chunk, circuit, layout);
  if (chunk != after) return "in one call";
  auto kept = bmmc::make_permuter<T>(MPI_COMM_WORLD, circuit, layout);
  kept(other);
  if (other != after) return "kept";
  if (kept.moves() != kept.plan().steps().size()) return "moves";
  return explain(kept).find("moves") != std::string::npos ? "" : "explain";
}

/// An array each of whose pages may be read and written, or not.
class guarded_chunk {
 public:
  using amplitude = std::complex<double>;
  static constexpr unsigned page_elements = 8;  // lg, of 4096 bytes

  explicit guarded_chunk(unsigned bits) : bytes_(sizeof(amplitude) << bits) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory_ != MAP_FAILED);
  }
  guarded_chunk(guarded_chunk const&) = delete;
  guarded_chunk& operator=(guarded_chunk const&) = delete;
  ~guarded_chunk() { munmap(memory_, bytes_); }

  void forbid(index_t page) {
    REQUIRE(mprotect(static_cast<char*>(memory_) + (page << 12), 4096, PROT_NONE) == 0);
  }
  void allow_all() { REQUIRE(mprotect(memory_, bytes_, PROT_READ | PROT_WRITE) == 0); }
  [[nodiscard]] std::span<amplitude> elements() const {
    return {static_cast<amplitude*>(memory_), bytes_ / sizeof(amplitude)};
  }

 private:
  std::size_t bytes_;
  void* memory_;
};

/// Carries out c with all pages that hold no element of its coset out of reach.
void check_guarded(coset_permutation const& c) {
  const unsigned p = cases::proc_bits(), m = c.bits() - p;
  const index_t first = static_cast<index_t>(cases::proc()) << m;
  guarded_chunk chunk(m);
  for (index_t i = 0; i < bit(m); ++i)
    chunk.elements()[i] = cases::element<guarded_chunk::amplitude>(first | i);
  for (index_t page = 0; page < bit(m - guarded_chunk::page_elements); ++page) {
    bool is_used = false;
    for (index_t i = 0; i < bit(guarded_chunk::page_elements); ++i)
      is_used = is_used || c.where().contains(first | page << guarded_chunk::page_elements | i);
    if (!is_used) chunk.forbid(page);
  }
  bmmc::permute(MPI_COMM_WORLD, chunk.elements(), c);
  chunk.allow_all();
  const auto back = inverse(c);
  bool right = true;
  for (index_t i = 0; i < bit(m); ++i)
    right =
        right && chunk.elements()[i] == cases::element<guarded_chunk::amplitude>(back(first | i));
  CHECK(right);
}

}  // namespace

TEST_CASE("random cosets, layouts, policies and elements", "[coset]") {
  oracle::generator random(23);
  const unsigned p = cases::proc_bits();
  for (int k = 0; k < random_cases; ++k) {
    const auto s = every_coset::random(p + static_cast<unsigned>(random() % (11 - p)), random);
    const auto layout = static_cast<int>(random() % cases::layout_kinds);
    if (const auto text = fault(k, s, layout); !text.empty())
      FAIL(text << ", policy " << k % 9 << ", layout " << layout << ": " << s.describe());
  }
}

TEST_CASE("every coset of 2 bits and every permutation that keeps it", "[coset]") {
  if (cases::proc_bits() > 2) return;
  for (unsigned n = cases::proc_bits(); n <= 2; ++n)
    every_coset::for_each(n, [&](every_coset::sample const& s) {
      if (const auto text = fault<index_t, comm::automatic>(s, 0); !text.empty())
        FAIL(text << ": " << s.describe());
    });
}

TEST_CASE("memory outside of the coset is not touched", "[coset]") {
  const unsigned p = cases::proc_bits(), n = p + 12;
  using bmmc::controlled;
  const index_t controls = bit(10) | bit(11);
  check_guarded(controlled(bmmc::flip(n, 3), controls));
  check_guarded(controlled(bmmc::flip(n, 9), controls));
  check_guarded(controlled(bmmc::flip(n, n - 1), p > 0 ? controls : bit(10)));
  check_guarded(on_coset(bmmc::swap_bits(n, 2, 8), {{bit(n - 1) | bit(9), true}}));
  oracle::generator random(5);
  const auto mixed = bmmc::random_permutation(10, random);
  auto a = bmmc::identity_matrix(n);
  for (unsigned j = 0; j < 10; ++j) a.column[j] = mixed.matrix().column[j];
  check_guarded(controlled(bmmc::permutation<>(a, mixed.complement()), controls));
  if (p == 0) return;
  check_guarded(controlled(bmmc::flip(n, 9), controls | bit(n - 1)));
  check_guarded(controlled(bmmc::swap_bits(n, 8, n - 1), controls));
}

TEST_CASE("a process without elements of the coset is not waited for", "[coset]") {
  const unsigned p = cases::proc_bits(), n = p + 6;
  if (p < 2) return;
  // the upper half of the processes exchanges among itself; the lower half comes when that is done
  const auto c = bmmc::controlled(bmmc::swap_bits(n, 0, n - 2), bit(n - 1));
  auto permute = bmmc::make_permuter<double>(MPI_COMM_WORLD, c);
  std::vector<double> chunk(bit(6), cases::proc());
  const int half = agreed::procs() / 2, me = cases::proc();
  CHECK(permute.plan().is_active(static_cast<index_t>(me)) == (me >= half));
  const auto before = counted;
  if (me < half) MPI_Recv(nullptr, 0, MPI_INT, me + half, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  permute(chunk);
  if (me >= half) MPI_Send(nullptr, 0, MPI_INT, me - half, 7, MPI_COMM_WORLD);
  CHECK(counted.reductions == before.reductions);
  if (me < half) CHECK(counted.messages == before.messages);
}

TEST_CASE("a repeated call allocates nothing and sends what was planned", "[coset]") {
  const unsigned p = cases::proc_bits(), n = p + 8;
  const auto c =
      bmmc::controlled(p > 0 ? bmmc::swap_bits(n, 2, n - 1) : bmmc::flip(n, 2), bit(6) | bit(7));
  auto permute = bmmc::make_permuter<index_t>(MPI_COMM_WORLD, c);
  std::vector<index_t> chunk(bit(8));
  permute(chunk);
  const auto before = counted;
  permute(chunk);
  CHECK(counted.allocations == before.allocations);
  CHECK(counted.reductions == before.reductions);
  const auto sent = permute.plan().sent(static_cast<index_t>(cases::proc()));
  CHECK(counted.messages - before.messages == sent.messages);
  CHECK(counted.bytes - before.bytes == sizeof(index_t) * sent.elements);
  CHECK(sent.elements == (p > 0 ? bit(5) : 0));
}

TEST_CASE("workspace: lent, too small, and what is needed of it", "[coset]") {
  const unsigned p = cases::proc_bits(), n = p + 8;
  if (p == 0) return;
  const auto c = bmmc::controlled(bmmc::flip(n, n - 1), bit(6) | bit(7));
  using permuter = bmmc::coset_permuter<double>;
  const auto plan = bmmc::make_plan(c, {}, bit(p));
  CHECK(permuter::workspace_elements(plan) >= 2 * bit(6));
  CHECK((bmmc::coset_permuter<double, comm::sendrecv_replace>::workspace_elements(plan)) <
        3 * bit(6));
  std::vector<double> lent(permuter::workspace_elements(plan)), chunk(bit(8), cases::proc());
  auto permute =
      bmmc::make_permuter<double>(MPI_COMM_WORLD, c, {}, comm::automatic{}, {.lent = lent});
  permute(chunk);
  const double other = cases::proc() ^ (agreed::procs() / 2);
  CHECK(chunk.back() == other);
  CHECK(chunk.front() == cases::proc());
  CHECK_THROWS_AS(permute(std::span(lent).first(bit(8))), bmmc::bad_value);
  lent.pop_back();
  CHECK(agreed::holds(agreed::agreed_text([&] {
                        static_cast<void>(bmmc::make_permuter<double>(
                            MPI_COMM_WORLD, c, {}, comm::automatic{}, {.lent = lent}));
                      }),
                      "workspace lent"));
}

TEST_CASE("circuits with controlled gates", "[coset]") {
  oracle::generator random(26);
  const unsigned p = cases::proc_bits();
  for (int k = 0; k < random_cases / 6; ++k) {
    const unsigned n = std::max(3U, p + static_cast<unsigned>(random() % (11 - p)));
    bmmc::controlled_circuit circuit(n);
    std::vector<index_t> targets;
    for (index_t x = 0; x < bit(n); ++x) targets.push_back(x);
    for (index_t g = random() % 6; g > 0; --g) {
      auto s = every_coset::random(n, random);
      if (random() % 2 == 0) {
        s.conditions.clear();
        circuit.then(bmmc::permutation<>(to_library(s.map.a), oracle::to_number(s.map.c)));
      } else {
        circuit.then(s.on_coset());
      }
      for (index_t& y : targets) y = s.target(y);
    }
    const auto layout_kind = static_cast<int>(random() % cases::layout_kinds);
    if (k % 3 == 0)
      CHECK(circuit_fault<std::string>(circuit, targets, layout_kind) == "");
    else if (k % 3 == 1)
      CHECK(circuit_fault<std::complex<double>>(circuit, targets, layout_kind) == "");
    else
      CHECK(circuit_fault<index_t>(circuit, targets, layout_kind) == "");
  }
}

TEST_CASE("a far Toffoli gate with many pieces, called again and again", "[coset]") {
  const unsigned p = cases::proc_bits(), n = p + 17;
  if (p == 0) return;
  // by memory that both processes see, and by messages; lines, and conditions inside of them
  for (const auto conditions : {bit(5) | bit(9), bit(0) | bit(7)}) {
    const auto toffoli = bmmc::controlled(bmmc::flip(n, n - 1), conditions);
    std::vector<std::complex<double>> chunk(bit(17)), other(chunk.size());
    const index_t first = static_cast<index_t>(cases::proc()) << 17;
    for (index_t i = 0; i < chunk.size(); ++i) chunk[i] = static_cast<double>(first | i);
    auto shared = bmmc::make_permuter<std::complex<double>>(MPI_COMM_WORLD, toffoli);
    auto sent = bmmc::make_permuter<std::complex<double>>(
        MPI_COMM_WORLD, toffoli, bmmc::layout::processor_major{}, comm::pipelined{});
    const auto wrong = [&](bool flipped, auto const& state) {
      index_t count = 0;
      for (index_t i = 0; i < state.size(); ++i)
        if (state[i] != static_cast<double>(flipped ? toffoli(first | i) : first | i)) ++count;
      return count;
    };
    for (int call = 0; call < 9; ++call) {  // past the caches, in them, and whichever is faster
      shared(std::span(chunk));
      CHECK(wrong(call % 2 == 0, chunk) == 0);
    }
    shared(chunk, other);
    CHECK(wrong(false, other) == 0);
    sent(std::span(chunk));
    CHECK(wrong(false, chunk) == 0);
  }
}

TEST_CASE("flips of elements whose size is no power of two", "[coset]") {
  oracle::generator random(31);
  const unsigned p = cases::proc_bits();
  for (int k = 0; k < random_cases; ++k) {
    const auto s = every_coset::random_flip(p + 3 + static_cast<unsigned>(random() % 5), random);
    INFO(s.describe());
    const auto layout = static_cast<int>(random() % cases::layout_kinds);
    CHECK(fault<cases::record, comm::automatic>(s, layout) == "");
    CHECK(fault<cases::record, small_pieces>(s, layout) == "");
  }
}

namespace {

/// An element that may be moved, and whose copies fail after so many.
struct brittle {
  std::string text;
  static inline long copies_left = -1;
  explicit brittle(std::string t = {}) : text(std::move(t)) {}
  brittle(brittle const& other) : text(other.text) { count(); }
  brittle& operator=(brittle const& other) {
    count();
    text = other.text;
    return *this;
  }
  brittle(brittle&&) noexcept = default;
  brittle& operator=(brittle&&) noexcept = default;
  ~brittle() = default;
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& text;
  }

 private:
  static void count() {
    if (copies_left >= 0 && copies_left-- == 0) throw std::bad_alloc();
  }
};

/// The same without moves.
struct copied {
  brittle held;
  copied() = default;
  explicit copied(std::string t) : held(std::move(t)) {}
  copied(copied const&) = default;
  copied& operator=(copied const&) = default;
  ~copied() = default;
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& held;
  }
};
std::string const& text_of(brittle const& b) { return b.text; }
std::string const& text_of(copied const& c) { return c.held.text; }

/// A circuit in one pass of each process, of one gate or of three, then an exchange; the k-th copy
/// fails on one process. All throw or none. Returns how many elements are lost where all are to be
/// somewhere.
template <class T>
index_t lost_when_copies_fail(long k, int gates) {
  const unsigned p = cases::proc_bits(), n = p + 4;
  bmmc::controlled_circuit circuit(n);
  circuit.toffoli(0, 1, 2);
  if (gates == 3) circuit.controlled_swap(3, 0, 1).toffoli(2, 0, 3);
  circuit.cnot(0, n - 1);
  auto permute = bmmc::make_permuter<T>(MPI_COMM_WORLD, circuit);
  std::vector<T> chunk;
  for (int i = 0; i < 16; ++i)
    chunk.emplace_back(std::to_string(i) + " of a text that is not short");
  brittle::copies_left = cases::proc() == 0 ? k : -1;
  static_cast<void>(agreed::agreed_text([&] { permute(chunk); }));
  brittle::copies_left = -1;
  return static_cast<index_t>(
      std::count_if(chunk.begin(), chunk.end(), [](T const& e) { return text_of(e).empty(); }));
}

}  // namespace

TEST_CASE("where an element cannot be copied within a circuit all processes throw", "[coset]") {
  for (long k = 0; k < 48; ++k) {
    INFO("copy " << k);
    for (const int gates : {1, 3}) {
      CHECK(lost_when_copies_fail<brittle>(k, gates) == 0);
      static_cast<void>(lost_when_copies_fail<copied>(k, gates));
    }
  }
}

TEST_CASE("where an element that stays cannot be copied all processes throw", "[coset]") {
  const unsigned p = cases::proc_bits(), n = p + 3;
  // nothing moves on the first half of the processes, or on none
  const auto stays = bmmc::cnot(n, n - 1, 0);
  std::vector<index_t> reversed(8);
  for (index_t i = 0; i < 8; ++i)
    reversed[i] = bit(n) - 1 - (8 * static_cast<index_t>(cases::proc()) + i);
  const auto move = [&]<class T>(T const& first, long k) {
    std::vector<T> chunk(8, first), target(8);
    auto on_low_bits =
        bmmc::make_permuter<T>(MPI_COMM_WORLD, bmmc::controlled(bmmc::flip(n, 0), bit(1)));
    const auto call = [&](auto work) {
      brittle::copies_left = cases::proc() == agreed::procs() - 1 ? k : -1;
      static_cast<void>(agreed::agreed_text(work));
      brittle::copies_left = -1;
    };
    call([&] { bmmc::permute<T>(MPI_COMM_WORLD, chunk, stays); });
    call([&] { bmmc::permute<T>(MPI_COMM_WORLD, chunk, target, stays); });
    call([&] { on_low_bits(chunk, target); });
    call([&] {
      bmmc::permute<T, bmmc::comm::bitonic>(MPI_COMM_WORLD, chunk, bmmc::target_list{reversed});
    });
  };
  for (long k = 0; k < 60; ++k) {
    INFO("copy " << k);
    move(brittle("a text that is not short at all"), k);
    move(copied("a text that is not short at all"), k);
  }
}

TEST_CASE("what processes with elements refuse, all refuse, by their own numbers", "[coset]") {
  const unsigned p = cases::proc_bits(), n = p + 6;
  if (p < 2) return;
  // every second process has elements, the last one among them
  const auto gate = bmmc::controlled(bmmc::flip(n, n - 1), bit(n - p));
  const int last = agreed::procs() - 1;
  std::vector<fragile> texts(bit(6));
  if (cases::proc() == last) texts[3].text = "broken";
  const auto untouched = texts;
  CHECK(agreed::holds(agreed::agreed_text([&] { bmmc::permute(MPI_COMM_WORLD, texts, gate); }),
                      "process " + std::to_string(last) + ": an element cannot be serialized"));
  CHECK(texts == untouched);
  if (cases::proc() == last) texts[3].text.clear();
  bmmc::permute(MPI_COMM_WORLD, texts, gate);

  const auto start = std::vector<int>(bit(6), cases::proc());
  auto chunk = start;
  const auto by_nodes_of = [&](int processes) {
    const comm::shared_window policy{.processes_per_node = processes};
    bmmc::controlled_circuit circuit(n);  // the next move comes at once
    circuit.then(gate).controlled_swap(n - 1, n - p, 0).controlled_swap(n - 1, n - p, 0);
    bmmc::permute(MPI_COMM_WORLD, chunk, circuit, {}, policy);
    bmmc::permute(MPI_COMM_WORLD, chunk, gate, {}, policy);
  };
  for (int processes = 1; processes <= last + 1; processes *= 2) {
    by_nodes_of(processes);
    CHECK(chunk == start);
  }
  CHECK(agreed::holds(agreed::agreed_text([&] { by_nodes_of(3); }),
                      "process 1: a node must have a power of two of the " +
                          std::to_string(last + 1) + " processes, not 3"));
  CHECK(chunk == start);
}

TEST_CASE("gates of a circuit that share a pass, after an exchange", "[coset]") {
  const unsigned p = cases::proc_bits(), n = p + 8, top = n - 1;
  // dense conditions, all directions with the highest bit: on more than one process two exchanges
  bmmc::controlled_circuit circuit(n);
  for (unsigned j = 1; j < 5; ++j)
    circuit.then(on_coset(bmmc::flip(n, top), {{bit(0) | bit(j), true}}))
        .then(on_coset(bmmc::flip(n, 5), {{bit(0) | bit(top), true}, {bit(1) | bit(j), j == 2}}));
  std::vector<index_t> targets;
  for (index_t x = 0; x < bit(n); ++x) targets.push_back(circuit(x));
  CHECK(circuit_fault<std::complex<double>>(circuit, targets, 0) == "");
  CHECK(circuit_fault<std::string>(circuit, targets, 0) == "");
  CHECK(circuit_fault<cases::record>(circuit, targets, 0) == "");
  const auto kept = bmmc::make_permuter<double>(MPI_COMM_WORLD, circuit);
  CHECK(kept.moves() == (p == 0 ? 1U : 3U));
  CHECK(agreed::holds(explain(kept), "in one pass of each process: 8 permutations"));
}

TEST_CASE("circuits that are refused", "[coset]") {
  const unsigned p = cases::proc_bits(), n = p + 4;
  bmmc::controlled_circuit c(n);
  c.cnot(0, 1).toffoli(0, 1, 2);
  std::vector<int> chunk(bit(4), 3);
  const auto untouched = chunk;
  CHECK(agreed::holds(agreed::agreed_text([&] {
                        bmmc::permute(MPI_COMM_WORLD,
                                      std::span(chunk).first(cases::proc() == 0 ? 15U : 16U), c);
                      }),
                      "16"));
  if (p > 0) {
    bmmc::controlled_circuit other(n);  // two gates that share a pass: nobody else would notice
    other.then(on_coset(bmmc::flip(n, 2), {{bit(0), true}}));
    other.then(on_coset(bmmc::flip(n, 3), {{bit(1), cases::proc() == 0}}));
    CHECK(make_plan(other, {}, bit(p), sizeof(int)).steps().size() == 1);
    CHECK(agreed::holds(agreed::agreed_text([&] { bmmc::permute(MPI_COMM_WORLD, chunk, other); }),
                        "processes disagree"));
  }
  auto kept = bmmc::make_permuter<int>(MPI_COMM_WORLD, c);
  CHECK_THROWS_AS(kept(std::span(chunk).first(8)), bmmc::bad_value);
  std::vector<int> lent(64);  // a pass of several gates, and what is over it
  bmmc::controlled_circuit both(n);
  both.then(on_coset(bmmc::flip(n, 2), {{bit(0), true}}));
  both.then(on_coset(bmmc::flip(n, 3), {{bit(1), true}}));
  bmmc::circuit_permuter<int> over(MPI_COMM_WORLD, both, {}, {}, lent);
  CHECK(over.moves() == 1);
  CHECK_THROWS_AS(over(std::span(lent).first(16)), bmmc::bad_value);
  CHECK(lent == std::vector<int>(64));
  CHECK(chunk == untouched);
}

TEST_CASE("all processes refuse, or none", "[coset]") {
  using agreed::agreed_text;
  using agreed::holds;
  const unsigned p = cases::proc_bits(), n = p + 4;
  const auto c = bmmc::controlled(bmmc::flip(n, 1), bit(2) | bit(3));
  std::vector<int> chunk(bit(4), 3);
  const auto untouched = chunk;
  CHECK(holds(agreed_text([&] {
                bmmc::permute(MPI_COMM_WORLD,
                              std::span(chunk).first(cases::proc() == 0 ? 15U : 16U), c);
              }),
              "16"));
  CHECK(holds(agreed_text([&] {
                bmmc::permute(
                    MPI_COMM_WORLD, chunk, c,
                    bmmc::layout::between{cases::any_layout{0}, cases::any_layout{p > 0 ? 1 : 5}});
              }),
              "one layout"));
  if (p > 0) {
    const auto other = bmmc::controlled(bmmc::flip(n, 1), cases::proc() == 0 ? bit(2) : bit(3));
    CHECK(holds(agreed_text([&] { bmmc::permute(MPI_COMM_WORLD, chunk, other); }),
                "processes disagree"));
    const auto inverted = on_coset(bmmc::flip(n, 1), {{bit(2), cases::proc() == 0}});
    CHECK(holds(agreed_text([&] { bmmc::permute(MPI_COMM_WORLD, chunk, inverted); }),
                "processes disagree"));
    CHECK(holds(agreed_text([&] {  // one process has all elements move
                  if (cases::proc() == 0)
                    bmmc::permute(MPI_COMM_WORLD, chunk, bmmc::flip(n, 1));
                  else
                    bmmc::permute(MPI_COMM_WORLD, chunk, c);
                }),
                "processes disagree"));
  }
  CHECK(chunk == untouched);
  auto permute = bmmc::make_permuter<int>(MPI_COMM_WORLD, c, {}, comm::automatic{},
                                          {.kind = bmmc::call_kind::in_place});
  std::vector<int> target(chunk.size());
  CHECK_THROWS_AS(permute(chunk, target), bmmc::bad_value);
  CHECK(holds(explain(permute), "may move"));
}
