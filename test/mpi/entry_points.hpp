// SPDX-License-Identifier: BSL-1.0
#pragma once

// The library's entry points, with every way that a call of them may take: what tests of faults try
// one after the other.

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <bmmc/permute/simulators.hpp>

#include "mpi/cases.hpp"
#include "mpi/policies.hpp"

namespace cases {

namespace comm = bmmc::comm;

/// A call for the arrays of entry_points.
struct entry_point {
  char const* name;
  std::function<void(MPI_Comm)> call;
  bool is_one_call = true;
};

/// 2^bits elements on each process.
struct entry_points {
  unsigned bits, n = proc_bits() + bits;
  index_t here = bmmc::bit(bits), elements = bmmc::bit(n),
          first = here * static_cast<index_t>(proc());
  bmmc::permutation<> p = bmmc::bit_reversal(n);
  std::vector<int> chunk = std::vector<int>(here), target = std::vector<int>(here);
  std::vector<std::string> texts = std::vector<std::string>(here, std::string(40, 'x')),
                           read = texts;
  std::vector<index_t> list = std::vector<index_t>(here);
  std::vector<bmmc::field_span> both{chunk, target};
  index_t all_procs = bmmc::bit(proc_bits());
  bmmc::array_layout rows{std::array{bmmc::axis::blocks(n, all_procs)}};
  bmmc::array_layout cyclic{std::array{bmmc::axis::cyclic(n, all_procs)}};
  bmmc::grid_layout blocks{bmmc::grid_axis::blocks(elements, all_procs)};
  bmmc::grid_layout in_turn{bmmc::grid_axis::cyclic(elements, all_procs)};
  bmmc::digit_permutation transposed =
      bmmc::axis_permutation(bmmc::extents{elements / 2, 2}, {1, 0});
  bmmc::controlled_circuit gates =
      bmmc::controlled_circuit(n).cnot(0, n - 1).controlled_swap(1, 0, n - 1);
  bmmc::digit_permutation shifted = bmmc::axis_shift(bmmc::extents{elements / 2, 2}, 0, 1);

  explicit entry_points(unsigned lg_elements) : bits(lg_elements) {
    for (index_t i = 0; i < here; ++i) list[i] = elements - 1 - (first + i);
  }

  template <class Comm>
  entry_point affine(char const* name, Comm policy = {}) {
    return {name, [this, policy](MPI_Comm c) { bmmc::permute<int>(c, chunk, p, {}, policy); }};
  }
  template <class Comm>
  entry_point kept(char const* name, Comm policy = {}) {
    return {name,
            [this, policy](MPI_Comm c) {
              auto permute = bmmc::make_permuter<int>(c, p, {}, policy);
              permute(std::span(chunk));
              permute(chunk, target);
            },
            false};
  }
  template <class Comm>
  entry_point of_texts(char const* name, Comm policy = {}) {
    return {name,
            [this, policy](MPI_Comm c) { bmmc::permute<std::string>(c, texts, p, {}, policy); }};
  }

