#include "scheduler/host_telemetry.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "mpi/merge_operation.hpp"
#include "scheduler/counter_cell.hpp"

namespace stressbench::scheduler {
namespace {

constexpr std::size_t max_sources = 16;

// The different counters of one or more hosts: source, unit and name of each, sorted.
struct CounterTable {
  struct Entry {
    std::int32_t source = 0;
    std::int32_t unit = 0;
    std::array<char, 40> name{};
    auto operator<=>(const Entry&) const = default;
  };
  std::int32_t count = 0;
  std::int32_t is_truncated = 0;
  std::array<Entry, HostTelemetry::max_counters> entries{};

  // The smallest entries of both, so that the result does not depend on the order of merging.
  void merge(const CounterTable& other) {
    std::set<Entry> all(entries.begin(), entries.begin() + count);
    all.insert(other.entries.begin(), other.entries.begin() + other.count);
    keep(all);
    if (other.is_truncated != 0) is_truncated = 1;
  }
  // The smallest of these entries.
  void keep(const std::set<Entry>& all) {
    const std::size_t kept = std::min(all.size(), entries.size());
    if (kept < all.size()) is_truncated = 1;
    count = static_cast<std::int32_t>(kept);
    std::copy_n(all.begin(), kept, entries.begin());
  }
};

template <std::size_t size>
std::array<char, size> fixed(std::string_view text) {
  std::array<char, size> letters{};
  std::ranges::copy(text.substr(0, size - 1), letters.begin());
  return letters;
}

// The ranks that read: the lowest rank of each set that shares memory, whatever the nodes of --ranks-per-node.
mpi::Group group_of_readers(const mpi::Group& world) {
  const mpi::Group host = world.split_shared();
  return world.split(host.rank() == 0 ? 0 : MPI_UNDEFINED, world.rank());
}

}  // namespace

// A source that failed on one or more hosts.
struct HostTelemetry::FaultCell {
  std::int32_t hosts = 0;
  std::int32_t node = -1;
  std::array<char, 120> reason{};

  void merge(const FaultCell& other) noexcept {
    if (other.hosts > 0 && (hosts == 0 || other.node < node)) {
      node = other.node;
      reason = other.reason;
    }
    hosts += other.hosts;
  }
};

struct HostTelemetry::Reductions {
  mpi::MergeOperation<CounterCell> cells;
  mpi::MergeOperation<FaultCell> faults;
};

HostTelemetry::~HostTelemetry() = default;

HostTelemetry::HostTelemetry(const mpi::Group& world, const Machine& machine,
                             std::vector<telemetry::SourceEntry> sources, const telemetry::FileTree& files,
                             std::chrono::nanoseconds limit)
    : node_(machine.my_node), limit_(limit), readers_group_(group_of_readers(world)) {
  if (sources.size() > max_sources) throw UserMistake("--telemetry: more than {} sources", max_sources);
  for (const telemetry::SourceEntry& source : sources) {
    names_.push_back(source.name);
    if (reads()) readers_.emplace_back(source.name, source.make(files));
  }
  reported_.resize(names_.size(), false);
  if (reads()) {
    reductions_ = std::make_unique<Reductions>();
    agree_on_counters(read());
    reduce_faults();
  }
  find_absent(world);
}

std::vector<std::optional<telemetry::Reading>> HostTelemetry::read() { return telemetry::read_all(readers_, limit_); }

void HostTelemetry::agree_on_counters(const std::vector<std::optional<telemetry::Reading>>& readings) {
  std::set<CounterTable::Entry> found;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    for (const telemetry::Counter& counter : readings[i].value_or(telemetry::Reading{})) {
      found.insert({static_cast<std::int32_t>(i), static_cast<std::int32_t>(counter.unit),
                    fixed<sizeof(CounterTable::Entry::name)>(counter.name)});
    }
  }
  std::vector<CounterTable> own(1);
  own[0].keep(found);
  const CounterTable agreed = mpi::MergeOperation<CounterTable>{}.reduce_to_all(own, readers_group_)[0];
  is_truncated_ = agreed.is_truncated != 0;
  for (int i = 0; i < agreed.count; ++i) {
    const CounterTable::Entry& entry = agreed.entries[static_cast<std::size_t>(i)];
    counters_.push_back(
        {static_cast<std::size_t>(entry.source), entry.name.data(), static_cast<telemetry::CounterUnit>(entry.unit)});
  }
}

