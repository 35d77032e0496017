// mpiio: the calls of MPI-IO. On a full disk, Open MPI and MPICH return MPI_SUCCESS from some calls that wrote less, so
// the return code alone is not trusted: errno, the count in the status and, for calls that other ranks may carry out,
// the length of the file are checked as well (docs/motifs/storage.md).
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "io/backend.hpp"
#include "io/mpi_library.hpp"
#include "io/mpiio_options.hpp"
#include "io/storage_error.hpp"

namespace stressbench::io {
namespace {

// A call in one direction: Data is const void* to write, void* to read.
template <class Data>
using Function = std::variant<int (*)(MPI_File, Data, int, MPI_Datatype, MPI_Status*),
                              int (*)(MPI_File, MPI_Offset, Data, int, MPI_Datatype, MPI_Status*),
                              int (*)(MPI_File, Data, int, MPI_Datatype, MPI_Request*),
                              int (*)(MPI_File, MPI_Offset, Data, int, MPI_Datatype, MPI_Request*)>;

struct CallPair {
  Function<const void*> write;
  Function<void*> read;
};

CallPair functions_of(MpiIoCall call) {
  switch (call) {
    case MpiIoCall::plain:
      return {MPI_File_write, MPI_File_read};
    case MpiIoCall::at:
      return {MPI_File_write_at, MPI_File_read_at};
    case MpiIoCall::all:
      return {MPI_File_write_all, MPI_File_read_all};
    case MpiIoCall::at_all:
      return {MPI_File_write_at_all, MPI_File_read_at_all};
    case MpiIoCall::shared:
      return {MPI_File_write_shared, MPI_File_read_shared};
    case MpiIoCall::ordered:
      return {MPI_File_write_ordered, MPI_File_read_ordered};
    case MpiIoCall::started:
      return {MPI_File_iwrite, MPI_File_iread};
    case MpiIoCall::started_at:
      return {MPI_File_iwrite_at, MPI_File_iread_at};
    case MpiIoCall::started_all:
      return {MPI_File_iwrite_all, MPI_File_iread_all};
    case MpiIoCall::started_at_all:
      break;
  }
  return {MPI_File_iwrite_at_all, MPI_File_iread_at_all};
}

template <class Data>
int call_mpi(const Function<Data>& function, MPI_File file, std::int64_t offset, Data data, int count,
             MPI_Status* status, MPI_Request* request) {
  return std::visit(
      [&](auto call) {
        using Call = decltype(call);
        if constexpr (std::is_invocable_v<Call, MPI_File, Data, int, MPI_Datatype, MPI_Status*>) {
          return call(file, data, count, MPI_BYTE, status);
        } else if constexpr (std::is_invocable_v<Call, MPI_File, MPI_Offset, Data, int, MPI_Datatype, MPI_Status*>) {
          return call(file, offset, data, count, MPI_BYTE, status);
        } else if constexpr (std::is_invocable_v<Call, MPI_File, Data, int, MPI_Datatype, MPI_Request*>) {
          return call(file, data, count, MPI_BYTE, request);
        } else {
          return call(file, offset, data, count, MPI_BYTE, request);
        }
      },
      function);
}

// A transfer, as described in error messages.
struct Transfer {
  bool writes = false;
  std::int64_t offset = 0;
  std::span<const std::byte> bytes;
  std::int64_t size() const { return std::ssize(bytes); }
};

// `elapsed` returns true about once a second if it is called in a loop.
class OncePerSecond {
 public:
  bool elapsed() {
    constexpr int calls_per_clock_read = 4096;  // reading the clock costs as much as testing a request
    if (++calls_ % calls_per_clock_read != 0) return false;
    const auto now = std::chrono::steady_clock::now();
    if (calls_ == calls_per_clock_read) since_ = now;
    if (now - since_ < std::chrono::seconds(1)) return false;
    since_ = now;
    return true;
  }

 private:
  std::int64_t calls_ = 0;
  std::chrono::steady_clock::time_point since_;
};

class MpiIo final : public Backend {
 public:
  explicit MpiIo(ParameterSet& owner) : options_(owner) {}

  void check(const AccessRequirements& requirements) const override { options_.check(requirements); }

  void prepare(const Opening& opening) override {
    options_.check_transfer(opening);
    kind_ = options_.kind();
    functions_ = functions_of(options_.call());
    options_.hints().prepare();
    path_ = opening.path;
    started_transfers_.resize(kind_.is_nonblocking() ? static_cast<std::size_t>(options_.in_flight()) : 0);
  }