  std::vector<entry_point> all() {
    const auto map = bmmc::as_map(p);
    auto points = affine_ones();
    const auto add = [&](char const* name, std::function<void(MPI_Comm)> call,
                         bool is_one_call = true) {
      points.push_back({name, std::move(call), is_one_call});
    };
    add(
        "start",
        [this](MPI_Comm c) {
          auto permute = bmmc::make_permuter<int>(c, p);
          permute.start(chunk);
          permute.wait();
          permute.start(chunk, target);
          permute.wait();
        },
        false);
    add(
        "start of grids, once more where it has failed",
        [this](MPI_Comm c) {
          auto move = bmmc::make_redistributor<int>(c, blocks, in_turn);
          try {
            move.start(chunk);
          } catch (std::exception const&) {
            move.start(chunk);
            move.wait();
            throw;
          }
          move.wait();
        },
        false);
    add("set", [this](MPI_Comm c) {
      auto permute = bmmc::make_permuter_set<int, int>(c, p);
      permute.start(both);
      permute.wait();
    });
    add("controlled", [this](MPI_Comm c) {
      bmmc::permute<int>(c, chunk, bmmc::controlled(bmmc::flip(n, n - 1), 1));
    });
    add("on a coset by sendrecv", [this](MPI_Comm c) {
      bmmc::permute<int>(c, chunk, bmmc::controlled(bmmc::swap_bits(n, 1, n - 1), 1), {},
                         comm::sendrecv());
    });
    add("circuit", [this](MPI_Comm c) { bmmc::permute<int>(c, chunk, gates); });
    add("state in two arrays", [this](MPI_Comm c) {
      bmmc::state_permuter move(c, bmmc::view_of<int>(chunk, target, {}), gates);
      move();
    });
    add("state with memory that is lent", [this](MPI_Comm c) {
      bmmc::state_permuter move(c, bmmc::view_of<int>(chunk, target), p);
      move();
    });
    add("deferred array", [this](MPI_Comm c) {
      bmmc::deferred_array<int> late(c, chunk, n);
      late.permute(p);
      (void)late.read(0, 1);
      late.settle();
    });
    add("shared_vector", [this](MPI_Comm c) {
      bmmc::shared_vector<int> seen_too(c, here);
      auto permute = bmmc::make_permuter<int>(c, p, {}, comm::shared_window());
      permute(seen_too);
    });
    add("agreement", [](MPI_Comm c) { comm::agree(*comm::communicator::of(c), {}); });
    add("relabelled", [this](MPI_Comm c) { (void)bmmc::permute_relabelled<int>(c, chunk, p); });
    add("redistribute", [this](MPI_Comm c) { bmmc::redistribute<int>(c, chunk, rows, cyclic); });
    add("grids", [this](MPI_Comm c) { bmmc::redistribute<int>(c, chunk, blocks, in_turn); });
    add("grids by alltoallv", [this](MPI_Comm c) {
      bmmc::redistribute<int, comm::alltoallv>(c, chunk, blocks, in_turn);
    });
    add("set of grids", [this](MPI_Comm c) {
      auto move = bmmc::make_redistributor_set<int, int>(c, blocks, in_turn, {0});
      move.start(both);
      move.wait();
    });
    add("list", [this](MPI_Comm c) { bmmc::permute<int>(c, chunk, bmmc::target_list{list}); });
    add("list of texts",
        [this](MPI_Comm c) { bmmc::permute<std::string>(c, texts, bmmc::target_list{list}); });
    add("bitonic", [this](MPI_Comm c) {
      bmmc::permute<int, comm::bitonic>(c, chunk, bmmc::target_list{list});
    });
    add("bitonic of texts", [this](MPI_Comm c) {
      bmmc::permute<std::string, comm::bitonic>(c, texts, bmmc::target_list{list});
    });
    add("stride", [this](MPI_Comm c) {
      bmmc::permute<int>(c, chunk, target, bmmc::stride_permutation(elements, 3));
    });
    add("axes by a plan", [this](MPI_Comm c) { bmmc::permute<int>(c, chunk, transposed); });
    add("axes", [this](MPI_Comm c) { bmmc::permute<int>(c, chunk, shifted); });
    add("bijection", [this](MPI_Comm c) { bmmc::permute<int>(c, chunk, bmmc::as_bijection(p)); });
    add("detect", [this](MPI_Comm c) { (void)bmmc::detect(c, bmmc::target_list{list}); });
    add("detect_quickly", [this](MPI_Comm c) {
      (void)bmmc::detect_quickly(c, bmmc::target_list{list}, 0.1, 0.1, 1);
    });
    add("gather", [=, this](MPI_Comm c) { bmmc::gather<int>(c, chunk, target, map); });
    add("gather by shared_window",
        [=, this](MPI_Comm c) { bmmc::gather<int, comm::shared_window>(c, chunk, target, map); });
    add("gather by alltoallv",
        [=, this](MPI_Comm c) { bmmc::gather<int, comm::alltoallv>(c, chunk, target, map); });
    add("gather of texts",
        [=, this](MPI_Comm c) { bmmc::gather<std::string>(c, texts, emptied(), map); });
    add("reduce", [=, this](MPI_Comm c) { bmmc::reduce<int>(c, chunk, target, map); });
    add("reduce by sendrecv", [=, this](MPI_Comm c) {
      bmmc::reduce<int, std::plus<>, comm::sendrecv>(c, chunk, target, map);
    });
    add("reduce of texts",
        [=, this](MPI_Comm c) { bmmc::reduce<std::string>(c, texts, emptied(), map); });
    add_texts_that_stay(add);
    return points;
  }

  /// `read`, whose texts must be allocated again.
  std::vector<std::string>& emptied() {
    for (auto& text : read) std::string().swap(text);
    return read;
  }
  /// Texts that are copied, all or in part, from array to array of one process.
  void add_texts_that_stay(auto const& add) {
    const auto low = bmmc::swap_bits(n, 0, 1);
    add("texts that stay",
        [=, this](MPI_Comm c) { bmmc::permute<std::string>(c, texts, emptied(), low); });
    add("texts that stay, in place",
        [=, this](MPI_Comm c) { bmmc::permute<std::string>(c, texts, low); });
    add("list of texts, to another array", [this](MPI_Comm c) {
      bmmc::permute<std::string>(c, texts, emptied(), bmmc::target_list{list});
    });
    add("stride of texts", [this](MPI_Comm c) {
      bmmc::permute<std::string>(c, texts, emptied(), bmmc::stride_permutation(elements, 1));
    });
    add("grids of texts",
        [this](MPI_Comm c) { bmmc::redistribute<std::string>(c, texts, blocks, in_turn); });
    add(
        "grids of texts, to another array",
        [this](MPI_Comm c) {
          auto move = bmmc::make_redistributor<std::string>(c, blocks, in_turn);
          move(texts, emptied());
          auto stay = bmmc::make_redistributor<std::string>(c, blocks, blocks);
          stay(texts, emptied());
        },
        false);
    add("gather of texts that stay", [=, this](MPI_Comm c) {
      bmmc::gather<std::string>(c, texts, emptied(), bmmc::as_map(low));
    });
    add("reduce of texts that stay", [=, this](MPI_Comm c) {
      bmmc::reduce<std::string>(c, texts, emptied(), bmmc::as_map(low));
    });
  }

  std::vector<entry_point> affine_ones() {
    return {affine<comm::automatic>("automatic"),
            affine<comm::sendrecv>("sendrecv"),
            affine<comm::sendrecv_replace>("sendrecv_replace"),
            affine<comm::alltoallv>("alltoallv"),
            affine<small_pieces>("pipelined"),
            affine<comm::shared_window>("shared_window"),
            affine<nodes_of_two>("two nodes"),
            affine<comm::dimension_exchange>("dimension_exchange"),
            affine<comm::within_budget>("within_budget"),
            affine<comm::radix_exchange>("radix_exchange"),
            kept<comm::automatic>("permuter, automatic"),
            kept<comm::alltoallv>("permuter, alltoallv"),
            kept<comm::within_budget>("permuter, within_budget"),
            of_texts<comm::automatic>("texts"),
            of_texts<comm::sendrecv_replace>("texts by sendrecv_replace"),
            of_texts<comm::alltoallv>("texts by alltoallv"),
            of_texts<comm::pipelined>("texts by pipelined")};
  }
};

}  // namespace cases
