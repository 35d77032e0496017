// Counters that are files of one directory, such as /sys/class/net/eth0/statistics.
#pragma once

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>

#include "telemetry/counter.hpp"
#include "telemetry/file_tree.hpp"

namespace stressbench::telemetry {

struct CounterFile {
  const char* file;
  const char* name;
  CounterUnit unit = CounterUnit::events;
  std::uint64_t factor = 1;  // what the file counts, in `unit`
};

// Appends the counters of `files` that are in `directory`. Files with the same name of a counter are added up.
inline void append_counters(Reading& reading, const FileTree& tree, const std::filesystem::path& directory,
                            const std::string& device, std::span<const CounterFile> files) {
  const std::size_t first = reading.size();
  for (const CounterFile& one : files) {
    const auto value = tree.number(directory / one.file);
    if (!value) continue;
    const auto same = std::find_if(reading.begin() + static_cast<std::ptrdiff_t>(first), reading.end(),
                                   [&](const Counter& counter) { return counter.name == one.name; });
    if (same == reading.end()) {
      reading.push_back({one.name, device, one.unit, *value * one.factor});
    } else {
      same->total += *value * one.factor;
    }
  }
}

}  // namespace stressbench::telemetry
