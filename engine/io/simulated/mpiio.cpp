// mpiio in a simulation: what MPI-IO as in ROMIO sends between ranks, and to the I/O nodes (docs/how-to/simgrid.md).
#include <mpi.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <simgrid/s4u/Actor.hpp>
#include <utility>

#include "core/error.hpp"
#include "io/backend.hpp"
#include "io/fault.hpp"
#include "io/mpiio_options.hpp"
#include "io/simulated/io_nodes.hpp"
#include "io/two_phase.hpp"

namespace stressbench::io {
namespace {

namespace s4u = simgrid::s4u;

// A host's aggregator: its first rank that has the file open.
struct Aggregator {
  s4u::Host* host;
  int rank;
};

class MpiIo final : public Backend {
 public:
  explicit MpiIo(ParameterSet& owner) : options_(owner) {}

  void check(const AccessRequirements& requirements) const override {
    options_.check(requirements);
    (void)simulated_hints(options_.hints().requested());
    if (const std::string text = no_storage_text(); !text.empty()) reject("", "{}", text);
  }

  void prepare(const Opening& opening) override {
    options_.check_transfer(opening);
    kind_ = options_.kind();
    hints_ = simulated_hints(options_.hints().requested());
    notes_ = std::exchange(hints_.notes, {});
    if (opening.ranks->rank() != 0) notes_.clear();
  }

  void open(const Opening& opening) override {
    path_ = opening.path;
    ranks_ = opening.ranks;
    ranges_.resize(static_cast<std::size_t>(ranks_->size()));
    const bool writes = opening.access != Access::read;
    if (!writes && IoNodes::all().find(path_) == nullptr) throw_io_fault("MPI_File_open", path_, ENOENT);
    if (ranks_->rank() == 0) open_first(opening);
    find_aggregators();  // all ranks wait for the first one
    if (ranks_->rank() != 0) traffic_.round_trip(file());
  }

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    const ByteRange range = position(offset, std::ssize(bytes));
    if (!IoNodes::all().extend(file(), range.end))
      throw_io_fault({options_.name_of_call(Access::write), "wrote", 0, bytes.size(), range.begin}, path_,
                     error_text(ENOSPC));
    if (is_aggregated(range, hints_.write)) return write_two_phase(range);
    if (kind_.is_nonblocking()) return traffic_.start_write(file(), range.begin, range.end);
    traffic_.write(file(), range.begin, range.end);
  }

  void read(std::int64_t offset, std::span<std::byte> bytes) override {
    const ByteRange range = position(offset, std::ssize(bytes));
    if (range.end > file().bytes) {
      const auto available = static_cast<std::size_t>(std::max<std::int64_t>(file().bytes - range.begin, 0));
      throw_io_fault({options_.name_of_call(Access::read), "read", available, bytes.size(), range.begin}, path_,
                     "the file ends there");
    }
    if (is_aggregated(range, hints_.read)) return read_two_phase(range);
    if (kind_.is_nonblocking()) return traffic_.start_read(file(), range.begin, range.end);
    traffic_.read(file(), range.begin, range.end);
  }

  int in_flight() const override { return options_.in_flight(); }
  bool nonblocking() const override { return options_.kind().is_nonblocking(); }
  void wait() override {
    if (kind_.is_nonblocking()) traffic_.finish();
  }

  void sync() override {
    traffic_.finish();
    traffic_.round_trip(file());
  }

  void close() override {
    sync();
    ranks_->barrier();
  }

  bool takes_offsets() const override { return options_.kind().pointer != Pointer::shared; }
  bool collective() const override { return options_.kind().is_collective(); }
  bool holds_data() const override { return false; }
  std::vector<std::string> notes() override { return std::exchange(notes_, {}); }

 private:
  SimulatedFile& file() const { return IoNodes::all().opened(path_, "MPI_File_get_size"); }

  // On the first rank, before the others open the file.
  void open_first(const Opening& opening) {
    if (opening.access != Access::read) {
      SimulatedFile& created = IoNodes::all().create(path_, hints_.stripe_bytes, hints_.stripe_count);
      if (options_.truncate()) IoNodes::all().truncate(created);
      if (options_.preallocate() && !IoNodes::all().extend(created, opening.file_bytes))
        throw_io_fault("MPI_File_preallocate", path_, ENOSPC);
    }
    file().shared_pointer = 0;
    traffic_.round_trip(file());
  }

  // All ranks are in one process, so that the address of a host identifies it.
  void find_aggregators() {
    std::vector<std::intptr_t> hosts(ranges_.size());
    hosts[static_cast<std::size_t>(ranks_->rank())] = reinterpret_cast<std::intptr_t>(s4u::this_actor::get_host());
    mpi::check(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, hosts.data(), sizeof(std::intptr_t), MPI_BYTE,
                             ranks_->handle()),
               "MPI_Allgather");
    aggregators_.clear();
    for (int rank = 0; rank < ranks_->size(); ++rank) {
      auto* const host = reinterpret_cast<s4u::Host*>(hosts[static_cast<std::size_t>(rank)]);
      if (std::ranges::find(aggregators_, host, &Aggregator::host) == aggregators_.end())
        aggregators_.push_back({host, rank});
      if (hints_.aggregators > 0 && std::ssize(aggregators_) == hints_.aggregators) break;
    }
  }

