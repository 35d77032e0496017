// The interface of a storage backend: POSIX, MPI-IO, HDF5, PnetCDF, memory. Each backend is one file, which registers
// itself. The motif of the same name (docs/motifs/storage.md) implements patterns, timing and verification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/parameter.hpp"
#include "mpi/group.hpp"

namespace stressbench::io {

enum class Access { write, read, both };

// A file and how its ranks are about to use it; the same on all of them.
struct Opening {
  std::string path;
  Access access = Access::write;
  const mpi::Group* ranks = nullptr;  // that share the file and open it collectively
  std::int64_t file_bytes = 0;        // after all ranks have written all their data
  std::int64_t transfer_bytes = 0;    // the longest single transfer
};

// What a pattern requires of a backend, known before any rank starts.
struct AccessRequirements {
  Access access = Access::write;
  bool even_transfers = true;  // every rank of a file makes the same number of transfers, of the same lengths
  bool any_order = false;      // a rank's offsets do not ascend
  bool grows = false;          // a file gets longer each time it is opened
};

// A rank's access to one file at a time. Calls are made in the order open, transfers, wait, sync, close. A failure
// throws MachineFault with the call, the path and the system's message; the object may then only be destroyed, which
// must return at once and make no collective call.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  // Throws ParameterMistake if the backend does not meet the requirements; the message says what would be valid.
  virtual void check(const AccessRequirements& requirements) const { (void)requirements; }

  // Called once, untimed: allocates what `open` and transfers need.
  virtual void prepare(const Opening& opening) { (void)opening; }

  // For writing, creates the file if it does not exist and keeps its contents.
  virtual void open(const Opening& opening) = 0;
  virtual void write(std::int64_t offset, std::span<const std::byte> bytes) = 0;
  virtual void read(std::int64_t offset, std::span<std::byte> bytes) = 0;
  // The largest number of transfers between two calls of `wait`. Nonblocking ones are complete after `wait`, and their
  // memory must stay valid until then.
  virtual int in_flight() const { return 1; }
  // Whether transfers are nonblocking, so that `wait` must be called.
  virtual bool nonblocking() const { return false; }
  virtual void wait() {}
  virtual void sync() = 0;  // returns when the data is on the storage, as far as the backend can tell
  virtual void close() = 0;

  // False if the backend determines the position of each transfer (shared file pointers) and ignores offsets.
  virtual bool takes_offsets() const { return true; }
  // Whether each rank can read only what it wrote itself.
  virtual bool per_rank_files() const { return false; }
  // False if files have a length but no contents (simulations): the spans of transfers then have a length but no
  // memory, and nothing is verified.
  virtual bool holds_data() const { return true; }
  // Whether transfers are collective calls of all ranks of the file.
  virtual bool collective() const { return false; }

  // What a reader of the results must know: a hint that was ignored, O_DIRECT without effect on this file system. Notes
  // of this rank since the last call.
  virtual std::vector<std::string> notes() { return {}; }

  // Removes a file that this backend created. May be called on any rank. Returns whether the file existed.
  virtual bool remove(const std::string& path) const;  // by default with unlink
};

struct BackendEntry {
  std::string name;
  std::string summary;
  std::string source;
  std::unique_ptr<Backend> (*make)(ParameterSet& owner);  // declares its options on the owner
};

// The backends of this build, by name.
std::vector<BackendEntry>& backends();

// At the end of a backend's file:
//   const RegisterBackend<Posix> registered{"posix", "reads and writes files with POSIX calls"};
template <class B>
struct RegisterBackend {
  RegisterBackend(std::string name, std::string summary, std::string source = "") {
    backends().push_back({std::move(name), std::move(summary), std::move(source),
                          [](ParameterSet& owner) { return std::unique_ptr<Backend>(std::make_unique<B>(owner)); }});
  }
};

}  // namespace stressbench::io
