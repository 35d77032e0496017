#include "suites/b_eff_io/io_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <utility>

#include "io/mpi_library.hpp"
#include "io/storage_error.hpp"
#include "mpi/group.hpp"

namespace stressbench::beff {
namespace {

// MPI calls of one direction and their names, in the order of IoCall. The call with an offset is separate, since it has
// other arguments.
template <class Data>
struct Calls {
  std::array<int (*)(MPI_File, Data, int, MPI_Datatype, MPI_Status*), 4> without_offset;
  int (*at_all)(MPI_File, MPI_Offset, Data, int, MPI_Datatype, MPI_Status*);
  std::array<const char*, 4> names;

  int execute(IoCall call, MPI_File file, MPI_Offset offset, Data data, int count, MPI_Status* status) const {
    if (call == IoCall::at_all) return at_all(file, offset, data, count, MPI_BYTE, status);
    return without_offset[static_cast<std::size_t>(call)](file, data, count, MPI_BYTE, status);
  }
};
const Calls<const void*> write_calls{
    {MPI_File_write, MPI_File_write_all, nullptr, MPI_File_write_ordered},
    MPI_File_write_at_all,
    {"MPI_File_write", "MPI_File_write_all", "MPI_File_write_at_all", "MPI_File_write_ordered"}};
const Calls<void*> read_calls{{MPI_File_read, MPI_File_read_all, nullptr, MPI_File_read_ordered},
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
  const std::string text = io::explain_open_failure(path_, access);
  io::throw_call_fault("MPI_File_open", path_, text.empty() ? io::mpi_error_text(code) : text);
}

// A file that is still open here remains after a fault. It is not closed: closing is collective, and other ranks may
// not take part.
IoFile::~IoFile() { free_filetype(); }

void IoFile::free_filetype() noexcept {
  if (filetype_ != MPI_DATATYPE_NULL) MPI_Type_free(&filetype_);
}

void IoFile::set_strided_view(std::int64_t base, std::int64_t chunk_bytes, int rank, int ranks) {
  free_filetype();
  MPI_Datatype chunk = MPI_DATATYPE_NULL;
  mpi::check(MPI_Type_contiguous(static_cast<int>(chunk_bytes), MPI_BYTE, &chunk), "MPI_Type_contiguous");
  mpi::check(MPI_Type_create_resized(chunk, 0, chunk_bytes * ranks, &filetype_), "MPI_Type_create_resized");
  MPI_Type_free(&chunk);
  mpi::check(MPI_Type_commit(&filetype_), "MPI_Type_commit");
  std::array<char, 7> native{"native"};
  check_code(MPI_File_set_view(file_, base + rank * chunk_bytes, MPI_BYTE, filetype_, native.data(), MPI_INFO_NULL),
             "MPI_File_set_view");
}

void IoFile::set_hints(MPI_Info hints) { check_code(MPI_File_set_info(file_, hints), "MPI_File_set_info"); }

void IoFile::seek(std::int64_t offset) { check_code(MPI_File_seek(file_, offset, MPI_SEEK_SET), "MPI_File_seek"); }

void IoFile::seek_shared(std::int64_t offset) {
  check_code(MPI_File_seek_shared(file_, offset, MPI_SEEK_SET), "MPI_File_seek_shared");
}

void IoFile::write(IoCall call, std::int64_t offset, std::span<const std::byte> bytes) {
  const int count = static_cast<int>(bytes.size());
  MPI_Status status{};
  errno = 0;
  const int code = write_calls.execute(call, file_, offset, bytes.data(), count, &status);
  check_outcome(write_calls.names[static_cast<std::size_t>(call)], count, code, errno, status);
}

void IoFile::read(IoCall call, std::int64_t offset, std::span<std::byte> bytes) {
  const int count = static_cast<int>(bytes.size());
  MPI_Status status{};
  errno = 0;
  const int code = read_calls.execute(call, file_, offset, bytes.data(), count, &status);
  check_outcome(read_calls.names[static_cast<std::size_t>(call)], count, code, errno, status);
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
  free_filetype();
}

void IoFile::check_code(int code, const char* call) const {
  if (code != MPI_SUCCESS) io::throw_call_fault(call, path_, io::mpi_error_text(code));
}

// `expected_bytes`: bytes of the transfer; -1 for a call that transfers none. Throws MachineFault if the call failed.
void IoFile::check_outcome(const std::string& call, std::int64_t expected_bytes, int code, int error,
                           const MPI_Status& status) const {
  MPI_Count transferred = -1;
  if (expected_bytes >= 0 && code == MPI_SUCCESS) MPI_Get_elements_x(&status, MPI_BYTE, &transferred);
  std::string text = error == 0 ? "" : io::storage_error_text(error);
  if (code == MPI_SUCCESS && transferred == expected_bytes && text.empty()) [[likely]]
    return;
  if (text.empty() && code != MPI_SUCCESS) text = io::mpi_error_text(code);
  if (text.empty() && call.find("write") != std::string::npos) text = io::explain_growth_failure(path_);
  if (transferred >= 0 && transferred < expected_bytes)
    text = fmt::format("moved {} of {} bytes{}{}", transferred, expected_bytes, text.empty() ? "" : ": ", text);
  io::throw_call_fault(call, path_, text);
}

}  // namespace stressbench::beff
