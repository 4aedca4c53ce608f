// SPDX-License-Identifier: BSL-1.0

// Amplitudes in the memory of other simulators, in structures with the members that their public
// headers have, against the indices one by one.

#include <complex>
#include <vector>

#include <bmmc/index/circuit.hpp>
#include <bmmc/permute/simulators.hpp>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "support/catch.hpp"

namespace {

using amplitude = std::complex<double>;
using bmmc::bit;
using bmmc::index_t;

namespace quest3 {
/// QuEST 3: qreal is float or double, as it is built.
template <class Real>
struct complex_array {
  Real* real;
  Real* imag;
};
template <class Real>
struct qureg {
  int isDensityMatrix, numQubitsRepresented, numQubitsInStateVec;
  long long numAmpsPerChunk, numAmpsTotal;
  int chunkId, numChunks;
  complex_array<Real> stateVec, pairStateVec, deviceStateVec;
};
}  // namespace quest3

namespace quest4 {
struct qureg {
  int isGpuAccelerated, isDistributed, rank, numNodes, logNumNodes, numQubits;
  long long numAmps, numAmpsPerNode, logNumAmpsPerNode;
  amplitude *cpuAmps, *gpuAmps, *cpuCommBuffer, *gpuCommBuffer;
};
}  // namespace quest4

namespace qulacs {
class state {
  std::vector<amplitude> amplitudes_;
  unsigned long long dim_;

 public:
  const unsigned long long& dim;
  explicit state(unsigned long long inner) : amplitudes_(inner), dim_(inner), dim(dim_) {}
  state(state const&) = delete;
  state& operator=(state const&) = delete;
  [[nodiscard]] amplitude* data_cpp() const { return const_cast<amplitude*>(amplitudes_.data()); }
};
}  // namespace qulacs

struct a_state {
  unsigned p = cases::proc_bits(), n = p + 9;
  index_t chunk = bit(9), first = static_cast<index_t>(cases::proc()) << 9;
};

/// A circuit of all kinds of moves: a far and a near Toffoli gate, CNOTs across processes.
bmmc::controlled_circuit gates(unsigned n) {
  return bmmc::circuit<>(n)
      .toffoli(3, 4, n - 1)
      .cnot(n - 1, 0)
      .cnot(1, n - 2)
      .controlled_swap(2, 5, n - 1)
      .toffoli(7, 0, 6);
}

/// Whether amplitude x is now at map(x): its parts are x + 0.5 and -x before.
template <class Real, class Map>
bool has_moved(a_state const& s, Map const& map, Real const* real, Real const* imag,
               std::size_t step) {
  const auto back = inverse(map);
  for (index_t i = 0; i < s.chunk; ++i) {
    const auto x = static_cast<Real>(back(s.first | i));
    if (real[i * step] != x + Real(0.5) || imag[i * step] != -x) return false;
  }
  return true;
}
template <class Real>
void fill(a_state const& s, Real* real, Real* imag, std::size_t step) {
  for (index_t i = 0; i < s.chunk; ++i) {
    real[i * step] = static_cast<Real>(s.first | i) + Real(0.5);
    imag[i * step] = -static_cast<Real>(s.first | i);
  }
}
double* parts(amplitude* a) { return reinterpret_cast<double*>(a); }

/// What is wrong where real and imaginary parts are apart.
template <class Real, class Map, class Comm = bmmc::comm::automatic>
std::string fault_in_quest3(Map const& map, Comm const& policy = {}) {
  const a_state s;
  std::vector<Real> real(s.chunk), imag(s.chunk), pair(2 * s.chunk, -7);
  quest3::qureg<Real> q{};
  q.numAmpsPerChunk = static_cast<long long>(s.chunk);
  q.numChunks = static_cast<int>(agreed::procs());
  q.stateVec = {real.data(), imag.data()};
  if (s.p > 0) q.pairStateVec = {pair.data(), pair.data() + s.chunk};
  const auto view = bmmc::quest3_view(q);
  if (view.count != 2 || view.lent.size() != (s.p > 0 ? s.chunk : 0)) return "view";
  bmmc::state_permuter<Real, Comm> permute(MPI_COMM_WORLD, view, map, policy);
  for (int call = 0; call < 2; ++call) {
    fill(s, real.data(), imag.data(), 1);
    permute();
    if (!has_moved(s, map, real.data(), imag.data(), 1)) return "amplitudes";
  }
  for (index_t i = s.chunk; i < pair.size(); ++i)
    if (pair[i] != -7) return "memory that was not lent";
  return "";
}
template <class Map>
std::string fault_in_quest4(Map const& map) {
  const a_state s;
  std::vector<amplitude> amplitudes(s.chunk), buffer(s.chunk);
  quest4::qureg q{};
  q.numAmpsPerNode = static_cast<long long>(s.chunk);
  q.cpuAmps = amplitudes.data();
  q.cpuCommBuffer = s.p > 0 ? buffer.data() : nullptr;
  MPI_Comm theirs = MPI_COMM_NULL;  // a communicator of the simulator's, which may end before
  MPI_Comm_dup(MPI_COMM_WORLD, &theirs);
  bmmc::state_permuter<amplitude> permute(theirs, bmmc::quest4_view(q), map);
  MPI_Comm_free(&theirs);
  fill(s, parts(q.cpuAmps), parts(q.cpuAmps) + 1, 2);
  permute();
  return has_moved(s, map, parts(q.cpuAmps), parts(q.cpuAmps) + 1, 2) ? "" : "amplitudes";
}
template <class Map>
std::string fault_in_qulacs(Map const& map) {
  const a_state s;
  const qulacs::state state(s.chunk);
  std::vector<amplitude> buffer(s.chunk / 2);
  bmmc::state_permuter<amplitude> permute(MPI_COMM_WORLD,
                                          bmmc::qulacs_view(state, std::span(buffer)), map);
  fill(s, parts(state.data_cpp()), parts(state.data_cpp()) + 1, 2);
  permute();
  return has_moved(s, map, parts(state.data_cpp()), parts(state.data_cpp()) + 1, 2) ? ""
                                                                                    : "amplitudes";
}

}  // namespace

