#include "pool.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "files.hpp"
#include "message.hpp"
#include "process.hpp"
#include "settings.hpp"

namespace stressbench::trace::pool {
namespace {

// Whether the file system has room for the recordings of all ranks on this host. Without room, writes to a mapped file
// would kill the program.
bool has_room(const char* folder, int ranks_on_host) noexcept {
  struct statvfs file_system {};
  if (statvfs(folder, &file_system) != 0) return false;
  const auto free_bytes = static_cast<std::uint64_t>(file_system.f_bavail) * file_system.f_frsize;
  return free_bytes / 2 > sizeof(Recording) * static_cast<std::uint64_t>(ranks_on_host);
}

bool file_created[Process::max_threads] = {};

void write_path(char* path, std::size_t size, int rank, int thread) noexcept {
  const char* folder = settings::pool_folder();
  if (thread == 0) {
    std::snprintf(path, size, "%s/stressbench-trace-%s-%d.pool", folder, settings::id(), rank);
  } else {
    std::snprintf(path, size, "%s/stressbench-trace-%s-%d.%d.pool", folder, settings::id(), rank, thread);
  }
}

}  // namespace

void* anonymous_memory(std::size_t bytes) noexcept {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

Recording* create(int rank, int thread, int ranks_on_host) noexcept {
  char path[4096];
  write_path(path, sizeof(path), rank, thread);
  const bool may_be_file = is_within_size_limit(sizeof(Recording));
  if (!may_be_file && rank == 0 && thread == 0)
    print_message(
        "stressbench: the limit on file sizes (ulimit -f) is too small for a recording: the calls of a rank that does "
        "not reach MPI_Finalize are lost");
  if (may_be_file && has_room(settings::pool_folder(), ranks_on_host)) {
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file >= 0) {
      void* memory = MAP_FAILED;
      if (ftruncate(file, sizeof(Recording)) == 0)
        memory = mmap(nullptr, sizeof(Recording), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      close(file);
      if (memory != MAP_FAILED) {
        file_created[thread] = true;
        return static_cast<Recording*>(memory);
      }
      unlink(path);
    }
  }
  return static_cast<Recording*>(anonymous_memory(sizeof(Recording)));
}

void remove(int rank, int thread) noexcept {
  if (!file_created[thread]) return;  // a file of that name belongs to another process
  char path[4096];
  write_path(path, sizeof(path), rank, thread);
  unlink(path);
}

}  // namespace stressbench::trace::pool
