#include "window.hpp"

#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "files.hpp"
#include "message.hpp"
#include "mpi_library.hpp"

namespace stressbench::trace {
namespace {

static_assert(sizeof(Window) == 2 * sizeof(std::uint64_t), "sent as two numbers");

// The windows of all ranks. Empty if there is no such file, or not one window for each rank; prints why.
std::vector<Window> read_windows(const char* path, int ranks) {
  const int descriptor = open_regular_file(path);
  std::FILE* const file = descriptor < 0 ? nullptr : fdopen(descriptor, "r");
  if (file == nullptr) {
    const std::string reason = errno == EINVAL ? "it is not a regular file" : std::strerror(errno);
    print_message("stressbench: STRESSBENCH_TRACE_WINDOW: cannot open '" + std::string(path) + "': " + reason);
    if (descriptor >= 0) close(descriptor);
    return {};
  }
  std::vector<Window> windows(static_cast<std::size_t>(ranks));
  int line = 0;
  bool valid = true;
  for (; valid && line < ranks; line += valid ? 1 : 0) {
    Window& window = windows[static_cast<std::size_t>(line)];
    valid = std::fscanf(file, "%" SCNu64 " %" SCNu64, &window.first, &window.end) == 2 && window.first < window.end;
  }
  std::fclose(file);
  if (valid) return windows;
  print_message("stressbench: STRESSBENCH_TRACE_WINDOW: '" + std::string(path) + "', line " + std::to_string(line + 1) +
                ": expected FIRST END, one line per rank");
  return {};
}

}  // namespace

std::optional<Window> read_window(const char* path, int rank, int ranks) {
  std::vector<Window> windows;
  if (rank == 0) windows = read_windows(path, ranks);
  int valid = windows.empty() ? 0 : 1;
  PMPI_Bcast(&valid, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (valid == 0) return std::nullopt;
  Window own;
  PMPI_Scatter(windows.data(), 2, MPI_UINT64_T, &own, 2, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  return own;
}

}  // namespace stressbench::trace
