#include "replay/files.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "core/signals.hpp"
#include "io/descriptor.hpp"
#include "replay/operations.hpp"

namespace stressbench::replay {
namespace {

void open(ReplayState& s, const Instruction& i) {
  mpi::check(MPI_File_open(s.comm(i), i.path, i.amode, MPI_INFO_NULL, s.files.handle(i.file)), i.name);
}
void close(ReplayState& s, const Instruction& i) { mpi::check(MPI_File_close(s.files.handle(i.file)), i.name); }
void sync(ReplayState& s, const Instruction& i) { mpi::check(MPI_File_sync(s.files[i.file]), i.name); }
void seek(ReplayState& s, const Instruction& i) {
  mpi::check(MPI_File_seek(s.files[i.file], i.offset, i.whence), i.name);
}

void seek_shared(ReplayState& s, const Instruction& i) {
  mpi::check(MPI_File_seek_shared(s.files[i.file], i.offset, i.whence), i.name);
}
void set_size(ReplayState& s, const Instruction& i) {
  mpi::check(MPI_File_set_size(s.files[i.file], i.offset), i.name);
}
void preallocate(ReplayState& s, const Instruction& i) {
  mpi::check(MPI_File_preallocate(s.files[i.file], i.offset), i.name);
}
void set_view(ReplayState& s, const Instruction& i) {
  mpi::check(MPI_File_set_view(s.files[i.file], i.offset, i.type, i.type, "native", MPI_INFO_NULL), i.name);
}

auto to_write(ReplayState& s, const Instruction& i) {
  return std::tuple(s.files[i.file], s.send_buffer(i), i.count, i.type);
}
auto to_write_at(ReplayState& s, const Instruction& i) {
  return std::tuple(s.files[i.file], i.offset, s.send_buffer(i), i.count, i.type);
}
auto to_read(ReplayState& s, const Instruction& i) {
  return std::tuple(s.files[i.file], s.receive_buffer(i), i.count, i.type);
}
auto to_read_at(ReplayState& s, const Instruction& i) {
  return std::tuple(s.files[i.file], i.offset, s.receive_buffer(i), i.count, i.type);
}
// Arguments of the `_end` call of a split collective, with the same buffer as its `_begin` call.
auto to_end_write(ReplayState& s, const Instruction& i) { return std::tuple(s.files[i.file], s.send_buffer(i)); }
auto to_end_read(ReplayState& s, const Instruction& i) { return std::tuple(s.files[i.file], s.receive_buffer(i)); }

constexpr std::array operations{
    Operation{"MPI_File_open", ArgumentKind::file_open, open},
    Operation{"MPI_File_close", ArgumentKind::file_other, close},
    Operation{"MPI_File_sync", ArgumentKind::file_other, sync},
    Operation{"MPI_File_seek", ArgumentKind::file_other, seek},
    Operation{"MPI_File_seek_shared", ArgumentKind::file_other, seek_shared},
    Operation{"MPI_File_set_size", ArgumentKind::file_other, set_size},
    Operation{"MPI_File_preallocate", ArgumentKind::file_other, preallocate},
    Operation{"MPI_File_set_view", ArgumentKind::file_view, set_view},
    Operation{"MPI_File_write", ArgumentKind::file_move, with_status<to_write, MPI_File_write>},
    Operation{"MPI_File_write_all", ArgumentKind::file_move, with_status<to_write, MPI_File_write_all>},
    Operation{"MPI_File_write_at", ArgumentKind::file_move, with_status<to_write_at, MPI_File_write_at>},
    Operation{"MPI_File_write_at_all", ArgumentKind::file_move, with_status<to_write_at, MPI_File_write_at_all>},
    Operation{"MPI_File_write_shared", ArgumentKind::file_move, with_status<to_write, MPI_File_write_shared>},
    Operation{"MPI_File_write_ordered", ArgumentKind::file_move, with_status<to_write, MPI_File_write_ordered>},
    Operation{"MPI_File_read", ArgumentKind::file_move, with_status<to_read, MPI_File_read>},
    Operation{"MPI_File_read_all", ArgumentKind::file_move, with_status<to_read, MPI_File_read_all>},
    Operation{"MPI_File_read_at", ArgumentKind::file_move, with_status<to_read_at, MPI_File_read_at>},
    Operation{"MPI_File_read_at_all", ArgumentKind::file_move, with_status<to_read_at, MPI_File_read_at_all>},
    Operation{"MPI_File_read_shared", ArgumentKind::file_move, with_status<to_read, MPI_File_read_shared>},
    Operation{"MPI_File_read_ordered", ArgumentKind::file_move, with_status<to_read, MPI_File_read_ordered>},
    Operation{"MPI_File_iwrite", ArgumentKind::file_move, nonblocking<to_write, MPI_File_iwrite>},
    Operation{"MPI_File_iwrite_all", ArgumentKind::file_move, nonblocking<to_write, MPI_File_iwrite_all>},
    Operation{"MPI_File_iwrite_at", ArgumentKind::file_move, nonblocking<to_write_at, MPI_File_iwrite_at>},
    Operation{"MPI_File_iwrite_at_all", ArgumentKind::file_move, nonblocking<to_write_at, MPI_File_iwrite_at_all>},
    Operation{"MPI_File_iwrite_shared", ArgumentKind::file_move, nonblocking<to_write, MPI_File_iwrite_shared>},
    Operation{"MPI_File_iread", ArgumentKind::file_move, nonblocking<to_read, MPI_File_iread>},
    Operation{"MPI_File_iread_all", ArgumentKind::file_move, nonblocking<to_read, MPI_File_iread_all>},
    Operation{"MPI_File_iread_at", ArgumentKind::file_move, nonblocking<to_read_at, MPI_File_iread_at>},
    Operation{"MPI_File_iread_at_all", ArgumentKind::file_move, nonblocking<to_read_at, MPI_File_iread_at_all>},
    Operation{"MPI_File_iread_shared", ArgumentKind::file_move, nonblocking<to_read, MPI_File_iread_shared>},
    Operation{"MPI_File_write_all_begin", ArgumentKind::file_move, blocking<to_write, MPI_File_write_all_begin>},
    Operation{"MPI_File_write_all_end", ArgumentKind::file_other, with_status<to_end_write, MPI_File_write_all_end>},
    Operation{"MPI_File_write_at_all_begin", ArgumentKind::file_move,
              blocking<to_write_at, MPI_File_write_at_all_begin>},
    Operation{"MPI_File_write_at_all_end", ArgumentKind::file_other,
              with_status<to_end_write, MPI_File_write_at_all_end>},
    Operation{"MPI_File_write_ordered_begin", ArgumentKind::file_move,
              blocking<to_write, MPI_File_write_ordered_begin>},
    Operation{"MPI_File_write_ordered_end", ArgumentKind::file_other,
              with_status<to_end_write, MPI_File_write_ordered_end>},
    Operation{"MPI_File_read_all_begin", ArgumentKind::file_move, blocking<to_read, MPI_File_read_all_begin>},
    Operation{"MPI_File_read_all_end", ArgumentKind::file_other, with_status<to_end_read, MPI_File_read_all_end>},
    Operation{"MPI_File_read_at_all_begin", ArgumentKind::file_move, blocking<to_read_at, MPI_File_read_at_all_begin>},
    Operation{"MPI_File_read_at_all_end", ArgumentKind::file_other, with_status<to_end_read, MPI_File_read_at_all_end>},
    Operation{"MPI_File_read_ordered_begin", ArgumentKind::file_move, blocking<to_read, MPI_File_read_ordered_begin>},
    Operation{"MPI_File_read_ordered_end", ArgumentKind::file_other,
              with_status<to_end_read, MPI_File_read_ordered_end>},
};

}  // namespace

std::span<const Operation> file_operations() noexcept { return operations; }

void Files::close() {
  for (MPI_File& file : handles_) {
    if (file != MPI_FILE_NULL) mpi::check(MPI_File_close(&file), "MPI_File_close");
  }
}

void require_free_space(const std::string& path, std::int64_t bytes) {
  struct statvfs disk {};
  // Without blocks the file system does not tell its size.
  if (bytes <= 0 || ::statvfs(path.c_str(), &disk) != 0 || disk.f_blocks == 0) return;
  std::uint64_t free = 0;
  if (__builtin_mul_overflow(std::uint64_t{disk.f_bavail}, std::uint64_t{disk.f_frsize}, &free)) return;
  if (static_cast<std::uint64_t>(bytes) > free)
    throw UserMistake("--files: '{}' needs {} bytes, but its file system has {} free", path, bytes, free);
}

void ScratchFiles::create(const std::string& path, std::int64_t bytes) {
  if (std::ranges::find(paths_, path) != paths_.end()) return;
  // Other users may write to the directory: do not open their files or follow their links.
  const io::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.number() < 0 && errno == EEXIST)
    throw UserMistake("--files: '{}' exists; remove it, or give another directory", path);
  if (file.number() < 0) throw UserMistake("--files: '{}': {}", path, std::strerror(errno));
  paths_.push_back(path);
  require_free_space(path, bytes);
  const Buffer piece(std::size_t{1} << 20);
  const std::string_view text(reinterpret_cast<const char*>(piece.data()), piece.size());
  for (std::int64_t left = bytes; left > 0; left -= static_cast<std::int64_t>(piece.size())) {
    if (signals::stop_requested != 0) {  // The run ends after this round, so what is read no longer matters.
      if (::ftruncate(file.number(), bytes) != 0)
        throw UserMistake("--files: '{}' cannot be extended: {}", path, std::strerror(errno));
      return;
    }
    const auto piece_bytes = static_cast<std::size_t>(std::min(left, static_cast<std::int64_t>(piece.size())));
    if (const int fault = io::write_whole(file.number(), text.substr(0, piece_bytes)); fault != 0)
      throw UserMistake("--files: '{}' cannot be written: {}", path, std::strerror(fault));
  }
}

ScratchFiles::~ScratchFiles() {
  std::error_code ignored;
  for (const std::string& path : paths_) std::filesystem::remove(path, ignored);
}

}  // namespace stressbench::replay
