// The simulated parallel file system: I/O nodes of the platform, the files that they hold, and a rank's traffic with
// them. Files have names and sizes but no contents, so a file of any size takes no memory (docs/how-to/simgrid.md).
#pragma once

#include <cstdint>
#include <map>
#include <simgrid/s4u/Comm.hpp>
#include <simgrid/s4u/Host.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/layout.hpp"
#include "io/striping.hpp"

namespace stressbench::io {

// Why storage motifs cannot run on this platform; empty if they can, or if no platform was named.
std::string no_storage_text();

bool has_io_nodes();

// The link of an I/O node, and the payload that it has carried.
struct IoLink {
  std::string name;
  std::string node;
  std::string peer;  // the switch at its other end
  std::int64_t rate_bits_per_s = 0;
  std::int64_t received_bytes = 0;
  std::int64_t sent_bytes = 0;
};

struct SimulatedFile {
  Striping striping;
  std::int64_t bytes = 0;           // from the start to the last byte, holes included
  std::int64_t shared_pointer = 0;  // of MPI-IO
};

// Files that a job claimed (io/owned_files.hpp).
struct SimulatedClaim {
  int owner = 0;  // the first rank of the job
  Layout layout;
  int users = 0;
  bool keep = false;
  bool exclusive = false;
};

// All ranks share this one object, although each has its own copy of the program: no member may refer to code or static
// data, so there are no virtual functions and no std::shared_ptr.
class IoNodes {
 public:
  // Throws MachineFault if the platform has no I/O nodes.
  static IoNodes& all();

  int count() const noexcept { return static_cast<int>(hosts_.size()); }
  simgrid::s4u::Host* host(int node) const { return hosts_[static_cast<std::size_t>(node)]; }

  const IoLink& link(int node) const { return links_[static_cast<std::size_t>(node)]; }
  // Transfers between this rank's host and an I/O node, which start at once.
  simgrid::s4u::CommPtr start_sending(int node, std::int64_t bytes);
  simgrid::s4u::CommPtr start_receiving(int node, std::int64_t bytes);

  SimulatedFile* find(const std::string& path);
  // A file that was opened. Throws MachineFault with the call's name if another rank has removed it, after a fault.
  SimulatedFile& opened(const std::string& path, std::string_view call);
  // The existing file, or a new one: in the stripes of the platform, or on `node_count` I/O nodes in stripes of
  // `stripe_bytes` where these are not 0.
  SimulatedFile& create(const std::string& path, std::int64_t stripe_bytes = 0, int node_count = 0);
  bool remove(const std::string& path);
  // Extends the file to `bytes`. Returns false if an I/O node has no room for its part; the file is then unchanged.
  bool extend(SimulatedFile& file, std::int64_t bytes);
  void truncate(SimulatedFile& file);

  std::map<std::string, SimulatedClaim>& claims() noexcept { return claims_; }

  // The name by which files and claims are known: absolute and normal.
  static std::string key_of(const std::string& path);

 private:
  IoNodes();

  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<IoLink> links_;
  std::vector<std::int64_t> free_bytes_;
  std::int64_t stripe_bytes_ = 0;
  std::map<std::string, SimulatedFile> files_;
  std::map<std::string, SimulatedClaim> claims_;
};

// A rank's traffic for one open file. Data travel as one transfer for each I/O node, as long as one of several requests
// that follow each other without a gap would take.
class FileTraffic {
 public:
  // Data that writes leave to be sent in the background: at most as much waits, and as much is on its way.
  static constexpr std::int64_t write_behind_bytes = 1 << 20;
  static constexpr std::int64_t request_bytes = 1 << 20;  // at most, of one request
  static constexpr std::int64_t header_bytes = 128;       // of a request for data, and of an acknowledgement

  // A request to the file's first I/O node and its answer: open, sync, close.
  void round_trip(const SimulatedFile& file);

  // Returns once all but the bytes that are written in the background are acknowledged.
  void write(const SimulatedFile& file, std::int64_t begin, std::int64_t end);
  // Returns once all bytes are acknowledged.
  void write_through(const SimulatedFile& file, std::int64_t begin, std::int64_t end);
  void read(const SimulatedFile& file, std::int64_t begin, std::int64_t end);

  // Without waiting; `finish` waits.
  void start_write(const SimulatedFile& file, std::int64_t begin, std::int64_t end);
  void start_read(const SimulatedFile& file, std::int64_t begin, std::int64_t end);
  void finish();

 private:
  using Transfers = std::vector<simgrid::s4u::CommPtr>;
  void add_waiting(const SimulatedFile& file, std::int64_t begin, std::int64_t end);
  bool is_sending();
  void send_waiting();
  void wait_until_sent();
  void receive_requested();

  std::vector<std::int64_t> waiting_;  // bytes to write, by I/O node
  std::int64_t waiting_bytes_ = 0;
  std::vector<std::int64_t> sent_;  // bytes on their way, by I/O node
  Transfers sending_;
  Transfers acknowledgements_;
  std::vector<std::int64_t> requested_;  // bytes to read, by I/O node
  Transfers requests_;
};

// Transfers between hosts that start at once; waits for all of them.
void wait_for(std::vector<simgrid::s4u::CommPtr>& transfers);

}  // namespace stressbench::io
