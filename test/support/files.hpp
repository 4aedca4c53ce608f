// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <bmmc/file/transfer.hpp>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

// What the tests of files share.

namespace fs = std::filesystem;
using byte_list = std::vector<unsigned char>;

/// A folder of its own, in memory where there is such a file system, removed in the end.
class folder {
 public:
  explicit folder(bool in_memory = true) {
    const fs::path shm = "/dev/shm";
    const fs::path base = in_memory && fs::exists(shm) ? shm : fs::temp_directory_path();
    std::string name = (base / "bmmc_file_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::runtime_error("no folder for files of a test");
    path_ = name;
  }
  folder(folder const&) = delete;
  folder& operator=(folder const&) = delete;
  ~folder() { fs::remove_all(path_); }
  std::string operator/(std::string const& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), {}));
  }

 private:
  fs::path path_;
};

inline void write_file(std::string const& path, byte_list const& content) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<char const*>(content.data()),
             static_cast<std::streamsize>(content.size()));
}
inline byte_list read_file(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Ends a run at the k-th transfer: of its bytes some are written, and no later ones.
class ending {
 public:
  struct ended {};
  explicit ending(long transfers) : left_(std::make_shared<std::atomic<long>>(transfers)) {}

  void operator()(bmmc::file::direction d, bmmc::file::stored_file const& f,
                  std::span<bmmc::file::run const> runs) const {
    const long before = (*left_)--;
    if (before > 0) return bmmc::file::threads{1}(d, f, runs);
    if (before == 0 &&
        d == bmmc::file::direction::write) {  // every other run, and half of one more
      std::vector<bmmc::file::run> some;
      for (std::size_t k = 0; k < runs.size(); k += 2) some.push_back(runs[k]);
      some.back().bytes = (some.back().bytes + 1) / 2;
      bmmc::file::threads{1}(d, f, some);
    }
    throw ended{};
  }

 private:
  std::shared_ptr<std::atomic<long>> left_;
};

/// Calls work(rank, together) on threads that stand for processes; a step ends when it has ended on
/// all, and throws on all what it has thrown on one.
template <class Work>
void side_by_side(unsigned processes, Work work) {
  std::mutex guard;
  std::condition_variable changed;
  unsigned waiting = 0, round = 0, failed_in = 0;
  std::exception_ptr failure;
  const auto together = [&](auto step) {
    std::exception_ptr own;
    try {
      step();
    } catch (...) {
      own = std::current_exception();
    }
    std::unique_lock lock(guard);
    const unsigned mine = round;
    if (own && !failure) {
      failure = own;
      failed_in = mine;
    }
    if (++waiting == processes) {
      waiting = 0;
      ++round;
      changed.notify_all();
    }
    changed.wait(lock, [&] { return round != mine; });
    if (failure && failed_in <= mine) std::rethrow_exception(failure);
  };
  {
    std::vector<std::jthread> all;
    for (unsigned rank = 0; rank < processes; ++rank)
      all.emplace_back([&, rank] {
        try {
          work(rank, together);
        } catch (...) {
          const std::lock_guard lock(guard);
          if (!failure) failure = std::current_exception();
        }
      });
  }
  if (failure) std::rethrow_exception(failure);
}
