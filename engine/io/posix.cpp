// posix: files accessed by system calls, as in the POSIX and MMAP backends of IOR (docs/motifs/storage.md).
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/signals.hpp"
#include "io/backend.hpp"
#include "io/direct.hpp"
#include "io/fault.hpp"
#include "io/mapping.hpp"
#include "io/posix_options.hpp"
#include "io/retry_on_eintr.hpp"

namespace stressbench::io {
namespace {

class Posix final : public Backend {
 public:
  explicit Posix(ParameterSet& owner) : options_(owner) {}
  ~Posix() override {
    mapping_.release();
    if (file_ >= 0) ::close(file_);
  }

  void check(const AccessRequirements&) const override {
    if (*options_.direct && uses_mmap())
      reject("direct", "--call mmap uses the page cache; pwrite and write can bypass it");
  }

  void prepare(const Opening& opening) override {
    path_.reserve(opening.path.size());
    if (!*options_.direct) return;
    access_ = direct_access(opening.path);
    require_alignment(access_, opening.path, opening.transfer_bytes, opening.file_bytes);
    if (access_.support == DirectAccess::Support::ignored) {
      notes_.push_back(fmt::format("--direct: the file system of '{}' is memory and ignores O_DIRECT", opening.path));
    }
  }

  void open(const Opening& opening) override {
    path_ = opening.path;
    const bool writes = opening.access != Access::read;
    // Writing through a mapping requires read access.
    const bool reads = opening.access != Access::write || uses_mmap();
    const int flags = (writes ? O_CREAT : 0) |
                      (!writes ? O_RDONLY
                       : reads ? O_RDWR
                               : O_WRONLY) |
                      (*options_.direct ? O_DIRECT : 0) | O_CLOEXEC;
    file_ = retry_on_eintr([&] { return ::open(path_.c_str(), flags, 0666); });
    if (file_ < 0) fail("open");
    if (*options_.preallocate && writes) preallocate(opening);
    if (uses_mmap()) map(opening, writes);
  }

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    if (bytes.empty()) return;
    if (uses_mmap()) {
      std::byte* const to = map_transfer({"mmap", "wrote", 0, bytes.size(), offset});
      if (!Mapping::copy(to, bytes.data(), bytes.size()))
        fail_on_missing_page({"mmap", "wrote", 0, bytes.size(), offset});
    } else if (*options_.call == PosixCall::write) {
      seek(offset);
      transfer_all({"write", "wrote", 0, bytes.size(), offset}, "no progress",
                   [&](std::size_t done) { return ::write(file_, bytes.data() + done, bytes.size() - done); });
    } else {
      transfer_all({"pwrite", "wrote", 0, bytes.size(), offset}, "no progress", [&](std::size_t done) {
        return ::pwrite(file_, bytes.data() + done, bytes.size() - done, offset + static_cast<std::int64_t>(done));
      });
    }
  }

  void read(std::int64_t offset, std::span<std::byte> bytes) override {
    if (bytes.empty()) return;
    if (uses_mmap()) {
      const std::byte* const from = map_transfer({"mmap", "read", 0, bytes.size(), offset});
      if (!Mapping::copy(bytes.data(), from, bytes.size()))
        fail_on_missing_page({"mmap", "read", 0, bytes.size(), offset});
    } else if (*options_.call == PosixCall::write) {
      seek(offset);
      transfer_all({"read", "read", 0, bytes.size(), offset}, end_of_file,
                   [&](std::size_t done) { return ::read(file_, bytes.data() + done, bytes.size() - done); });
    } else {
      transfer_all({"pread", "read", 0, bytes.size(), offset}, end_of_file, [&](std::size_t done) {
        return ::pread(file_, bytes.data() + done, bytes.size() - done, offset + static_cast<std::int64_t>(done));
      });
    }
  }

  void sync() override {  // includes what was written through a mapping
    if (retry_on_eintr([&] { return ::fsync(file_); }) < 0) fail("fsync");
  }

