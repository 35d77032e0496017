#include "scheduler/launched_ranks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "core/buffer.hpp"
#include "core/run_id.hpp"
#include "mpi/control_variable.hpp"
#include "scheduler/machine.hpp"
#include "telemetry/own_process.hpp"
#include "telemetry/source.hpp"

namespace stressbench::scheduler {
namespace {

constexpr int message_bytes = 256 * 1024;  // long enough for every library's protocol of long messages
constexpr int messages = 4;
constexpr std::uint64_t received_bytes = std::uint64_t{message_bytes} * messages;
constexpr const char* yield_variable = "mpi_yield_when_idle";  // Open MPI's

using Totals = std::map<std::string, std::uint64_t>;

Totals nic_bytes_received(const std::string& source) {
  Totals totals;
  for (const telemetry::SourceEntry& entry : telemetry::source_entries()) {
    if (entry.name != source) continue;
    try {
      for (const telemetry::Counter& counter : entry.make(telemetry::kernel_files())->read()) {
        if (counter.name == "rx_bytes") totals[counter.device] = counter.total;
      }
    } catch (const MachineFault&) {
      return {};
    }
  }
  return totals;
}

// The device with the largest increase, if all of them together received at least half of the bytes: a message may use
// several.
std::optional<std::string> device_that_received(const Totals& before, const Totals& after) {
  std::uint64_t sum = 0;
  std::uint64_t largest = 0;
  std::string device;
  for (const auto& [name, total] : after) {
    const auto former = before.find(name);
    const std::uint64_t base = former == before.end() ? 0 : former->second;
    const std::uint64_t increase = total > base ? total - base : 0;
    sum += increase;
    if (increase > largest) device = name;
    largest = std::max(largest, increase);
  }
  return sum >= received_bytes / 2 ? std::optional(device) : std::nullopt;
}

void send_around(const mpi::Group& ring) {
  const Buffer sent(std::size_t{message_bytes});
  const Buffer received(std::size_t{message_bytes});
  const int next = (ring.rank() + 1) % ring.size();
  const int previous = (ring.rank() + ring.size() - 1) % ring.size();
  for (int i = 0; i < messages; ++i) {
    mpi::check(MPI_Sendrecv(sent.data(), message_bytes, MPI_BYTE, next, 0, received.data(), message_bytes, MPI_BYTE,
                            previous, 0, ring.handle(), MPI_STATUS_IGNORE),
               "MPI_Sendrecv");
  }
}

std::optional<MessageCarrier> carrier_in(const mpi::Group& ring, bool is_one_host) {
  if (!ring || ring.size() < 2) return std::nullopt;
  ring.barrier();
  const Totals tcp = telemetry::tcp_bytes_received();
  const Totals infiniband = nic_bytes_received("infiniband");
  const Totals cxi = nic_bytes_received("cxi");
  send_around(ring);
  const auto device = [](const Totals& before, const Totals& after) { return device_that_received(before, after); };
  if (const auto found = device(tcp, telemetry::tcp_bytes_received())) return MessageCarrier{Carrier::tcp, *found};
  if (is_one_host)
    return MessageCarrier{
        telemetry::maps_shared_memory(telemetry::FileTree("/")) ? Carrier::shared_memory : Carrier::unknown, ""};
  if (const auto found = device(infiniband, nic_bytes_received("infiniband")))
    return MessageCarrier{Carrier::infiniband, *found};
  if (const auto found = device(cxi, nic_bytes_received("cxi"))) return MessageCarrier{Carrier::cxi, *found};
  return MessageCarrier{};
}

using Path = std::array<char, 4096>;                         // PATH_MAX
using Sight = std::array<char, 1 + MPI_MAX_PROCESSOR_NAME>;  // whether a host sees a file, and its name

// A new file in this directory, with a name by which `stressbench clean` finds it if this process is killed.
Path new_file_in(const std::string& directory) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string id = run_id::make();
  const std::string file =
      fmt::format("{}/.stressbench-{}-{}-{}.new", directory, host.data(), ::getpid(), id.substr(id.size() - 8));
  Path path{};
  file.copy(path.data(), path.size() - 1);
  return path;
}

std::optional<std::string> create(const Path& path) {
  const int descriptor = ::open(path.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return std::strerror(errno);
  ::close(descriptor);
  return std::nullopt;
}

// The hosts that do not see the file, on rank 0 of `leaders`.
std::vector<std::string> hosts_without(const Path& path, const mpi::Group& leaders) {
  std::error_code ignored;
  Sight mine{};
  mine[0] = std::filesystem::exists(path.data(), ignored) ? 'y' : 'n';
  host_name().copy(mine.data() + 1, mine.size() - 2);
  std::vector<Sight> all(leaders.rank() == 0 ? static_cast<std::size_t>(leaders.size()) : 0);
  const int bytes = static_cast<int>(mine.size());
  mpi::check(MPI_Gather(mine.data(), bytes, MPI_CHAR, all.data(), bytes, MPI_CHAR, 0, leaders.handle()), "MPI_Gather");
  std::vector<std::string> hosts;
  for (const Sight& one : all) {
    if (one[0] == 'n') hosts.emplace_back(one.data() + 1);
  }
  return hosts;
}

DirectoryCheck check_directory(const mpi::Group& world, const mpi::Group& leaders, const std::string& directory) {
  DirectoryCheck check{directory, {}, {}};
  Path path{};
  if (world.rank() == 0) {
    path = new_file_in(directory);
    check.fault = create(path);
  }
  mpi::check(MPI_Bcast(path.data(), static_cast<int>(path.size()), MPI_CHAR, 0, world.handle()), "MPI_Bcast");
  if (leaders) check.hosts_without = hosts_without(path, leaders);
  world.barrier();
  if (check.fault) check.hosts_without.clear();
  if (world.rank() == 0 && !check.fault) ::unlink(path.data());
  return check;
}

}  // namespace

LaunchedRank this_rank() {
  return {host_name(), telemetry::bound_processors(), telemetry::usable_processors(telemetry::FileTree("/")),
          mpi::is_set(yield_variable)};
}

Carriers find_carriers(const mpi::Group& world) {
  const mpi::Group host = world.split_shared();
  const mpi::Group leaders = world.split(host.rank() == 0 ? 0 : MPI_UNDEFINED, world.rank());
  Carriers found;
  found.inside_host = carrier_in(host, true);
  world.barrier();
  found.between_hosts = carrier_in(leaders, false);
  return found;
}

std::vector<DirectoryCheck> check_directories(const mpi::Group& world, const std::vector<std::string>& paths) {
  const mpi::Group host = world.split_shared();
  const mpi::Group leaders = world.split(host.rank() == 0 ? 0 : MPI_UNDEFINED, world.rank());
  std::vector<DirectoryCheck> checks;
  for (const std::string& path : paths) checks.push_back(check_directory(world, leaders, path));
  return checks;
}

}  // namespace stressbench::scheduler
