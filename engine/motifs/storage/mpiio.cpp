// mpiio: N-1 write, all ranks of the job into one shared file, each at its own offset (StressBench III-B;
// docs/motifs/mpiio.md).
#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <filesystem>
#include <map>
#include <string>

#include "motifs/message.hpp"
#include "motifs/motif.hpp"
#include "motifs/payload.hpp"

namespace stressbench {

enum class WriteCall { write, write_at, write_all, write_at_all };
template <>
struct Names<WriteCall> {
  static constexpr std::array values{std::pair{std::string_view{"MPI_File_write"}, WriteCall::write},
                                     std::pair{std::string_view{"MPI_File_write_at"}, WriteCall::write_at},
                                     std::pair{std::string_view{"MPI_File_write_all"}, WriteCall::write_all},
                                     std::pair{std::string_view{"MPI_File_write_at_all"}, WriteCall::write_at_all}};
};

namespace {

std::string words_of(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(code, words.data(), &length);
  return {words.data(), static_cast<std::size_t>(length)};
}

// A file that this process made, on behalf of all ranks of a job. Made only if there was none, so that nobody's data is
// overwritten; two steps of one job may share it. Taken away with its last user.
class OwnFile {
 public:
  enum class Existing { refuse, replace };
  OwnFile() = default;
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;
  ~OwnFile() { release(); }

  // MPI_SUCCESS, or MPI's error code: MPI_ERR_FILE_EXISTS also for what is no ordinary file, for --overwrite must not
  // remove /dev/null.
  int claim(const std::string& path, Existing existing, bool keep) {
    release();
    const bool ours = made_here().contains(path);
    std::error_code unknown;
    const auto there = std::filesystem::status(path, unknown);
    if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) return MPI_ERR_FILE_EXISTS;
    const bool fresh = !ours && existing == Existing::refuse;
    MPI_File file = MPI_FILE_NULL;
    const int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY | (fresh ? MPI_MODE_EXCL : 0);
    if (const int code = MPI_File_open(MPI_COMM_SELF, path.c_str(), mode, MPI_INFO_NULL, &file); code != MPI_SUCCESS)
      return code;
    const int emptied = ours ? MPI_SUCCESS : MPI_File_set_size(file, 0);
    if (const int code = MPI_File_close(&file); code != MPI_SUCCESS) return code;
    if (emptied != MPI_SUCCESS) return emptied;
    Users& users = made_here()[path];
    ++users.now;
    users.keep |= keep;
    path_ = path;
    return MPI_SUCCESS;
  }

 private:
  struct Users {
    int now = 0;
    bool keep = false;
  };
  static std::map<std::string, Users>& made_here() {
    static std::map<std::string, Users> files;
    return files;
  }
  void release() noexcept {
    if (path_.empty()) return;
    const auto found = made_here().find(path_);
    if (--found->second.now == 0 && !found->second.keep) {
      MPI_File_delete(path_.c_str(), MPI_INFO_NULL);
      made_here().erase(found);
    }
    path_.clear();
  }

  std::string path_;
};

class MpiIo final : public Motif {
 public:
  void check(int ranks) const override {
    if (ranks_given_.was_given() && *ranks_given_ != ranks) {
      throw ParameterMistake("ranks", fmt::format("--ranks: {}, but the job has {}", *ranks_given_, ranks));
    }
  }
  Traffic traffic(int ranks) const override { return {.file_bytes = ranks * size_->value}; }
  std::optional<Bytes> message_size() const override { return *size_; }
  std::string size_parameter() const override { return "size"; }
  std::optional<Bandwidth> bandwidth(int ranks) const override {
    return Bandwidth{static_cast<double>(ranks) * static_cast<double>(size_->value),
                     "bytes that all ranks write / time of open, write and close"};
  }

  void decompose(const mpi::Group& group, const Draw&) override {
    communicator_ = group.handle();
    rank_ = group.rank();
    last_ = group.size() - 1;
    count_ = static_cast<int>(size_->value);
    offset_ = rank_ * size_->value;
    outgoing_ = Buffer(*size_);
    int code = MPI_SUCCESS;
    if (rank_ == 0)
      code = own_.claim(*path_, *overwrite_ ? OwnFile::Existing::replace : OwnFile::Existing::refuse, *keep_);
    // Codes of one process mean nothing in another: what travels is the class, and the words.
    std::array<char, MPI_MAX_ERROR_STRING> words{};
    int failure = MPI_SUCCESS;
    if (code != MPI_SUCCESS) {
      MPI_Error_class(code, &failure);
      words_of(code).copy(words.data(), words.size() - 1);
    }
    mpi::must(MPI_Bcast(&failure, 1, MPI_INT, 0, communicator_), "MPI_Bcast");
    mpi::must(MPI_Bcast(words.data(), static_cast<int>(words.size()), MPI_CHAR, 0, communicator_), "MPI_Bcast");
    if (failure == MPI_ERR_FILE_EXISTS) {
      throw ParameterMistake(
          "file", *overwrite_
                      ? fmt::format("--file: '{}' is no ordinary file", *path_)
                      : fmt::format("--file: '{}' exists, and this job did not make it; remove it, or give --overwrite",
                                    *path_));
    }
    if (failure != MPI_SUCCESS) throw MachineFault(fmt::format("MPI_File_open '{}': {}", *path_, words.data()));
  }

