// What the counters of the hosts say of a round, reduced over all hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/counter.hpp"

namespace stressbench::scheduler {

// One counter over all devices of all hosts that have it. Values are increases during the round.
struct TelemetryCounter {
  struct Extreme {
    int node = 0;  // of the rank that read it
    std::string device;
    std::uint64_t value = 0;
  };
  // None if no device has a value.
  struct Quantiles {
    std::uint64_t min = 0;
    double p25 = 0;
    double median = 0;
    double p75 = 0;
    std::uint64_t max = 0;
    std::uint64_t sum = 0;
  };

  std::string source;
  std::string name;
  telemetry::CounterUnit unit = telemetry::CounterUnit::events;
  std::int64_t hosts = 0;    // with at least one value
  std::int64_t devices = 0;  // with a value
  std::int64_t unknown = 0;  // devices whose counter was reset, wrapped around, or disappeared during the round
  std::optional<Quantiles> values;
  std::vector<Extreme> largest;  // the largest values, in descending order
};
using TelemetryCounters = std::vector<TelemetryCounter>;

// A source that failed on hosts since the last round.
struct TelemetryFault {
  std::string source;
  std::int64_t hosts = 0;
  int node = 0;        // the lowest of them
  std::string reason;  // on that node
};

}  // namespace stressbench::scheduler
