// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <string>

#include <bmmc/file/explain.hpp>
#include <bmmc/file/journal.hpp>
#include <bmmc/file/mover.hpp>
#include <bmmc/file/stream.hpp>

namespace bmmc::file {

/// What is moved from one file to another, pass by pass: the tiles of each pass, for arrays that
/// begin at these bytes of their files, and a mover, which permutes a tile in memory:
/// mover(tile, source, target). Models: tile_work here, and box_work in bmmc/file/permute_axes.hpp.
template <class W>
concept Work = std::copyable<W> && requires(W const& w, std::size_t pass, index_t offset) {
  { w.bytes() } -> std::convertible_to<index_t>;  // of the array
  { w.passes() } -> std::convertible_to<std::size_t>;
  { w.buffers() } -> std::convertible_to<unsigned>;  // tiles that each process keeps in memory
  { w.processes() } -> std::convertible_to<unsigned>;
  { w.costs() } -> std::convertible_to<disk_costs>;
  { w.text() } -> std::same_as<std::string>;   // for people
  { w.words() } -> std::same_as<std::string>;  // bytes that differ where works differ
  w.mover(pass);
  { w.tiles(pass, offset, offset) } -> Tiles;
};

/// Bytes that tell jobs apart.
class job_words {
 public:
  job_words& operator<<(index_t word) {
    text_.append(reinterpret_cast<char const*>(&word), sizeof word);
    return *this;
  }
  [[nodiscard]] std::string const& text() const noexcept { return text_; }

 private:
  std::string text_;
};

/// What a plan does.
class tile_work {
 public:
  explicit tile_work(plan const& p) : plan_(&p) {}

  [[nodiscard]] index_t bytes() const noexcept { return plan_->bytes(); }
  [[nodiscard]] std::size_t passes() const noexcept { return plan_->passes().size(); }
  [[nodiscard]] unsigned buffers() const noexcept { return plan_->buffers(); }
  [[nodiscard]] unsigned processes() const noexcept { return plan_->processes(); }
  [[nodiscard]] disk_costs costs() const noexcept { return plan_->given().costs; }
  [[nodiscard]] coset_tiles tiles(std::size_t pass, index_t source_offset,
                                  index_t target_offset) const {
    return {plan_->passes()[pass], plan_->element_bytes(), source_offset, target_offset};
  }
  [[nodiscard]] auto mover(std::size_t pass) const {
    tiling const& t = plan_->passes()[pass];
    return [&t, move = tile_mover(t, plan_->element_bytes())](index_t tile, unsigned char* source,
                                                              unsigned char* target) {
      move(t.inside(tile), source, target);
    };
  }
  [[nodiscard]] std::string text() const {
    return "elements of " + bytes_text(plan_->element_bytes()) + ", memory " +
           bytes_text(plan_->given().memory) + ", blocks of " + bytes_text(plan_->block_bytes()) +
           ", " + bmmc::detail::counted(processes(), "process") + ", " +
           bmmc::detail::counted(passes(), "pass");
  }
  [[nodiscard]] std::string words() const {
    job_words words;
    words << plan_->element_bytes() << plan_->tile_bytes() << processes();
    for (auto const& t : plan_->passes()) {
      words << t.tile_bits() << t.source_run_bits() << t.map().complement();
      for (const index_t column : t.map().matrix().column) words << column;
    }
    return words.text();
  }

 private:
  plan const* plan_;
};

/// The job of a work whose data stands as `more` says, and `text` says to people.
[[nodiscard]] job make_job(Work auto const& work, std::string const& text, std::string more) {
  more += work.words();
  return {checksum(more.data(), more.size()), work.costs(), text + ", " + work.text()};
}

}  // namespace bmmc::file
