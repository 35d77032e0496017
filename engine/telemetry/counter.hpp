// A counter of a host, such as the bytes that a NIC has sent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stressbench::telemetry {

enum class CounterUnit { bytes, frames, ns, ticks, events };

struct Counter {
  std::string name;    // unique in its source, together with the device
  std::string device;  // NIC, port, mount point, CPU package; empty if the counter is of the whole host
  CounterUnit unit = CounterUnit::events;
  std::uint64_t total = 0;  // since a moment that does not change
};

// All counters of a source at one moment.
using Reading = std::vector<Counter>;

}  // namespace stressbench::telemetry
