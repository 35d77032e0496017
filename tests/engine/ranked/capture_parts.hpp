// Shared by the files that wrap MPI functions: recording of a call, and corruption of a receive.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace stressbench::test::capture {

inline int size_of(MPI_Comm communicator) {
  int size = 0;
  PMPI_Comm_size(communicator, &size);
  return size;
}
inline std::int64_t bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<std::int64_t>(count) * size;
}

// "[SUM]"; empty without an operation.
std::string name_of(MPI_Op operation);

// A receive that is complete, and one that completes with its request.
void arrives_now(void* data, std::int64_t size);
void arrives_later(void* data, std::int64_t size, MPI_Request request);

// `shown` bytes in the token, `given` bytes counted as sent.
void collective(std::string_view name, MPI_Op operation, std::int64_t shown, std::int64_t given, MPI_Comm communicator);

}  // namespace stressbench::test::capture
