// A file of b_eff_io: MPI-IO with individual and shared pointers, file views and contiguous access. If the library does
// not say why a call failed, the file is examined, as in the backend mpiio.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "io/backend.hpp"

namespace stressbench::beff {

enum class IoCall { own, own_all, at_all, ordered };

class IoFile {
 public:
  // Collective over `ranks`. Throws MachineFault, as do all other functions.
  IoFile(MPI_Comm ranks, std::string path, io::Access access, MPI_Info hints);
  IoFile(const IoFile&) = delete;
  IoFile& operator=(const IoFile&) = delete;
  ~IoFile();

  // Collective. Sets a file view: from `base` on, ranks alternate in chunks of `chunk_bytes`, and the pointer of this
  // rank only covers its own chunks.
  void set_strided_view(std::int64_t base, std::int64_t chunk_bytes, int rank, int ranks);
  void set_hints(MPI_Info hints);  // collective
  void seek(std::int64_t offset);
  void seek_shared(std::int64_t offset);  // collective
  // `offset` is used by IoCall::at_all only.
  void write(IoCall call, std::int64_t offset, std::span<const std::byte> bytes);
  void read(IoCall call, std::int64_t offset, std::span<std::byte> bytes);
  void sync();   // collective
  void close();  // collective

  MPI_File handle() const noexcept { return file_; }
  const std::string& path() const noexcept { return path_; }

 private:
  void check_code(int code, const char* call) const;
  void check_outcome(const std::string& call, std::int64_t expected_bytes, int code, int error,
                     const MPI_Status& status) const;
  void free_filetype() noexcept;

  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
  MPI_Datatype filetype_ = MPI_DATATYPE_NULL;
};

}  // namespace stressbench::beff