  // The bytes that a call accesses; moves the shared file pointer.
  ByteRange position(std::int64_t offset, std::int64_t size) {
    if (kind_.pointer != Pointer::shared) return {offset, offset + size};
    std::int64_t begin = 0;
    if (kind_.is_collective()) {
      begin = ordered_position(size);
    } else {
      traffic_.round_trip(file());  // the pointer is in a file, too
      begin = std::exchange(file().shared_pointer, file().shared_pointer + size);
    }
    return {begin, begin + size};
  }

  std::int64_t ordered_position(std::int64_t size) const {
    std::int64_t start = ranks_->rank() == 0 ? file().shared_pointer : 0;
    std::int64_t before = 0;
    std::int64_t total = 0;
    mpi::check(MPI_Bcast(&start, 1, MPI_INT64_T, 0, ranks_->handle()), "MPI_Bcast");
    mpi::check(MPI_Exscan(&size, &before, 1, MPI_INT64_T, MPI_SUM, ranks_->handle()), "MPI_Exscan");
    mpi::check(MPI_Allreduce(&size, &total, 1, MPI_INT64_T, MPI_SUM, ranks_->handle()), "MPI_Allreduce");
    if (ranks_->rank() == 0) file().shared_pointer = start + total;
    return start + (ranks_->rank() == 0 ? 0 : before);
  }

  // Tells all ranks the range of each, in collective calls.
  bool is_aggregated(const ByteRange& own, Buffering buffering) {
    if (!kind_.is_collective() || kind_.pointer == Pointer::shared) return false;
    ranges_[static_cast<std::size_t>(ranks_->rank())] = own;
    mpi::check(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, ranges_.data(), sizeof(ByteRange), MPI_BYTE,
                             ranks_->handle()),
               "MPI_Allgather");
    return is_two_phase(buffering, ranges_);
  }

  void write_two_phase(const ByteRange& own) {
    const FileDomains domains(ranges_, static_cast<int>(aggregators_.size()), hints_.buffer_bytes);
    for (std::int64_t round = 0; round < domains.rounds(); ++round) {
      exchange(domains, round, own, Access::write);
      for_own_window(domains, round, [&](const ByteRange& part) { traffic_.write(file(), part.begin, part.end); });
    }
  }

  void read_two_phase(const ByteRange& own) {
    const FileDomains domains(ranges_, static_cast<int>(aggregators_.size()), hints_.buffer_bytes);
    for (std::int64_t round = 0; round < domains.rounds(); ++round) {
      for_own_window(domains, round, [&](const ByteRange& part) { traffic_.read(file(), part.begin, part.end); });
      exchange(domains, round, own, Access::read);
    }
  }

  // Sends the bytes of this rank to the aggregators of their parts, or receives them. Before it, ranks tell each other
  // how many there are, and nobody goes on before all have what they need.
  void exchange(const FileDomains& domains, std::int64_t round, const ByteRange& own, Access access) const {
    ranks_->barrier();
    s4u::Host* const host = s4u::this_actor::get_host();
    std::vector<s4u::CommPtr> transfers;
    for (std::size_t a = 0; a < aggregators_.size(); ++a) {
      const std::int64_t bytes = overlap(own, domains.window(static_cast<int>(a), round)).size();
      if (bytes == 0) continue;
      s4u::Host* const other = aggregators_[a].host;
      const bool outgoing = access == Access::write;
      transfers.push_back(
          s4u::Comm::sendto_async(outgoing ? host : other, outgoing ? other : host, static_cast<std::uint64_t>(bytes)));
    }
    wait_for(transfers);
    ranks_->barrier();
  }

  template <class AccessFile>
  void for_own_window(const FileDomains& domains, std::int64_t round, AccessFile access_file) const {
    const auto own = std::ranges::find(aggregators_, ranks_->rank(), &Aggregator::rank);
    if (own == aggregators_.end()) return;
    const ByteRange part = accessed_in(domains.window(static_cast<int>(own - aggregators_.begin()), round), ranges_);
    if (part.size() > 0) access_file(part);
  }

  MpiIoOptions options_;
  CallKind kind_ = kind_of(MpiIoCall::at_all);
  SimulatedHints hints_;
  std::string path_;
  const mpi::Group* ranks_ = nullptr;
  std::vector<ByteRange> ranges_;  // of the ranks, in the current collective call
  std::vector<Aggregator> aggregators_;
  FileTraffic traffic_;
  std::vector<std::string> notes_;
};

const RegisterBackend<MpiIo> registered{"mpiio", "sends what MPI-IO sends to simulated I/O nodes", "StressBench III-B"};

}  // namespace
}  // namespace stressbench::io
