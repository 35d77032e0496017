// stressbench-trace-salvage OUTPUT POOL...: writes a trace file from the recordings of ranks that did not reach
// MPI_Finalize.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "files.hpp"
#include "line.hpp"
#include "message.hpp"
#include "recording.hpp"

namespace {

using namespace stressbench::trace;

constexpr int exit_user_mistake = 2;
constexpr int exit_machine_fault = 3;

void print_failure(const char* path, const char* reason) {
  print_message("stressbench-trace-salvage: " + std::string(path) + ": " + reason);
}

// Whether only this user can have written the file. Pools are in world-writable directories, under names that can be
// guessed.
bool is_writable_by_owner_only(const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// The recording in a pool file. Null if the file is not a pool of this build, or may be written by other users.
const Recording* map_recording(const char* path) {
  const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0) {
    print_failure(path, std::strerror(errno));
    if (file >= 0) close(file);
    return nullptr;
  }
  if (!is_writable_by_owner_only(status)) {
    print_failure(path, "not a regular file that you alone may write; left out");
    close(file);
    return nullptr;
  }
  void* memory = MAP_FAILED;
  if (status.st_size == static_cast<off_t>(sizeof(Recording)))
    memory = mmap(nullptr, sizeof(Recording), PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  const auto* recording = memory == MAP_FAILED ? nullptr : static_cast<const Recording*>(memory);
  if (recording != nullptr && recording->header.magic == Header::expected_magic &&
      recording->header.size == sizeof(Recording))
    return recording;
  print_failure(path, "not a pool of this version of the tracer");
  return nullptr;
}

// False with errno set if not all of the text could be written.
bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    print_message(
        "usage: stressbench-trace-salvage OUTPUT POOL...\n"
        "Makes the new trace file OUTPUT from the pools that killed ranks left behind.");
    return exit_user_mistake;
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a file that becomes too long is a failed write, as on a full disk
  std::map<int, std::map<int, const Recording*>> ranks;
  for (int k = 2; k < argc; ++k) {
    if (const Recording* recording = map_recording(argv[k]))
      ranks[recording->header.rank][recording->header.thread] = recording;
  }
  if (ranks.empty()) return exit_user_mistake;
  const Header& header = ranks.begin()->second.begin()->second->header;
  std::set<int> nodes;
  for (const auto& [rank, threads] : ranks) nodes.insert(threads.begin()->second->header.node);
  const int output = create_file(argv[1]);
  if (output < 0) {
    const bool exists = errno == EEXIST;
    print_failure(argv[1], exists ? "it exists; give the name of a new file" : std::strerror(errno));
    return exists ? exit_user_mistake : exit_machine_fault;
  }
  bool complete = write_all(output, header_line(header, {header.ranks, static_cast<int>(ranks.size()) == header.ranks
                                                                           ? static_cast<int>(nodes.size())
                                                                           : -1}));
  const char* names = std::getenv("STRESSBENCH_TRACE_NAMES");
  for (const auto& [rank, threads] : ranks) {
    std::vector<const Recording*> recordings;
    for (const auto& [thread, recording] : threads) recordings.push_back(recording);
    complete = complete && write_all(output, rank_line(recordings, names != nullptr && std::string(names) == "1"));
  }
  complete = complete && write_all(output, end_line(static_cast<int>(ranks.size()), false));
  const int write_error = complete ? 0 : errno;
  if (close(output) == 0 && complete) return 0;
  const int error = complete ? errno : write_error;
  unlink(argv[1]);  // another attempt needs the name
  print_failure(argv[1], std::strerror(error));
  return exit_machine_fault;
}