  void open(const Opening& opening) override {
    path_ = opening.path;
    position_ = -1;
    end_ = 0;
    length_ = 0;
    const int code = MPI_File_open(opening.ranks->handle(), path_.c_str(), mode_of(opening.access),
                                   options_.hints().handle(), &file_);
    if (code != MPI_SUCCESS) [[unlikely]] {
      const std::string text = explain_open_failure(path_, opening.access);
      throw_call_fault("MPI_File_open", path_, text.empty() ? mpi_error_text(code) : text);
    }
    if (options_.truncate() && opening.access != Access::read) truncate();
    if (options_.preallocate() && opening.access != Access::read && opening.file_bytes > 0)
      preallocate(opening.file_bytes);
    if (options_.hints().any() && !hints_noted_ && opening.ranks->rank() == 0) note_hints();
  }

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    end_ = kind_.pointer == Pointer::shared ? end_ + std::ssize(bytes) : std::max(end_, offset + std::ssize(bytes));
    execute<const void*>(functions_.write, {true, offset, bytes}, bytes.data());
  }
  void read(std::int64_t offset, std::span<std::byte> bytes) override {
    const Transfer transfer{false, offset, bytes};
    require_bytes_exist(transfer);
    execute<void*>(functions_.read, transfer, bytes.data());
  }

  int in_flight() const override { return options_.in_flight(); }
  bool nonblocking() const override { return options_.kind().is_nonblocking(); }
  void wait() override {
    for (std::size_t k = 0; k < pending_; ++k) complete(started_transfers_[k]);
    pending_ = 0;
  }

  void sync() override {
    errno = 0;
    check_code(MPI_File_sync(file_), "MPI_File_sync", errno);
  }

  void close() override {
    if (options_.call() == MpiIoCall::ordered && end_ == 0) require_bytes_existed();
    errno = 0;
    check_code(MPI_File_close(&file_), "MPI_File_close", errno);
    if (end_ > 0 && (kind_.is_collective() || kind_.is_nonblocking()))
      require_file_length("MPI_File_close", path_, end_);
  }

  bool takes_offsets() const override { return options_.kind().pointer != Pointer::shared; }
  bool collective() const override { return options_.kind().is_collective(); }
  std::vector<std::string> notes() override { return std::exchange(notes_, {}); }

 private:
  struct StartedTransfer {
    MPI_Request request = MPI_REQUEST_NULL;
    Transfer transfer;
  };

  static int mode_of(Access access) {
    switch (access) {
      case Access::write:
        return MPI_MODE_CREATE | MPI_MODE_WRONLY;
      case Access::read:
        return MPI_MODE_RDONLY;
      case Access::both:
        break;
    }
    return MPI_MODE_CREATE | MPI_MODE_RDWR;
  }

  void check_code(int code, const char* call, int error) const {
    const std::string text = code == MPI_SUCCESS && error == 0 ? "" : storage_error_text(error);
    if (code == MPI_SUCCESS && text.empty()) [[likely]]
      return;
    throw_call_fault(call, path_, text.empty() ? mpi_error_text(code) : text);
  }

  template <class Data>
  void execute(const Function<Data>& function, const Transfer& transfer, Data data) {
    if (kind_.pointer == Pointer::own) seek(transfer);
    if (kind_.is_nonblocking() && pending_ == started_transfers_.size()) wait();
    MPI_Status status{};
    MPI_Request request = MPI_REQUEST_NULL;
    errno = 0;
    const int code =
        call_mpi(function, file_, transfer.offset, data, static_cast<int>(transfer.size()), &status, &request);
    const int error = errno;
    if (kind_.is_nonblocking() && code == MPI_SUCCESS) {
      started_transfers_[pending_++] = {request, transfer};
    } else {
      check_outcome(transfer, code, error, status);
    }
  }

  // Throws for a read past the end of the file, instead of making it: if such a read is collective or nonblocking, Open
  // MPI and MPICH may report that everything was read, and Open MPI never completes some.
  void require_bytes_exist(const Transfer& transfer) {
    const std::int64_t end = transfer.offset + transfer.size();
    if (end <= length_ || kind_.pointer == Pointer::shared) [[likely]]
      return;
    length_ = length();
    if (end > length_) {
      fail_transfer(transfer, MPI_SUCCESS, 0, std::clamp<MPI_Count>(length_ - transfer.offset, 0, transfer.size()));
    }
  }
  // The same for ordered reads, afterwards, since their positions are not known in advance.
  void require_bytes_existed() const {
    MPI_Offset position = 0;
    check_code(MPI_File_get_position_shared(file_, &position), "MPI_File_get_position_shared", 0);
    const std::int64_t end = length();
    if (position > end) {
      throw_call_fault("MPI_File_read_ordered", path_,
                       fmt::format("the file ends after {} of {} bytes", end, position));
    }
  }
  std::int64_t length() const {
    MPI_Offset length = 0;
    check_code(MPI_File_get_size(file_, &length), "MPI_File_get_size", 0);
    return length;
  }

