#include "io/refusal.hpp"

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
std::string still_open(const std::string& path) {
  std::error_code unknown;
  const fs::path name(path);
  const fs::path folder = fs::canonical(name.has_parent_path() ? name.parent_path() : ".", unknown);
  const std::string removed = (folder / name.filename()).string() + " (deleted)";
  for (const auto& descriptor : fs::directory_iterator("/proc/self/fd", unknown)) {
    if (fs::read_symlink(descriptor.path(), unknown) == removed) return descriptor.path().string();
  }
  return "";
}

int opened(const std::string& path, int flags) { return ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK); }

// Opens again a file that this process has open, even if the file was removed.
Descriptor again(const std::string& path, int flags) {
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) {
    const std::string name = still_open(path);
    if (!name.empty()) return Descriptor(opened(name, flags));
  }
  return Descriptor(opened(path, flags));
}

std::int64_t length_behind(const Descriptor& file) {
  struct stat found {};
  return ::fstat(file.number(), &found) == 0 ? found.st_size : 0;
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
bool lacks_room(const std::string& path, std::int64_t size) {
  struct stat file {};
  struct statvfs disk {};
  if (::stat(path.c_str(), &file) != 0 || ::statvfs(path.c_str(), &disk) != 0) return false;
  constexpr std::int64_t block = 512;  // unit of st_blocks on every file system
  return file.st_blocks * block + static_cast<std::int64_t>(disk.f_bavail * disk.f_frsize) < size;
}

}  // namespace

std::string storage_words(int error) {
  constexpr std::array known{ENOSPC, EDQUOT, EFBIG, EIO, EROFS, ESTALE, ENODEV};
  return std::ranges::find(known, error) == known.end() ? "" : words_of(error);
}

std::string why_not_opened(const std::string& path, Access access) {
  if (Descriptor(opened(path, flags_of(access))).number() >= 0) return "";
  const int error = errno;
  if (error != ENOENT || access == Access::read) return words_of(error);
  const auto folder = fs::path(path).parent_path();
  return ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0 ? "" : words_of(errno);
}

std::string why_not_written(const std::string& path, std::int64_t offset, std::byte byte) {
  const Descriptor file = again(path, O_WRONLY);
  if (file.number() < 0) return words_of(errno);
  return ::pwrite(file.number(), &byte, 1, offset) == 1 ? "" : words_of(errno);
}

std::string why_not_read(const std::string& path, std::int64_t offset) {
  const Descriptor file = again(path, O_RDONLY);
  if (file.number() < 0) return words_of(errno);
  std::byte byte{};
  return ::pread(file.number(), &byte, 1, offset) >= 0 ? "" : words_of(errno);
}

std::optional<std::int64_t> length_of(const std::string& path) {
  const Descriptor file(opened(path, O_RDONLY));
  struct stat found {};
  const int refused = file.number() >= 0 ? ::fstat(file.number(), &found) : ::stat(path.c_str(), &found);
  if (refused) return std::nullopt;
  return found.st_size;
}

bool is_new(const std::string& path, const mpi::Group& ranks) {
  int empty = ranks.rank() == 0 && length_of(path).value_or(0) == 0 ? 1 : 0;
  mpi::check(MPI_Bcast(&empty, 1, MPI_INT, 0, ranks.handle()), "MPI_Bcast");
  return empty != 0;
}

std::string why_not_longer(const std::string& path) {
  struct statvfs disk {};
  if (::statvfs(path.c_str(), &disk) == 0 && disk.f_bavail == 0) return words_of(ENOSPC);
  return why_not_written(path, length_behind(again(path, O_RDONLY)), std::byte{0});
}

void must_hold(std::string_view call, const std::string& path, std::int64_t end) {
  const auto length = length_of(path);
  if (length && *length < end) {
    const std::string words = why_not_longer(path);
    refuse(call, path, fmt::format("the file has {} of {} bytes{}{}", *length, end, words.empty() ? "" : ": ", words));
  }
  if (lacks_room(path, end)) {
    refuse(call, path, fmt::format("there is no room for the {} bytes: {}", end, words_of(ENOSPC)));
  }
}

void refuse(std::string_view call, const std::string& path, const std::string& words) {
  throw MachineFault("{} '{}': {}", call, path, words);
}

}  // namespace stressbench::io
