// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>
#include <vector>

#include <bmmc.hpp>

#include "support/arena.hpp"

/// What a user of plain MPI or of another library would write.
namespace peer {

/// One MPI_Alltoallw of doubles whose derived types do all the moving.
class alltoallw {
 public:
  explicit alltoallw(int procs)
      : send_(static_cast<std::size_t>(procs)),
        receive_(send_),
        counts_(send_.size(), 1),
        starts_(send_.size(), 0) {}
  alltoallw(alltoallw const&) = delete;
  alltoallw& operator=(alltoallw const&) = delete;
  ~alltoallw() {
    for (auto* types : {&send_, &receive_})
      for (MPI_Datatype& type : *types) MPI_Type_free(&type);
  }

  /// The types of messages to and from a process, from the start of the array on.
  void set(std::size_t proc, MPI_Datatype to, MPI_Datatype from) {
    MPI_Type_commit(&to);
    MPI_Type_commit(&from);
    send_[proc] = to;
    receive_[proc] = from;
  }
  void operator()(double const* source, double* target) const {
    bmmc::comm::check(
        MPI_Alltoallw(source, counts_.data(), starts_.data(), send_.data(), target, counts_.data(),
                      starts_.data(), receive_.data(), MPI_COMM_WORLD),
        "MPI_Alltoallw");
  }

 private:
  std::vector<MPI_Datatype> send_, receive_;
  std::vector<int> counts_, starts_;
};

/// `type` that begins `first` doubles later; the given one is freed.
inline MPI_Datatype shifted(MPI_Datatype type, bmmc::index_t first) {
  const auto bytes = static_cast<MPI_Aint>(first * sizeof(double));
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed_block(1, 1, &bytes, type, &made);
  MPI_Type_free(&type);
  return made;
}
inline MPI_Datatype strided(bmmc::index_t count, bmmc::index_t length, bmmc::index_t stride,
                            MPI_Datatype of = MPI_DOUBLE) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_vector(static_cast<int>(count), static_cast<int>(length), static_cast<int>(stride), of,
                  &made);
  return made;
}

/// Slabs of rows of a matrix to slabs of rows of its transpose: columns are sent one after another.
inline std::shared_ptr<alltoallw> transposing(bmmc::index_t rows, bmmc::index_t cols) {
  const auto procs = static_cast<bmmc::index_t>(measure::procs());
  auto made = std::make_shared<alltoallw>(measure::procs());
  for (bmmc::index_t proc = 0; proc < procs; ++proc) {
    MPI_Datatype column = strided(rows / procs, 1, cols), next = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(column, 0, sizeof(double), &next);
    MPI_Type_free(&column);
    MPI_Datatype columns = strided(cols / procs, 1, 1, next);
    MPI_Type_free(&next);
    made->set(proc, shifted(columns, proc * (cols / procs)),
              shifted(strided(cols / procs, rows / procs, rows), proc * (rows / procs)));
  }
  return made;
}

/// Blocks of `elements` to elements dealt out one by one.
inline std::shared_ptr<alltoallw> dealing(bmmc::index_t elements) {
  const auto procs = static_cast<bmmc::index_t>(measure::procs());
  auto made = std::make_shared<alltoallw>(measure::procs());
  for (bmmc::index_t proc = 0; proc < procs; ++proc)
    made->set(proc, shifted(strided(elements / procs, 1, procs), proc),
              shifted(strided(1, elements / procs, 1), proc * (elements / procs)));
  return made;
}

/// Any permutation: lists of offsets, in ascending order of the source on both sides.
inline std::shared_ptr<alltoallw> listing(bmmc::permutation<> const& map) {
  const auto procs = static_cast<std::size_t>(measure::procs());
  const bmmc::index_t elements = bmmc::bit(map.bits()) / procs;
  const auto me = static_cast<bmmc::index_t>(measure::rank()) * elements;
  const auto back = inverse(map);
  std::vector<std::vector<std::pair<bmmc::index_t, int>>> arriving(procs);
  std::vector<std::vector<int>> out(procs), in(procs);
  for (bmmc::index_t i = 0; i < elements; ++i) {
    out[map(me + i) / elements].push_back(static_cast<int>(i));
    const bmmc::index_t source = back(me + i);
    arriving[source / elements].emplace_back(source, static_cast<int>(i));
  }
  auto made = std::make_shared<alltoallw>(measure::procs());
  const auto listed = [](std::vector<int> const& offsets) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_indexed_block(static_cast<int>(offsets.size()), 1, offsets.data(), MPI_DOUBLE,
                                  &type);
    return type;
  };
  for (std::size_t proc = 0; proc < procs; ++proc) {
    std::sort(arriving[proc].begin(), arriving[proc].end());
    for (auto const& [source, offset] : arriving[proc]) in[proc].push_back(offset);
    made->set(proc, listed(out[proc]), listed(in[proc]));
  }
  return made;
}

}  // namespace peer
