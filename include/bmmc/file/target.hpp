// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <climits>
#include <filesystem>
#include <string>

#include <bmmc/file/storage.hpp>

namespace bmmc::file {

/// The file that a result is to replace: links are followed, so that they stay links. Throws
/// io_error for what is no regular file: a directory, a device, a pipe.
[[nodiscard]] inline std::string regular_target(std::string path) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (unsigned links = 0; fs::is_symlink(fs::symlink_status(path, error)); ++links) {
    if (links == 40) throw io_error(path + ": too many symbolic links");
    const fs::path to = fs::read_symlink(path, error);
    if (error) throw io_error(path + ": " + error.message());
    path = (to.is_absolute() ? to : fs::path(path).parent_path() / to).string();
  }
  const auto kind = fs::symlink_status(path, error).type();
  if (kind == fs::file_type::directory) throw io_error(path + ": it is a directory");
  if (kind != fs::file_type::not_found && kind != fs::file_type::regular)
    throw io_error(path + ": it is no regular file, which a result could replace");
  return path;
}

/// Puts a complete file under its name, in the place of an older one, whose permissions and, as far
/// as the system allows, owner it gets. It is on the disk when this returns.
inline void put_in_place(std::string const& complete, std::string const& path) {
  struct ::stat old {};
  const stored_file file(complete, access::update, false);
  if (::stat(path.c_str(), &old) == 0) {
    // Only root can give files away; then the group at least.
    if (::fchown(file.cached(), old.st_uid, old.st_gid) != 0 &&
        ::fchown(file.cached(), static_cast<uid_t>(-1), old.st_gid) != 0)
      static_cast<void>(0);
    if (::fchmod(file.cached(), old.st_mode & 07777) != 0)
      detail::fail(complete, "it cannot have the permissions of " + path, errno);
  }
  if (::fsync(file.cached()) != 0) detail::fail(complete, "what was written may be lost", errno);
  if (::rename(complete.c_str(), path.c_str()) != 0)
    detail::fail(path, "it cannot be replaced", errno);
  sync_folder_of(path);
}

}  // namespace bmmc::file
