// Counters of the hosts of a launch. The lowest rank of each host reads them before and after a round, outside of the
// measured time, and the increases are reduced over the hosts with memory that does not depend on their number.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi/group.hpp"
#include "scheduler/machine.hpp"
#include "scheduler/telemetry_record.hpp"
#include "telemetry/bounded_reader.hpp"

namespace stressbench::scheduler {

class HostTelemetry {
 public:
  // Collective over `world`. `sources` are the same on every rank; those of other ranks than the lowest of each host
  // are not used. Reads all of them once, to find the counters that there are.
  HostTelemetry(const mpi::Group& world, const Machine& machine, std::vector<telemetry::SourceEntry> sources,
                const telemetry::FileTree& files, std::chrono::nanoseconds limit);
  ~HostTelemetry();

  // Names of sources that have no counter on any host; the same on every rank.
  const std::vector<std::string>& absent() const noexcept { return absent_; }

  // Takes at most the limit.
  void begin_round();
  // Collective over `world`. Takes at most the limit on each host. The result is on world rank 0; empty elsewhere.
  TelemetryCounters end_round();
  // What failed since the last call. World rank 0 only, after `end_round`.
  std::vector<TelemetryFault> take_faults() { return std::exchange(faults_, {}); }
  // Whether there are more different counters than are kept. World rank 0 only.
  bool is_truncated() const noexcept { return is_truncated_; }

  static constexpr int max_counters = 128;

 private:
  using Key = std::pair<std::string, std::string>;                          // device and counter
  using Totals = std::vector<std::optional<std::map<Key, std::uint64_t>>>;  // by source

  struct KnownCounter {
    std::size_t source = 0;
    std::string name;
    telemetry::CounterUnit unit = telemetry::CounterUnit::events;
  };

  struct FaultCell;
  struct Reductions;  // MPI objects for the reductions of all rounds

  bool reads() const noexcept { return static_cast<bool>(readers_group_); }
  std::vector<std::optional<telemetry::Reading>> read();
  void agree_on_counters(const std::vector<std::optional<telemetry::Reading>>& readings);
  void find_absent(const mpi::Group& world);
  void reduce_faults();

  int node_ = 0;
  std::chrono::nanoseconds limit_;
  std::vector<std::string> names_;          // of sources
  mpi::Group readers_group_;                // the ranks that read
  std::unique_ptr<Reductions> reductions_;  // on these ranks
  std::vector<telemetry::BoundedReader> readers_;
  std::vector<bool> reported_;  // sources whose fault this rank has reported
  std::vector<KnownCounter> counters_;
  std::vector<std::string> absent_;
  std::vector<TelemetryFault> faults_;
  bool is_truncated_ = false;
  Totals before_;
};

}  // namespace stressbench::scheduler
