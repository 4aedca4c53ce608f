// SPDX-License-Identifier: BSL-1.0

// Messages that are cut short on their way: whoever receives one says so, however it travelled. And
// messages of a call that has thrown: who receives them late still receives what was sent.

#include <bmmc/gather.hpp>
#include <bmmc/permute.hpp>
#include <bmmc/transport/pending.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

#include "mpi/cases.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

namespace {
bool cuts = false;
MPI_Comm handle_of_startall = MPI_COMM_NULL;

/// Half of a message, as bytes.
int half_of(int count, MPI_Datatype type) {
  int size = 0;
  MPI_Type_size(type, &size);
  return cuts ? count * size / 2 : count * size;
}
}  // namespace

extern "C" {
int MPI_Isend(void const* data, int count, MPI_Datatype type, int target, int tag, MPI_Comm c,
              MPI_Request* request) {
  return PMPI_Isend(data, half_of(count, type), MPI_BYTE, target, tag, c, request);
}
int MPI_Sendrecv(void const* out, int count, MPI_Datatype type, int target, int out_tag, void* in,
                 int in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm c,
                 MPI_Status* status) {
  return PMPI_Sendrecv(out, half_of(count, type), MPI_BYTE, target, out_tag, in, in_count, in_type,
                       source, in_tag, c, status);
}
int MPI_Startall(int count, MPI_Request* requests) {  // the sends are the second half
  if (!cuts) return PMPI_Startall(count, requests);
  static double few[2] = {};
  for (int i = count / 2; i < count; ++i) {
    MPI_Request_free(&requests[i]);
    PMPI_Send_init(few, 1, MPI_BYTE, 1 - cases::proc(), 0, handle_of_startall, &requests[i]);
  }
  return PMPI_Startall(count, requests);
}
}

namespace comm = bmmc::comm;

TEMPLATE_TEST_CASE("a message cut short is found by its receiver", "[mpi]", comm::automatic,
                   comm::pipelined, comm::sendrecv) {
  const unsigned n = cases::proc_bits() + 4;
  TestType policy{};
  if constexpr (std::same_as<TestType, comm::automatic>)  // no windows
    policy.costs = comm::cost_model{.copied_byte = 1, .barrier = 1e9, .window = 1e9};
  std::vector<double> chunk(16), target(16);
  for (auto const& p : {bmmc::bit_reversal(n), bmmc::flip(n, n - 1)}) {
    const cases::own_world first, second;
    auto permute = bmmc::make_permuter<double>(first, p, {}, policy);
    auto gather = bmmc::make_gatherer<double>(second, bmmc::as_map(p), {}, policy);
    cuts = true;
    CHECK_COMPLAINS(bmmc::transport_error, permute(chunk, target), "short message");
    CHECK_COMPLAINS(bmmc::transport_error, gather(chunk, target), "short message");
    cuts = false;
  }
}

TEST_CASE("a persistent message cut short is found by its receiver", "[mpi]") {
  const unsigned n = cases::proc_bits() + 4;
  std::vector<double> chunk(16);
  const cases::own_world world;
  handle_of_startall = bmmc::comm::communicator::of(world)->handle();
  auto permute = bmmc::make_permuter<double>(world, bmmc::flip(n, n - 1));
  permute.start(chunk);
  permute.wait();
  cuts = true;
  permute.start(chunk);
  CHECK_COMPLAINS(bmmc::transport_error, permute.wait(), "short message");
  cuts = false;
  CHECK(permute.test());  // nothing is under way any more
  CHECK_COMPLAINS(bmmc::transport_error, permute.start(chunk), "has failed before");
  CHECK_COMPLAINS(bmmc::transport_error, permute(chunk), "has failed before");
  CHECK_COMPLAINS(bmmc::transport_error, bmmc::permute<double>(world, chunk, bmmc::flip(n, 0)),
                  "has failed before");
  const auto copy = bmmc::make_permuter<double>(cases::own_world(), bmmc::flip(n, 0));
}

TEST_CASE("what a call that throws has sent stays until it is received", "[mpi]") {
  constexpr int sent = 1, overwritten = 2;
  std::vector<int> data(1 << 20, cases::proc() == 0 ? sent : 0);  // waits for its receiver
  const auto count = static_cast<int>(data.size());
  const auto send_and_throw = [&] {
    MPI_Request request = MPI_REQUEST_NULL;
    const bmmc::transport::given_up_on_exception guard({}, {&request, 1});
    PMPI_Isend(data.data(), count, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    throw bmmc::transport_error("for the test");
  };
  if (cases::proc() == 0) {
    CHECK_THROWS_AS(send_and_throw(), bmmc::transport_error);
    std::fill(data.begin(), data.end(), overwritten);
  } else {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    PMPI_Recv(data.data(), count, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(std::count(data.begin(), data.end(), sent) == count);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}
