// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <boost/mpi/communicator.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "owned_indices.hpp"
#include "progress.hpp"
#include "together.hpp"

namespace example {

/// Bytes of a file that one process moves in one collective call, and runs of them: MPI counts in
/// int, and what stands in a piece is also staged in memory.
inline constexpr bmmc::index_t piece_bytes = bmmc::index_t{1} << 24;
inline constexpr unsigned piece_run_bits = 16;

/// What MPI says about an error code; empty for success.
[[nodiscard]] inline std::string mpi_complaint(int code, std::string const& what) {
  if (code == MPI_SUCCESS) return {};
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  return what + ": " + text;
}

/// A datatype that is freed in the end.
class mpi_datatype {
 public:
  mpi_datatype() = default;
  mpi_datatype(mpi_datatype const&) = delete;
  mpi_datatype& operator=(mpi_datatype const&) = delete;
  ~mpi_datatype() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  [[nodiscard]] MPI_Datatype* address() noexcept { return &type_; }
  operator MPI_Datatype() const noexcept { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// A file opened by all processes together; so are all its operations. Errors are `failure`s that
/// all processes throw.
class mpi_file {
 public:
  mpi_file(boost::mpi::communicator world, std::string path, int mode)
      : world_(std::move(world)), path_(std::move(path)) {
    agree(world_, complaint(MPI_File_open(world_, path_.c_str(), mode, MPI_INFO_NULL, &file_)));
  }
  mpi_file(mpi_file const&) = delete;
  mpi_file& operator=(mpi_file const&) = delete;
  /// Only where an error, of which all processes know, has prevented close().
  ~mpi_file() {
    if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
  }

  void close() { agree(world_, complaint(MPI_File_close(&file_))); }

  /// Reads this process's elements, and puts each at the offset that the layout gives it.
  template <class T>
  void read_chunk(std::span<T> chunk, owned_indices const& owned, bmmc::index_t file_offset) {
    std::vector<T> piece;
    each_piece<T>(owned, file_offset, "reading", piece, [&](bmmc::index_t first, int count) {
      MPI_Status status;
      int code = MPI_File_read_at_all(file_, position_, piece.data(), count, element_, &status);
      int got = count;
      if (code == MPI_SUCCESS) code = MPI_Get_count(&status, element_, &got);
      agree(world_, code == MPI_SUCCESS && got != count
                        ? path_ + ": " + std::to_string(got) + " of " + std::to_string(count) +
                              " elements could be read: it ends too early"
                        : complaint(code));
      owned.each_offset(first, piece.size(),
                        [&](bmmc::index_t i, bmmc::index_t offset) { chunk[offset] = piece[i]; });
    });
  }

  /// Writes this process's elements to where their indices stand in the file.
  template <class T>
  void write_chunk(std::span<T const> chunk, owned_indices const& owned,
                   bmmc::index_t file_offset) {
    std::vector<T> piece;
    each_piece<T>(owned, file_offset, "writing", piece, [&](bmmc::index_t first, int count) {
      owned.each_offset(first, piece.size(),
                        [&](bmmc::index_t i, bmmc::index_t offset) { piece[i] = chunk[offset]; });
      agree(world_, complaint(MPI_File_write_at_all(file_, position_, piece.data(), count, element_,
                                                    MPI_STATUS_IGNORE)));
    });
  }

 private:
  [[nodiscard]] std::string complaint(int code) const { return mpi_complaint(code, path_); }

  /// Calls move(first, count) for piece after piece, with the file view set to the piece's runs.
  /// The number of pieces depends on the layout alone, so all processes make the same calls.
  template <class T>
  void each_piece(owned_indices const& owned, bmmc::index_t file_offset, std::string const& what,
                  std::vector<T>& piece, auto move) {
    unsigned most_bits = 0;  // of the elements in a piece
    while (bmmc::bit(most_bits + 1) * sizeof(T) <= piece_bytes) ++most_bits;
    const unsigned run_bits = std::min(owned.run_bits(), most_bits);
    const unsigned piece_bits =
        std::min({owned.count_bits(), most_bits, run_bits + piece_run_bits});
    const bmmc::index_t runs = bmmc::bit(piece_bits - run_bits);
    MPI_Type_contiguous(static_cast<int>(sizeof(T)), MPI_BYTE, &element_);
    MPI_Type_commit(&element_);
    std::vector<MPI_Aint> place;
    together(world_, [&] {
      piece.resize(bmmc::bit(piece_bits));
      place.resize(runs);
    });
    progress told(what + " " + path_, bmmc::bit(owned.count_bits()), world_.rank() == 0);
    for (bmmc::index_t first = 0; first < bmmc::bit(owned.count_bits()); first += piece.size()) {
      const auto byte = [&](bmmc::index_t k) { return file_offset + owned(k) * sizeof(T); };
      position_ = static_cast<MPI_Offset>(byte(first));
      if (runs > 1) {
        for (bmmc::index_t k = 0; k < runs; ++k)
          place[k] = static_cast<MPI_Aint>(byte(first + (k << run_bits)));
        mpi_datatype view;
        MPI_Type_create_hindexed_block(static_cast<int>(runs), 1 << run_bits, place.data(),
                                       element_, view.address());
        MPI_Type_commit(view.address());
        agree(world_,
              complaint(MPI_File_set_view(file_, 0, element_, view, "native", MPI_INFO_NULL)));
        position_ = 0;
      }
      move(first, static_cast<int>(piece.size()));
      told.reached(first + piece.size());
    }
    MPI_Type_free(&element_);
    if (runs > 1)
      agree(world_,
            complaint(MPI_File_set_view(file_, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL)));
  }

  boost::mpi::communicator world_;
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
  MPI_Datatype element_ = MPI_DATATYPE_NULL;
  MPI_Offset position_ = 0;
};

}  // namespace example
