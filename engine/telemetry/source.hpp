// Sources of counters. A new one is one file: a class with `read`, and a RegisterSource at its end.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "telemetry/counter.hpp"
#include "telemetry/file_tree.hpp"

namespace stressbench::telemetry {

class Source {
 public:
  virtual ~Source() = default;
  // The counters at this moment; empty if the host has none of this kind. May take any time: see BoundedReader. Throws
  // MachineFault if the source does not work.
  virtual Reading read() = 0;
};

struct SourceEntry {
  std::string name;
  std::string summary;
  std::string place;  // where its counters are: "/sys/class/net"
  std::function<std::unique_ptr<Source>(const FileTree&)> make;
};

// All registered sources, sorted by name.
std::vector<SourceEntry> source_entries();
void add_source(SourceEntry entry);

// The root of /sys and /proc: that of STRESSBENCH_TELEMETRY_ROOT, or "/".
FileTree kernel_files();

template <class S>
struct RegisterSource {
  RegisterSource(std::string name, std::string summary, std::string place) {
    add_source({std::move(name), std::move(summary), std::move(place),
                [](const FileTree& files) { return std::make_unique<S>(files); }});
  }
};

}  // namespace stressbench::telemetry