void HostTelemetry::find_absent(const mpi::Group& world) {
  std::array<int, max_sources> present{};
  for (const KnownCounter& counter : counters_) present[counter.source] = 1;
  mpi::check(MPI_Bcast(present.data(), static_cast<int>(present.size()), MPI_INT, 0, world.handle()), "MPI_Bcast");
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (present[i] == 0) absent_.push_back(names_[i]);
  }
}

namespace {

std::map<std::pair<std::string, std::string>, std::uint64_t> totals_of(const telemetry::Reading& reading) {
  std::map<std::pair<std::string, std::string>, std::uint64_t> totals;
  for (const telemetry::Counter& counter : reading)
    totals.emplace(std::pair{counter.name, counter.device}, counter.total);
  return totals;
}

}  // namespace

void HostTelemetry::begin_round() {
  if (!reads()) return;
  before_.clear();
  for (const auto& reading : read()) {
    before_.emplace_back(reading ? std::optional(totals_of(*reading)) : std::nullopt);
  }
}

TelemetryCounters HostTelemetry::end_round() {
  if (!reads()) return {};
  const auto after = read();
  std::vector<CounterCell> cells(counters_.size());
  std::vector<std::map<Key, std::uint64_t>> now;
  for (const auto& reading : after) now.push_back(totals_of(reading.value_or(telemetry::Reading{})));
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const KnownCounter& counter = counters_[i];
    const auto& earlier = before_[counter.source];
    if (!earlier) continue;
    for (auto one = earlier->lower_bound({counter.name, ""}); one != earlier->end() && one->first.first == counter.name;
         ++one) {
      const auto later = now[counter.source].find(one->first);
      if (later == now[counter.source].end() || later->second < one->second) {
        ++cells[i].unknown;
      } else {
        cells[i].add(later->second - one->second, node_, one->first.second);
      }
    }
    cells[i].hosts = cells[i].devices > 0 ? 1 : 0;
  }
  const std::vector<CounterCell> merged = reductions_->cells.reduce(cells, readers_group_);
  reduce_faults();
  if (readers_group_.rank() != 0) return {};
  TelemetryCounters result;
  for (std::size_t i = 0; i < merged.size(); ++i) {
    const CounterCell& cell = merged[i];
    TelemetryCounter& one = result.emplace_back();
    one.source = names_[counters_[i].source];
    one.name = counters_[i].name;
    one.unit = counters_[i].unit;
    one.hosts = cell.hosts;
    one.devices = cell.devices;
    one.unknown = cell.unknown;
    if (cell.devices > 0) one.values = cell.quantiles();
    for (const CounterCell::Extreme& extreme : cell.largest) {
      if (extreme.node >= 0) one.largest.push_back({extreme.node, extreme.device.data(), extreme.value});
    }
  }
  return result;
}

void HostTelemetry::reduce_faults() {
  std::vector<FaultCell> cells(names_.size());
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    if (!readers_[i].fault() || reported_[i]) continue;
    reported_[i] = true;
    cells[i] = {1, node_, fixed<sizeof(FaultCell::reason)>(*readers_[i].fault())};
  }
  const std::vector<FaultCell> merged = reductions_->faults.reduce(cells, readers_group_);
  if (readers_group_.rank() != 0) return;
  for (std::size_t i = 0; i < merged.size(); ++i) {
    if (merged[i].hosts > 0) faults_.push_back({names_[i], merged[i].hosts, merged[i].node, merged[i].reason.data()});
  }
}

}  // namespace stressbench::scheduler
