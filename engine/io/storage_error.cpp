#include "io/storage_error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "core/error.hpp"
#include "io/descriptor.hpp"
#include "io/fault.hpp"

namespace stressbench::io {
namespace {

namespace fs = std::filesystem;

// Path below /proc/self/fd of a file with this name that was removed while this process has it open; empty if there is
// none. A failed rank removes the files of its job while other ranks still look for the cause.
std::string deleted_but_open_path(const std::string& path) {
  std::error_code unknown;
  const fs::path name(path);
  const fs::path folder = fs::canonical(name.has_parent_path() ? name.parent_path() : ".", unknown);
  const std::string removed = (folder / name.filename()).string() + " (deleted)";
  for (const auto& descriptor : fs::directory_iterator("/proc/self/fd", unknown)) {
    if (fs::read_symlink(descriptor.path(), unknown) == removed) return descriptor.path().string();
  }
  return "";
}

int open_descriptor(const std::string& path, int flags) { return ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK); }

// Opens again a file that this process has open, even if the file was removed.
Descriptor reopen(const std::string& path, int flags) {
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) {
    const std::string name = deleted_but_open_path(path);
    if (!name.empty()) return Descriptor(open_descriptor(name, flags));
  }
  return Descriptor(open_descriptor(path, flags));
}

std::int64_t length_of_open_file(const Descriptor& file) {
  struct stat status {};
  return ::fstat(file.number(), &status) == 0 ? status.st_size : 0;
}

int flags_of(Access access) {
  switch (access) {
    case Access::write:
      return O_WRONLY;
    case Access::read:
      return O_RDONLY;
    case Access::both:
      break;
  }
  return O_RDWR;
}

// Whether the allocated bytes of the file and the free bytes of the disk are fewer than `size`. Sparse and compressed
// files have fewer allocated bytes, but the disk then has free ones.
bool exceeds_free_space(const std::string& path, std::int64_t size) {
  struct stat file {};
  struct statvfs disk {};
  if (::stat(path.c_str(), &file) != 0 || ::statvfs(path.c_str(), &disk) != 0) return false;
  constexpr std::int64_t block = 512;  // unit of st_blocks on every file system
  return file.st_blocks * block + static_cast<std::int64_t>(disk.f_bavail * disk.f_frsize) < size;
}

}  // namespace

std::string storage_error_text(int error) {
  constexpr std::array storage_errors{ENOSPC, EDQUOT, EFBIG, EIO, EROFS, ESTALE, ENODEV};
  return std::ranges::find(storage_errors, error) == storage_errors.end() ? "" : error_text(error);
}

std::string explain_open_failure(const std::string& path, Access access) {
  if (Descriptor(open_descriptor(path, flags_of(access))).number() >= 0) return "";
  const int error = errno;
  if (error != ENOENT || access == Access::read) return error_text(error);
  const auto folder = fs::path(path).parent_path();
  return ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0 ? "" : error_text(errno);
}

std::string explain_write_failure(const std::string& path, std::int64_t offset, std::byte byte) {
  const Descriptor file = reopen(path, O_WRONLY);
  if (file.number() < 0) return error_text(errno);
  return ::pwrite(file.number(), &byte, 1, offset) == 1 ? "" : error_text(errno);
}

std::string explain_read_failure(const std::string& path, std::int64_t offset) {
  const Descriptor file = reopen(path, O_RDONLY);
  if (file.number() < 0) return error_text(errno);
  std::byte byte{};
  return ::pread(file.number(), &byte, 1, offset) >= 0 ? "" : error_text(errno);
}

std::optional<std::int64_t> length_of(const std::string& path) {
  const Descriptor file(open_descriptor(path, O_RDONLY));
  struct stat status {};
  const int failed = file.number() >= 0 ? ::fstat(file.number(), &status) : ::stat(path.c_str(), &status);
  if (failed) return std::nullopt;
  return status.st_size;
}

bool is_new_file(const std::string& path, const mpi::Group& ranks) {
  int empty = ranks.rank() == 0 && length_of(path).value_or(0) == 0 ? 1 : 0;
  mpi::check(MPI_Bcast(&empty, 1, MPI_INT, 0, ranks.handle()), "MPI_Bcast");
  return empty != 0;
}

std::string explain_growth_failure(const std::string& path) {
  struct statvfs disk {};
  if (::statvfs(path.c_str(), &disk) == 0 && disk.f_bavail == 0) return error_text(ENOSPC);
  return explain_write_failure(path, length_of_open_file(reopen(path, O_RDONLY)), std::byte{0});
}

void require_file_length(std::string_view call, const std::string& path, std::int64_t end) {
  const auto length = length_of(path);
  if (length && *length < end) {
    const std::string text = explain_growth_failure(path);
    throw_call_fault(call, path,
                     fmt::format("the file has {} of {} bytes{}{}", *length, end, text.empty() ? "" : ": ", text));
  }
  if (exceeds_free_space(path, end)) {
    throw_call_fault(call, path, fmt::format("there is no room for the {} bytes: {}", end, error_text(ENOSPC)));
  }
}

void throw_call_fault(std::string_view call, const std::string& path, const std::string& text) {
  throw MachineFault("{} '{}': {}", call, path, text);
}

}  // namespace stressbench::io
