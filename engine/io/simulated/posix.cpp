// posix in a simulation: the calls' traffic with the I/O nodes (docs/how-to/simgrid.md).
#include <cerrno>
#include <utility>

#include "io/backend.hpp"
#include "io/fault.hpp"
#include "io/posix_options.hpp"
#include "io/simulated/io_nodes.hpp"

namespace stressbench::io {
namespace {

class Posix final : public Backend {
 public:
  explicit Posix(ParameterSet& owner) : options_(owner) {}

  void check(const AccessRequirements&) const override {
    if (*options_.call == PosixCall::mmap)
      reject("call", "mmap: simulated hosts have no page cache to map; pwrite and write are simulated");
    if (const std::string text = no_storage_text(); !text.empty()) reject("", "{}", text);
  }

  void open(const Opening& opening) override {
    path_ = opening.path;
    const bool writes = opening.access != Access::read;
    if (!writes && IoNodes::all().find(path_) == nullptr) throw_io_fault("open", path_, ENOENT);
    if (writes) IoNodes::all().create(path_);
    traffic_.round_trip(file());
    if (*options_.preallocate && writes) preallocate(opening);
  }

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    if (bytes.empty()) return;
    const std::int64_t end = offset + std::ssize(bytes);
    if (!IoNodes::all().extend(file(), end))
      throw_io_fault({*options_.call == PosixCall::pwrite ? "pwrite" : "write", "wrote", 0, bytes.size(), offset},
                     path_, error_text(ENOSPC));
    if (*options_.direct) return traffic_.write_through(file(), offset, end);
    traffic_.write(file(), offset, end);
  }

  void read(std::int64_t offset, std::span<std::byte> bytes) override {
    if (bytes.empty()) return;
    const std::int64_t end = std::min(offset + std::ssize(bytes), file().bytes);
    if (end > offset) traffic_.read(file(), offset, end);
    const auto done = static_cast<std::size_t>(std::max<std::int64_t>(end - offset, 0));
    if (done < bytes.size())
      throw_io_fault({*options_.call == PosixCall::pwrite ? "pread" : "read", "read", done, bytes.size(), offset},
                     path_, "the file ends there");
  }

  void sync() override {
    traffic_.finish();
    traffic_.round_trip(file());
  }

  void close() override { sync(); }

  bool holds_data() const override { return false; }

 private:
  SimulatedFile& file() const { return IoNodes::all().opened(path_, "fstat"); }

  void preallocate(const Opening& opening) {
    const bool first = !opening.ranks || opening.ranks->rank() == 0;
    if (first && !IoNodes::all().extend(file(), opening.file_bytes)) throw_io_fault("fallocate", path_, ENOSPC);
    if (opening.ranks && opening.ranks->size() > 1) opening.ranks->barrier();
  }

  PosixOptions options_;
  std::string path_;
  FileTraffic traffic_;
};

const RegisterBackend<Posix> registered{"posix", "sends the requests of POSIX calls to simulated I/O nodes"};

}  // namespace
}  // namespace stressbench::io