  void seek(const Transfer& transfer) {
    if (position_ != transfer.offset)
      check_code(MPI_File_seek(file_, transfer.offset, MPI_SEEK_SET), "MPI_File_seek", 0);
    position_ = transfer.offset + transfer.size();
  }

  // Tests instead of waiting. For a failed file request, MPI_Wait crashes in Open MPI (open-mpi/ompi#6078), so that
  // such a request is abandoned. In MPICH, neither MPI_Wait nor MPI_Test completes it, and MPI_Request_get_status is
  // never true.
  void complete(StartedTransfer& started) const {
    MPI_Status status{};
    OncePerSecond once_per_second;
    int code = MPI_SUCCESS;
    errno = 0;
    for (int done = 0; !done && code == MPI_SUCCESS;) {
      code = open_mpi ? MPI_Request_get_status(started.request, &done, &status)
                      : MPI_Test(&started.request, &done, &status);
      if (!done && once_per_second.elapsed()) check_for_failure(started.transfer);
    }
    const int error = errno;
    if (open_mpi && code == MPI_SUCCESS) code = status.MPI_ERROR;
    check_outcome(started.transfer, code, error, status);
    if (open_mpi) MPI_Wait(&started.request, MPI_STATUS_IGNORE);
  }
  void check_for_failure(const Transfer& transfer) const {
    if (transfer.bytes.empty()) return;
    const std::string text = transfer.writes ? explain_write_failure(path_, transfer.offset, transfer.bytes.front())
                                             : explain_read_failure(path_, transfer.offset);
    if (!text.empty()) fail(transfer, transfer.writes ? "writing" : "reading", text);
    errno = 0;
  }

  // Checks a transfer that is complete according to the library.
  void check_outcome(const Transfer& transfer, int code, int error, const MPI_Status& status) const {
    MPI_Count transferred = 0;
    if (code == MPI_SUCCESS) MPI_Get_elements_x(&status, MPI_BYTE, &transferred);
    const bool is_complete = transferred == transfer.size();
    if (code == MPI_SUCCESS && is_complete && (error == 0 || storage_error_text(error).empty())) [[likely]]
      return;
    fail_transfer(transfer, code, error, transferred);
  }

  [[noreturn]] void fail_transfer(const Transfer& transfer, int code, int error, MPI_Count transferred) const {
    std::string text = storage_error_text(error);
    if (code != MPI_SUCCESS)
      fail(transfer, transfer.writes ? "writing" : "reading", text.empty() ? mpi_error_text(code) : text);
    if (text.empty() && !transfer.writes) text = "the file ends there";
    if (text.empty() && transferred < transfer.size()) {
      const std::byte next = transfer.bytes[static_cast<std::size_t>(transferred)];
      text = takes_offsets() ? explain_write_failure(path_, transfer.offset + transferred, next)
                             : explain_growth_failure(path_);
    }
    fail(transfer, fmt::format("{} {} of", transfer.writes ? "wrote" : "read", transferred), text);
  }
  [[noreturn]] void fail(const Transfer& transfer, const std::string& what, const std::string& text) const {
    const std::string where = takes_offsets() ? fmt::format(" at offset {}", transfer.offset) : "";
    throw_call_fault(options_.name_of_call(transfer.writes ? Access::write : Access::read), path_,
                     fmt::format("{} {} bytes{}{}{}", what, transfer.size(), where, text.empty() ? "" : ": ", text));
  }

  void truncate() const {
    errno = 0;
    check_code(MPI_File_set_size(file_, 0), "MPI_File_set_size", errno);
  }

  void preallocate(std::int64_t size) const {
    errno = 0;
    check_code(MPI_File_preallocate(file_, size), "MPI_File_preallocate", errno);
    require_file_length("MPI_File_preallocate", path_, size);  // Open MPI does not report a failure
  }

  void note_hints() {
    hints_noted_ = true;
    MPI_Info effective = MPI_INFO_NULL;
    check_code(MPI_File_get_info(file_, &effective), "MPI_File_get_info", 0);
    notes_ = options_.hints().effective_notes(mpi::Info::adopt(effective));
  }

  MpiIoOptions options_;

  CallKind kind_ = kind_of(MpiIoCall::at_all);
  CallPair functions_ = functions_of(MpiIoCall::at_all);
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
  std::int64_t position_ = -1;  // of the individual file pointer; -1: not moved yet
  std::int64_t end_ = 0;        // end of what this rank wrote since the file was opened
  std::int64_t length_ = 0;     // of the file, when last checked
  std::vector<StartedTransfer> started_transfers_;
  std::size_t pending_ = 0;
  std::vector<std::string> notes_;
  bool hints_noted_ = false;
};

const RegisterBackend<MpiIo> registered{"mpiio", "reads and writes files with MPI-IO", "StressBench III-B"};

}  // namespace
}  // namespace stressbench::io