  void close() override {
    mapping_.release();
    const int closed = ::close(std::exchange(file_, -1));  // is closed even if interrupted
    if (closed < 0 && errno != EINTR) fail("close");
  }

  std::vector<std::string> notes() override { return std::exchange(notes_, {}); }

 private:
  static constexpr std::string_view end_of_file = "the file ends there";

  bool uses_mmap() const noexcept { return *options_.call == PosixCall::mmap; }
  [[noreturn]] void fail(const char* call) const { throw_io_fault(call, path_, errno); }
  std::string error_message() const {
    const int error = errno;
    if (error != EINVAL || !*options_.direct) return error_text(error);
    if (access_.support != DirectAccess::Support::aligned)
      return error_text(error) + " (does O_DIRECT allow such lengths?)";
    return fmt::format("{} (O_DIRECT requires multiples of {} bytes there)", error_text(error), access_.multiple);
  }

  void seek(std::int64_t offset) const {
    if (::lseek(file_, offset, SEEK_SET) < 0) fail("lseek");
  }

  // Continues partial transfers until they are complete, or nothing moves any more.
  template <class TransferOnce>
  void transfer_all(Partial transfer, std::string_view no_progress_text, TransferOnce transfer_once) const {
    while (transfer.done < transfer.length) {
      const ssize_t transferred = retry_on_eintr([&] { return transfer_once(transfer.done); });
      if (transferred < 0) throw_io_fault(transfer, path_, error_message());
      if (transferred == 0) throw_io_fault(transfer, path_, no_progress_text);
      transfer.done += static_cast<std::size_t>(transferred);
    }
  }

  // Not posix_fallocate: without support of the file system it writes to every block, while other ranks write there.
  void preallocate(const Opening& opening) {
    const bool first = !opening.ranks || opening.ranks->rank() == 0;
    if (first && opening.file_bytes > 0 &&
        retry_on_eintr([&] { return ::fallocate(file_, 0, 0, opening.file_bytes); }) < 0) {
      if (errno != EOPNOTSUPP && errno != ENOSYS) fail("fallocate");
      notes_.push_back(fmt::format("--preallocate: the file system of '{}' does not support it", path_));
    }
    if (opening.ranks && opening.ranks->size() > 1) opening.ranks->barrier();
  }

  void map(const Opening& opening, bool writes) {
    struct stat now {};
    if (::fstat(file_, &now) < 0) fail("fstat");
    mapped_bytes_ = now.st_size;
    if (writes && now.st_size < opening.file_bytes) {  // to the same length on every rank
      if (retry_on_eintr([&] { return ::ftruncate(file_, opening.file_bytes); }) < 0) fail("ftruncate");
      mapped_bytes_ = opening.file_bytes;
    }
    mapping_.attach(file_, mapped_bytes_, writes);
  }
  std::byte* map_transfer(const Partial& transfer) {
    if (transfer.offset + static_cast<std::int64_t>(transfer.length) > mapped_bytes_)
      throw_io_fault(transfer, path_, end_of_file);
    std::byte* const bytes = mapping_.at(transfer.offset, transfer.length);
    if (!bytes) throw_io_fault(transfer, path_, error_message());
    return bytes;
  }
  [[noreturn]] void fail_on_missing_page(const Partial& transfer) const {
    throw_io_fault(transfer, path_, "the storage has no page for them (SIGBUS): it is full or failed");
  }

  PosixOptions options_;

  int file_ = -1;
  std::string path_;
  DirectAccess access_;
  signals::SigxfszIgnored file_size_limit_;
  Mapping mapping_;
  std::int64_t mapped_bytes_ = 0;
  std::vector<std::string> notes_;
};

const RegisterBackend<Posix> registered{"posix", "reads and writes files with POSIX calls"};

}  // namespace
}  // namespace stressbench::io
