#include "mpi/control_variable.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace stressbench::mpi {
namespace {

// Open MPI describes logical variables as integers, but versions differ in the number of bytes that they write.
constexpr std::size_t longest_value = 64;

std::optional<bool> value_at(int index) {
  MPI_T_cvar_handle handle = nullptr;
  int count = 0;
  if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) return std::nullopt;
  alignas(std::max_align_t) std::array<unsigned char, longest_value> value{};
  const bool is_read = count == 1 && MPI_T_cvar_read(handle, value.data()) == MPI_SUCCESS;
  MPI_T_cvar_handle_free(&handle);
  if (!is_read) return std::nullopt;
  return std::ranges::any_of(value, [](unsigned char byte) { return byte != 0; });
}

}  // namespace

std::optional<bool> is_set(const std::string& control_variable) {
  int provided = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return std::nullopt;
  int index = -1;
  std::optional<bool> found;
  if (MPI_T_cvar_get_index(control_variable.c_str(), &index) == MPI_SUCCESS) found = value_at(index);
  MPI_T_finalize();
  return found;
}

}  // namespace stressbench::mpi
