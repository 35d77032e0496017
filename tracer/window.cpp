#include "window.hpp"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <vector>

#include "mpi_library.hpp"

namespace stressbench::trace {
namespace {

static_assert(sizeof(Window) == 2 * sizeof(std::uint64_t), "sent as two numbers");

// The windows of all ranks. Empty if there is no such file, or not one window for each rank; prints why.
std::vector<Window> read_windows(const char* path, int ranks) {
  std::FILE* const file = std::fopen(path, "re");
  if (file == nullptr) {
    std::fprintf(stderr, "stressbench: STRESSBENCH_TRACE_WINDOW: cannot open '%s': %s\n", path, std::strerror(errno));
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
  std::fprintf(stderr, "stressbench: STRESSBENCH_TRACE_WINDOW: '%s', line %d: expected FIRST END, one line per rank\n",
               path, line + 1);
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
