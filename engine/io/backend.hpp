// One way to put bytes into files and take them out again: POSIX, MPI-IO, HDF5, PnetCDF, memory. One file a backend,
// which registers itself; the motif of its name (docs/motifs/storage.md) does the pattern, the clock and the checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameter.hpp"
#include "mpi/group.hpp"

namespace stressbench::io {

enum class Access { write, read, both };

// A file as its ranks are about to use it; the same on all of them.
struct Opening {
  std::string path;
  Access access = Access::write;
  const mpi::Group* ranks = nullptr;  // that share the file and open it together
  std::int64_t file_bytes = 0;        // once all of them have written all that they will
  std::int64_t transfer_bytes = 0;    // the longest single transfer
};

// What a pattern asks of a backend, known before any rank starts.
struct AccessRequirements {
  Access access = Access::write;
  bool even_transfers = true;  // every rank of a file makes the same number of transfers, of the same lengths
  bool any_order = false;      // a rank's transfers do not go from front to back
  bool grows = false;          // each time it is opened, a file gets longer than it was made
};

// A rank's hold on one file at a time. Calls are made in the order open, transfers, wait, sync, close. What goes wrong
// throws MachineFault that names the call, the path and the system's words; the object may then only be destroyed,
// which must return at once and makes no collective call.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  // Refuses what it cannot do: throws ParameterMistake that says what it can.
  virtual void check(const AccessRequirements& requirements) const { (void)requirements; }

  // Untimed, once: so that nothing is allocated later.
  virtual void prepare(const Opening& opening) { (void)opening; }

  // To write makes the file where there is none, and keeps what is in it; to read takes it as it is.
  virtual void open(const Opening& opening) = 0;
  virtual void write(std::int64_t offset, std::span<const std::byte> bytes) = 0;
  virtual void read(std::int64_t offset, std::span<std::byte> bytes) = 0;
  // Transfers between two waits, and at most: those that were only started are complete after `wait`. The memory they
  // use must stay until then.
  virtual int in_flight() const { return 1; }
  virtual bool waits() const { return false; }  // whether transfers are started only, and `wait` must be called
  virtual void wait() {}
  virtual void sync() = 0;  // until the data is on the storage, as far as the backend can know
  virtual void close() = 0;

  // Where the backend, not the caller, says where the next transfer goes (shared file pointers), offsets are not used.
  virtual bool takes_offsets() const { return true; }
  // Whether a rank finds only what it wrote itself.
  virtual bool per_rank_files() const { return false; }
  // Whether transfers are calls that all ranks of the file make together.
  virtual bool collective() const { return false; }

  // Things that a reader of the results must know: a hint that was not taken, O_DIRECT that the file system ignores.
  // Of this rank, since the last call.
  virtual std::vector<std::string> notes() { return {}; }

  // Takes away a file that this backend made, by its path alone; any rank may. True where there was one.
  virtual bool remove(const std::string& path) const;  // as POSIX does
};

struct BackendEntry {
  std::string name;
  std::string summary;
  std::string source;
  std::unique_ptr<Backend> (*make)(ParameterSet& owner);  // declares its options on the owner
};

// What is compiled in, by name.
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
