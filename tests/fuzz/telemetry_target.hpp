// What both fuzzers of telemetry do with a text: lay its parts out as files of /sys and /proc, and read all sources. A
// part begins with a line "=== FILE": one of `known_files`, or "command" for what a command of the user prints, or
// "processors" for a list of processors. Any crash, hang, exception other than a mistake, or a counter that appears
// twice is a bug.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/wrong_value.hpp"
#include "telemetry/command.hpp"
#include "telemetry/own_process.hpp"
#include "telemetry/source.hpp"

namespace stressbench::telemetry {

inline constexpr std::array known_files{
    "proc/fs/lustre/llite/scratch/stats",
    "proc/self/cgroup",
    "proc/self/mountstats",
    "proc/stat",
    "sys/class/cxi/cxi0/device/telemetry/hni_sts_tx_ok_octets",
    "sys/class/cxi/cxi0/device/telemetry/hni_tx_paused_0",
    "sys/class/cxi/cxi0/device/telemetry/hni_tx_paused_7",
    "sys/class/cxi/cxi0/device/telemetry/pct_no_tct_nacks",
    "sys/class/infiniband/hfi1_0/ports/1/counters/port_xmit_wait",
    "sys/class/infiniband/hfi1_0/ports/1/hw_counters/TxWait",
    "sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data",
    "sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error",
    "sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence",
    "sys/class/net/eth0/flags",
    "sys/class/net/eth0/statistics/rx_bytes",
    "sys/class/net/eth0/statistics/tx_dropped",
    "sys/class/net/eth0/type",
    "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
    "sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_total_time_ms",
    "sys/devices/system/cpu/cpu0/topology/physical_package_id",
    "sys/fs/cgroup/job/cpu.stat",
};

using Parts = std::map<std::string_view, std::string_view>;

// The last of several parts of the same name counts.
inline Parts parts_of(std::string_view text) {
  constexpr std::string_view mark = "=== ";
  Parts parts;
  std::size_t begin = text.starts_with(mark) ? 0 : text.find("\n=== ");
  while (begin < text.size()) {
    begin += text[begin] == '\n' ? 1 : 0;
    const std::size_t name = begin + mark.size();
    const std::size_t line = std::min(text.find('\n', name), text.size());
    const std::size_t end = std::min(text.find("\n=== ", line), text.size());
    const std::size_t content = std::min(line + 1, end);
    parts[text.substr(name, line - name)] = text.substr(content, end - content);
    begin = end;
  }
  return parts;
}

// A directory for the files of one text after the other.
class FilesOfText {
 public:
  FilesOfText() {
    const std::filesystem::path memory = "/dev/shm";  // no disk is to be waited for
    std::string name = ((std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path()) /
                        "stressbench-telemetry-XXXXXX")
                           .string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    root_ = name;
    for (const char* file : known_files) std::filesystem::create_directories((root_ / file).parent_path());
  }
  FilesOfText(const FilesOfText&) = delete;
  FilesOfText& operator=(const FilesOfText&) = delete;
  ~FilesOfText() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  const std::filesystem::path& root() const noexcept { return root_; }

  void lay_out(const Parts& parts) {
    for (const auto& file : written_) std::filesystem::remove(root_ / file);
    written_.clear();
    for (const char* file : known_files) {
      const auto found = parts.find(file);
      if (found == parts.end()) continue;
      std::ofstream(root_ / file, std::ios::binary) << found->second;
      written_.emplace_back(file);
    }
  }

 private:
  std::filesystem::path root_;
  std::vector<std::string> written_;
};

inline void require(bool holds, const std::string& what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "%s; the text was:\n%s\n", what.c_str(), text.substr(0, 4000).c_str());
  std::abort();
}

inline void require_distinct(const std::string& source, const Reading& reading, const std::string& text) {
  std::set<std::pair<std::string, std::string>> names;
  for (const Counter& one : reading) {
    require(!one.name.empty(), source + ": a counter without a name", text);
    require(names.emplace(one.name, one.device).second, source + ": " + one.name + " twice", text);
  }
}

// Whether what the text's command prints is taken, and a source or the command has a counter.
inline bool try_telemetry(const std::string& text) {
  static FilesOfText files;
  const Parts parts = parts_of(text);
  files.lay_out(parts);
  bool found = false;
  for (const SourceEntry& entry : source_entries()) {
    const Reading reading = entry.make(FileTree(files.root()))->read();
    require_distinct(entry.name, reading, text);
    found = found || !reading.empty();
  }
  if (const auto list = parts.find("processors"); list != parts.end()) {
    require(processors_in(list->second).size() <= std::size_t{1} << 16, "more processors than there can be", text);
  }
  const auto printed = parts.find("command");
  if (printed == parts.end()) return found;
  try {
    const Reading reading = counters_from_json(printed->second);
    require_distinct("command", reading, text);
    return found || !reading.empty();
  } catch (const WrongValue& wrong) {
    const std::string said = wrong.what();
    require(!said.empty() && said.size() < 400, "a message of " + std::to_string(said.size()), text);
    return false;
  }
}

}  // namespace stressbench::telemetry
