#include "suites/b_eff_io/io_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <utility>

#include "io/mpi_library.hpp"
#include "io/refusal.hpp"
#include "mpi/group.hpp"

namespace stressbench::beff {
namespace {

// MPI calls of one direction and their names, in the order of IoCall. The call with an offset is separate, since it has
// other arguments.
template <class Data>
struct Calls {
  std::array<int (*)(MPI_File, Data, int, MPI_Datatype, MPI_Status*), 4> plain;
  int (*at_all)(MPI_File, MPI_Offset, Data, int, MPI_Datatype, MPI_Status*);
  std::array<const char*, 4> names;

  int make(IoCall call, MPI_File file, MPI_Offset offset, Data data, int count, MPI_Status* status) const {
    if (call == IoCall::at_all) return at_all(file, offset, data, count, MPI_BYTE, status);
    return plain[static_cast<std::size_t>(call)](file, data, count, MPI_BYTE, status);
  }
};
const Calls<const void*> writing{
    {MPI_File_write, MPI_File_write_all, nullptr, MPI_File_write_ordered},
    MPI_File_write_at_all,
    {"MPI_File_write", "MPI_File_write_all", "MPI_File_write_at_all", "MPI_File_write_ordered"}};
const Calls<void*> reading{{MPI_File_read, MPI_File_read_all, nullptr, MPI_File_read_ordered},
                           MPI_File_read_at_all,
                           {"MPI_File_read", "MPI_File_read_all", "MPI_File_read_at_all", "MPI_File_read_ordered"}};

int mode_of(io::Access access) {
  return access == io::Access::read ? MPI_MODE_RDONLY : MPI_MODE_CREATE | MPI_MODE_WRONLY;
}

}  // namespace

// Not with MPI_MODE_UNIQUE_OPEN, which lets a library postpone syncs to the end (section 5.4 of the paper).
IoFile::IoFile(MPI_Comm ranks, std::string path, io::Access access, MPI_Info hints) : path_(std::move(path)) {
  const int code = MPI_File_open(ranks, path_.c_str(), mode_of(access), hints, &file_);
  if (code == MPI_SUCCESS) return;
  const std::string words = io::why_not_opened(path_, access);
  io::refuse("MPI_File_open", path_, words.empty() ? io::mpi_words(code) : words);
}

// A file that is still open here remains after a fault. It is not closed: closing is collective, and other ranks may
// not take part.
IoFile::~IoFile() { free_type(); }

void IoFile::free_type() noexcept {
  if (turns_ != MPI_DATATYPE_NULL) MPI_Type_free(&turns_);
}

void IoFile::stride(std::int64_t base, std::int64_t chunk_bytes, int rank, int ranks) {
  free_type();
  MPI_Datatype chunk = MPI_DATATYPE_NULL;
  mpi::check(MPI_Type_contiguous(static_cast<int>(chunk_bytes), MPI_BYTE, &chunk), "MPI_Type_contiguous");
  mpi::check(MPI_Type_create_resized(chunk, 0, chunk_bytes * ranks, &turns_), "MPI_Type_create_resized");
  MPI_Type_free(&chunk);
  mpi::check(MPI_Type_commit(&turns_), "MPI_Type_commit");
  std::array<char, 7> native{"native"};
  must(MPI_File_set_view(file_, base + rank * chunk_bytes, MPI_BYTE, turns_, native.data(), MPI_INFO_NULL),
       "MPI_File_set_view");
}

void IoFile::seek(std::int64_t offset) { must(MPI_File_seek(file_, offset, MPI_SEEK_SET), "MPI_File_seek"); }

void IoFile::seek_shared(std::int64_t offset) {
  must(MPI_File_seek_shared(file_, offset, MPI_SEEK_SET), "MPI_File_seek_shared");
}

void IoFile::write(IoCall call, std::int64_t offset, std::span<const std::byte> bytes) {
  const int count = static_cast<int>(bytes.size());
  MPI_Status status{};
  errno = 0;
  const int code = writing.make(call, file_, offset, bytes.data(), count, &status);
  check_outcome(writing.names[static_cast<std::size_t>(call)], count, code, errno, status);
}

void IoFile::read(IoCall call, std::int64_t offset, std::span<std::byte> bytes) {
  const int count = static_cast<int>(bytes.size());
  MPI_Status status{};
  errno = 0;
  const int code = reading.make(call, file_, offset, bytes.data(), count, &status);
  check_outcome(reading.names[static_cast<std::size_t>(call)], count, code, errno, status);
}

void IoFile::sync() {
  errno = 0;
  const int code = MPI_File_sync(file_);
  check_outcome("MPI_File_sync", -1, code, errno, {});
}

void IoFile::close() {
  errno = 0;
  const int code = MPI_File_close(&file_);
  check_outcome("MPI_File_close", -1, code, errno, {});
  free_type();
}

void IoFile::must(int code, const char* call) const {
  if (code != MPI_SUCCESS) io::refuse(call, path_, io::mpi_words(code));
}

// `wanted`: bytes of the transfer; -1 for a call that transfers none. Throws MachineFault if the call failed.
void IoFile::check_outcome(const std::string& call, std::int64_t wanted, int code, int error,
                           const MPI_Status& status) const {
  MPI_Count moved = -1;
  if (wanted >= 0 && code == MPI_SUCCESS) MPI_Get_elements_x(&status, MPI_BYTE, &moved);
  std::string words = error == 0 ? "" : io::storage_words(error);
  if (code == MPI_SUCCESS && moved == wanted && words.empty()) [[likely]]
    return;
  if (words.empty() && code != MPI_SUCCESS) words = io::mpi_words(code);
  if (words.empty() && call.find("write") != std::string::npos) words = io::why_not_longer(path_);
  if (moved >= 0 && moved < wanted)
    words = fmt::format("moved {} of {} bytes{}{}", moved, wanted, words.empty() ? "" : ": ", words);
  io::refuse(call, path_, words);
}

}  // namespace stressbench::beff
