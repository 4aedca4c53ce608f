// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <utility>

#include <bmmc/file/between.hpp>
#include <bmmc/file/box_mover.hpp>

namespace bmmc::file {

/// One pass over an array of any extents, box by box.
class box_work {
 public:
  explicit box_work(axis_boxes boxes, unsigned processes = 1)
      : boxes_(std::move(boxes)), processes_(processes) {}

  [[nodiscard]] index_t bytes() const noexcept { return boxes_.elements() * boxes_.element_bytes; }
  [[nodiscard]] std::size_t passes() const noexcept { return 1; }
  [[nodiscard]] unsigned buffers() const noexcept { return axis_boxes::buffers; }
  [[nodiscard]] unsigned processes() const noexcept { return processes_; }
  [[nodiscard]] disk_costs costs() const noexcept { return {0, 0}; }  // they have no say
  [[nodiscard]] axis_boxes tiles(std::size_t, index_t source_offset, index_t target_offset) const {
    axis_boxes placed = boxes_;
    placed.source_offset = source_offset;
    placed.target_offset = target_offset;
    return placed;
  }
  [[nodiscard]] auto mover(std::size_t) const {
    return [this](index_t tile, unsigned char const* source, unsigned char* target) {
      boxes_.move(tile, source, target);
    };
  }
  [[nodiscard]] std::string text() const {
    return "axes of any extents, elements of " + bytes_text(boxes_.element_bytes) + ", boxes of " +
           bytes_text(boxes_.bytes()) + ", " + bmmc::detail::counted(processes_, "process");
  }
  [[nodiscard]] std::string words() const {
    job_words words;
    words << boxes_.element_bytes << processes_ << boxes_.extents.size();
    for (auto const* list : {&boxes_.extents, &boxes_.widths})
      for (const index_t x : *list) words << x;
    for (const index_t axis : boxes_.axes) words << axis;
    return words.text();
  }

 private:
  axis_boxes boxes_;
  unsigned processes_;
};

/// Permutes the axes of an array of any extents from one file to another, in one pass, box by box.
/// Files, errors and resuming as for permute_between.
/// Memory  four boxes for each process, and a few MiB for requests under way.
/// Several processes, as many as there are boxes at most, call it alike; see permute_between.
template <Transfer X = threads, class Together = alone>
void permute_axes(box_work const& work, std::string const& source, index_t data_offset,
                  std::string const& target, std::string const& preamble = {},
                  run_options const& options = {}, X const& transfer = {}, Together together = {}) {
  take_steps<between<box_work, X>>(together, options.rank, work.passes(), work, source, data_offset,
                                   target, preamble, options, transfer);
}

}  // namespace bmmc::file