TEST_CASE("circuits in the memory of QuEST 3, QuEST 4 and qulacs", "[simulators]") {
  const unsigned n = a_state().n;
  CHECK(fault_in_quest3<double>(gates(n)) == "");
  CHECK(fault_in_quest3<float>(gates(n)) == "");
  CHECK(fault_in_quest4(gates(n)) == "");
  CHECK(fault_in_qulacs(gates(n)) == "");
}

TEST_CASE("one gate, and one permutation of all, in their memory", "[simulators]") {
  const unsigned n = a_state().n;
  const auto toffoli = bmmc::controlled(bmmc::flip(n, n - 1), bit(3) | bit(5));
  const auto cnots = bmmc::circuit<>(n).cnot(0, n - 1).cnot(n - 1, 3).swap(1, n - 2);
  CHECK(fault_in_quest3<double>(toffoli) == "");
  CHECK(fault_in_quest3<double>(cnots) == "");
  CHECK(fault_in_quest4(toffoli) == "");
  CHECK(fault_in_quest4(cnots) == "");
  CHECK(fault_in_qulacs(toffoli) == "");
  CHECK(fault_in_qulacs(bmmc::bit_reversal(n)) == "");
}

TEST_CASE("a buffer that is lent is used where it is large enough", "[simulators]") {
  const a_state s;
  if (s.p == 0) return;
  const auto toffoli = bmmc::controlled(bmmc::flip(s.n, s.n - 1), bit(3) | bit(5));
  const auto far = bmmc::cnot(s.n, 0, s.n - 1);
  std::vector<double> data(s.chunk), half(s.chunk / 2, -7), whole(s.chunk, -7), few(2, -7);
  const auto writes = [&](std::vector<double>& lent, auto const& map) {
    const auto before = lent;
    bmmc::state_permuter<double, bmmc::comm::sendrecv_replace> permute(
        MPI_COMM_WORLD, bmmc::view_of(std::span(data), std::span(lent)), map);
    permute();
    return lent != before;
  };
  CHECK(writes(half, toffoli));  // a quarter of the chunk travels
  CHECK(writes(whole, far));     // one chunk is what this policy needs
  CHECK_FALSE(writes(few, toffoli));
  // the default trades pieces through four buffers
  bmmc::state_permuter<double> permute(MPI_COMM_WORLD,
                                       bmmc::view_of(std::span(data), std::span(whole)), toffoli);
  std::fill(whole.begin(), whole.end(), -7);
  permute();
  CHECK(whole.front() != -7);
}

TEST_CASE("states that are refused", "[simulators]") {
  const a_state s;
  std::vector<amplitude> data(s.chunk);
  CHECK(agreed::holds(
      agreed::agreed_text([&] {
        const std::span<amplitude> part(data.data(), cases::proc() == 0 ? s.chunk / 2 : s.chunk);
        bmmc::state_permuter<amplitude>(MPI_COMM_WORLD, bmmc::view_of(part), bmmc::flip(s.n, 0));
      }),
      std::to_string(s.chunk)));
  if (s.p > 0) {
    std::vector<double> real(s.chunk), imaginary(s.chunk);
    const bool is_apart = cases::proc() == 0;
    CHECK(agreed::holds(agreed::agreed_text([&] {
                          const auto state = is_apart ? bmmc::view_of<double>(real, imaginary, {})
                                                      : bmmc::view_of<double>(real);
                          bmmc::state_permuter<double>(MPI_COMM_WORLD, state, bmmc::flip(s.n, 0));
                        }),
                        "process 1 has state_permuter, process 0 has state_permuter of real and "
                        "imaginary parts"));
  }
  const std::span<amplitude> all(data);
  CHECK(agreed::holds(agreed::agreed_text([&] {
                        const auto lent = cases::proc() == 0 ? all.last(1) : std::span<amplitude>();
                        bmmc::state_permuter<amplitude>(MPI_COMM_WORLD, bmmc::view_of(all, lent),
                                                        bmmc::flip(s.n, 0));
                      }),
                      "process 0: the data overlaps the workspace that was lent"));
  CHECK(agreed::holds(agreed::agreed_text([&] {
                        bmmc::state_permuter<amplitude>(MPI_COMM_WORLD, bmmc::view_of(all, all, {}),
                                                        bmmc::flip(s.n, 0));
                      }),
                      "real and imaginary parts overlap"));
  quest4::qureg q{};
  q.isGpuAccelerated = 1;
  CHECK_THROWS_AS(bmmc::quest4_view(q), bmmc::bad_value);
}
