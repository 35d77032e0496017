#include "io/item.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "io/fault.hpp"
#include "io/retry_on_eintr.hpp"

namespace stressbench::io {
namespace {

class OpenItem {
 public:
  OpenItem(const std::string& path, int flags)
      : path_(path), number_(retry_on_eintr([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); })) {
    if (number_ < 0) throw_io_fault("open", path, errno);
  }
  OpenItem(const OpenItem&) = delete;
  OpenItem& operator=(const OpenItem&) = delete;
  ~OpenItem() {
    if (number_ >= 0) ::close(number_);
  }

  void write(std::span<const std::byte> bytes) const {
    transfer_all({"write", "wrote", 0, bytes.size(), 0}, "no progress",
                 [&](std::size_t done) { return ::write(number_, bytes.data() + done, bytes.size() - done); });
  }
  void read(std::span<std::byte> bytes) const {
    transfer_all({"read", "read", 0, bytes.size(), 0}, "the file ends there",
                 [&](std::size_t done) { return ::read(number_, bytes.data() + done, bytes.size() - done); });
  }
  void sync() const {
    if (retry_on_eintr([&] { return ::fsync(number_); }) < 0) throw_io_fault("fsync", path_, errno);
  }
  void close() {
    if (::close(std::exchange(number_, -1)) < 0 && errno != EINTR) throw_io_fault("close", path_, errno);
  }

 private:
  template <class TransferOnce>
  void transfer_all(Partial transfer, std::string_view no_progress_text, TransferOnce transfer_once) const {
    while (transfer.done < transfer.length) {
      const ssize_t transferred = retry_on_eintr([&] { return transfer_once(transfer.done); });
      if (transferred < 0) throw_io_fault(transfer, path_, error_text(errno));
      if (transferred == 0) throw_io_fault(transfer, path_, no_progress_text);
      transfer.done += static_cast<std::size_t>(transferred);
    }
  }

  const std::string& path_;
  int number_;
};

}  // namespace

void create_item(ItemKind kind, const std::string& path, std::span<const std::byte> bytes, Durable durable) {
  if (kind == ItemKind::directory) {
    if (::mkdir(path.c_str(), 0777) != 0) throw_io_fault("mkdir", path, errno);
    return;
  }
  OpenItem file(path, O_WRONLY | O_CREAT | O_EXCL);
  file.write(bytes);
  if (durable == Durable::now) file.sync();
  file.close();
}

void ensure_item(ItemKind kind, const std::string& path, std::span<const std::byte> bytes) {
  if (kind == ItemKind::directory) {
    if (::mkdir(path.c_str(), 0777) == 0) return;
    const int error = errno;
    struct stat found {};
    const bool is_existing_directory = error == EEXIST && ::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
    if (!is_existing_directory) throw_io_fault("mkdir", path, error);
    return;
  }
  OpenItem file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  file.write(bytes);
  file.close();
}

struct stat stat_item(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) throw_io_fault("stat", path, errno);
  return found;
}

void open_item(ItemKind kind, const std::string& path, std::span<std::byte> bytes) {
  OpenItem item(path, O_RDONLY | (kind == ItemKind::directory ? O_DIRECTORY : 0));
  item.read(bytes);
  item.close();
}

void remove_item(ItemKind kind, const std::string& path) {
  if (!remove_item_if_exists(kind, path))
    throw_io_fault(kind == ItemKind::directory ? "rmdir" : "unlink", path, ENOENT);
}

bool remove_item_if_exists(ItemKind kind, const std::string& path) {
  const bool directory = kind == ItemKind::directory;
  if ((directory ? ::rmdir(path.c_str()) : ::unlink(path.c_str())) == 0) return true;
  if (errno != ENOENT) throw_io_fault(directory ? "rmdir" : "unlink", path, errno);
  return false;
}

bool item_exists(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0) return true;
  if (errno != ENOENT) throw_io_fault("lstat", path, errno);
  return false;
}

}  // namespace stressbench::io