  void perform(Recorder& recorder) override {
    MPI_File file = MPI_FILE_NULL;
    MPI_Status status;
    const std::int64_t begun = recorder.now_ns();
    must_together(MPI_File_open(communicator_, path_->c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file),
                  "MPI_File_open");
    const std::int64_t opened = recorder.now_ns();
    write(file, status);
    const std::int64_t written = recorder.now_ns();
    if (*sync_) must_together(MPI_File_sync(file), "MPI_File_sync");
    const std::int64_t synced = recorder.now_ns();
    must_together(MPI_File_close(&file), "MPI_File_close");
    const std::int64_t closed = recorder.now_ns();

    int accepted = 0;
    MPI_Get_count(&status, MPI_BYTE, &accepted);
    if (accepted != count_) refuse_short_write(accepted);
    open_.add(static_cast<double>(opened - begun) * 1e-9);
    write_.add(static_cast<double>(written - opened) * 1e-9);
    if (*sync_) sync_time_.add(static_cast<double>(synced - written) * 1e-9);
    close_.add(static_cast<double>(closed - synced) * 1e-9);
    bytes_.add(static_cast<double>(count_));
  }

  void stamp(std::uint64_t pass) override { payload::fill(outgoing_.bytes(), {rank_, rank_, pass}); }

  // Each rank reads what the next one wrote, so that a byte that only its writer can see is noticed.
  void verify(std::uint64_t pass) const override {
    const int writer = rank_ < last_ ? rank_ + 1 : 0;
    const Buffer found(*size_);
    MPI_File file = MPI_FILE_NULL;
    must_together(MPI_File_open(communicator_, path_->c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file), "MPI_File_open");
    const std::int64_t from = writer * size_->value;
    must_together(MPI_File_read_at_all(file, from, found.data(), count_, MPI_BYTE, MPI_STATUS_IGNORE),
                  "MPI_File_read_at_all");
    must_together(MPI_File_close(&file), "MPI_File_close");
    const payload::Origin origin{writer, writer, pass};
    const auto wrong = payload::first_wrong(found.bytes(), origin);
    if (!wrong) return;
    throw MachineFault(
        fmt::format("wrong byte: '{}' has {:#04x} at offset {}, where rank {} wrote {:#04x} (read by rank {})", *path_,
                    std::to_integer<int>(found.data()[*wrong]), from + static_cast<std::int64_t>(*wrong), writer,
                    std::to_integer<int>(payload::expected(origin, *wrong)), rank_));
  }

 private:
  void must(int code, const char* call) const {
    if (code != MPI_SUCCESS) [[unlikely]]
      throw MachineFault(fmt::format("{} '{}': {}", call, *path_, words_of(code)));
  }
  // Of a call that all ranks make: MPICH may hand out another rank's code, whose detail is unknown here, but whose
  // class is not.
  void must_together(int code, const char* call) const {
    if (code != MPI_SUCCESS) [[unlikely]] {
      int kind = code;
      if (rank_ != 0) MPI_Error_class(code, &kind);
      must(kind, call);
    }
  }
  [[noreturn]] void refuse_short_write(int accepted) const {
    throw MachineFault(fmt::format("{} '{}': rank {} wrote {} of {} bytes; is the disk full?", call_.text(), *path_,
                                   rank_, accepted, count_));
  }

  void write(MPI_File file, MPI_Status& status) const {
    switch (*call_) {
      case WriteCall::write:
        must(MPI_File_seek(file, offset_, MPI_SEEK_SET), "MPI_File_seek");
        return must(MPI_File_write(file, outgoing_.data(), count_, MPI_BYTE, &status), "MPI_File_write");
      case WriteCall::write_at:
        return must(MPI_File_write_at(file, offset_, outgoing_.data(), count_, MPI_BYTE, &status), "MPI_File_write_at");
      case WriteCall::write_all:
        must(MPI_File_seek(file, offset_, MPI_SEEK_SET), "MPI_File_seek");
        return must_together(MPI_File_write_all(file, outgoing_.data(), count_, MPI_BYTE, &status),
                             "MPI_File_write_all");
      case WriteCall::write_at_all:
        return must_together(MPI_File_write_at_all(file, offset_, outgoing_.data(), count_, MPI_BYTE, &status),
                             "MPI_File_write_at_all");
    }
  }

  Param<Bytes> size_{this, 's', "size", Bytes{1 << 20}, "bytes that each rank writes", Positive{}, FitsMessage{}};
  Param<std::int64_t> ranks_given_{this, 'm', "ranks", 0, "ranks that write; when given, must be those of the job"};
  Param<std::string> path_{
      this, 'f', "file", "stressbench-mpiio.out", "the shared file; removed when the motif ends", NotEmpty{}};
  Param<WriteCall> call_{this, 'n', "call", WriteCall::write_at_all,
                         "how each rank writes at its place, rank times size"};
  Param<bool> sync_{this, '\0', "sync", "MPI_File_sync after the write: until the data is on the storage"};
  Param<bool> keep_{this, '\0', "keep", "leave the file when the motif ends"};
  Param<bool> overwrite_{this, '\0', "overwrite", "a file that is there already is replaced"};

  Metric open_{this, "open_time_s", Better::lower, "time in MPI_File_open"};
  Metric write_{this, "write_time_s", Better::lower, "time in the write call, with its seek"};
  Metric sync_time_{this, "sync_time_s", Better::lower, "time in MPI_File_sync; 0 without --sync"};
  Metric close_{this, "close_time_s", Better::lower, "time in MPI_File_close"};
  Metric bytes_{this, "written_bytes", Better::higher, "bytes written by a rank"};

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int last_ = 0;
  int count_ = 0;
  std::int64_t offset_ = 0;
  Buffer outgoing_;
  OwnFile own_;
};

const RegisterMotif<MpiIo> registered{"mpiio", Family::storage, "all ranks write into one file with MPI-IO (N-1)",
                                      "StressBench III-B"};

}  // namespace
}  // namespace stressbench
