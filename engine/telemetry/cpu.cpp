// cpu: time that a hypervisor took (/proc/stat), thermal throttling of the processors, and throttling by the CPU quota
// of a container (cgroup v2).
#include <unistd.h>

#include <algorithm>
#include <map>

#include "telemetry/source.hpp"

namespace stressbench::telemetry {
namespace {

constexpr const char* processors = "sys/devices/system/cpu";
constexpr std::uint64_t ns_per_s = 1'000'000'000;
constexpr std::uint64_t ns_per_ms = 1'000'000;
constexpr std::uint64_t ns_per_us = 1'000;

class Cpu final : public Source {
 public:
  explicit Cpu(const FileTree& tree) : tree_(tree) {}

  Reading read() override {
    Reading reading;
    append_times(reading);
    append_throttling(reading);
    append_quota(reading);
    return reading;
  }

 private:
  // "cpu USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...", in clock ticks (proc(5)).
  void append_times(Reading& reading) const {
    const auto text = tree_.text("proc/stat");
    const long ticks_per_s = sysconf(_SC_CLK_TCK);
    if (!text || ticks_per_s <= 0) return;
    const std::uint64_t tick_ns = ns_per_s / static_cast<std::uint64_t>(ticks_per_s);
    const auto words = words_of(std::string_view(*text).substr(0, text->find('\n')));
    if (words.size() < 9 || words[0] != "cpu") return;
    const auto irq = leading_number(words[6]);
    const auto softirq = leading_number(words[7]);
    const auto steal = leading_number(words[8]);
    if (steal) reading.push_back({"steal_time", "", CounterUnit::ns, *steal * tick_ns});
    if (irq && softirq) reading.push_back({"interrupt_time", "", CounterUnit::ns, (*irq + *softirq) * tick_ns});
  }

  // The counters of a package are the same in the directory of each of its processors, those of cores are added up.
  void append_throttling(Reading& reading) const {
    struct Package {
      std::uint64_t core_events = 0;
      std::uint64_t package_events = 0;
      std::uint64_t time_ms = 0;
    };
    std::map<std::uint64_t, Package> packages;
    for (const std::string& name : tree_.names(processors)) {
      if (!name.starts_with("cpu") || !leading_number(std::string_view(name).substr(3))) continue;
      const std::filesystem::path processor = std::filesystem::path(processors) / name;
      const auto core = tree_.number(processor / "thermal_throttle/core_throttle_count");
      const auto package = tree_.number(processor / "thermal_throttle/package_throttle_count");
      if (!core && !package) continue;
      Package& found = packages[tree_.number(processor / "topology/physical_package_id").value_or(0)];
      found.core_events += core.value_or(0);
      found.package_events = std::max(found.package_events, package.value_or(0));
      found.time_ms = std::max(found.time_ms,
                               tree_.number(processor / "thermal_throttle/package_throttle_total_time_ms").value_or(0));
    }
    for (const auto& [number, package] : packages) {
      const std::string device = "package" + std::to_string(number);
      reading.push_back({"core_throttling", device, CounterUnit::events, package.core_events});
      reading.push_back({"package_throttling", device, CounterUnit::events, package.package_events});
      reading.push_back({"throttled_time", device, CounterUnit::ns, package.time_ms * ns_per_ms});
    }
  }

  // The group of this process is that of the first line "0::/PATH".
  void append_quota(Reading& reading) const {
    const std::string groups = tree_.text("proc/self/cgroup").value_or("");
    for (const std::string_view line : lines_of(groups)) {
      if (!line.starts_with("0::/")) continue;
      append_quota_of(reading, std::filesystem::path("sys/fs/cgroup") / line.substr(4) / "cpu.stat");
      return;
    }
  }

  void append_quota_of(Reading& reading, const std::filesystem::path& file) const {
    const std::string text = tree_.text(file).value_or("");
    std::optional<std::uint64_t> events;
    std::optional<std::uint64_t> time_us;
    for (const std::string_view entry : lines_of(text)) {
      const auto words = words_of(entry);
      if (words.size() != 2) continue;
      if (words[0] == "nr_throttled") events = leading_number(words[1]);
      if (words[0] == "throttled_usec") time_us = leading_number(words[1]);
    }
    if (events) reading.push_back({"quota_throttling", "", CounterUnit::events, *events});
    if (time_us) reading.push_back({"quota_throttled_time", "", CounterUnit::ns, *time_us * ns_per_us});
  }

  FileTree tree_;
};

const RegisterSource<Cpu> registered{"cpu", "stolen time, interrupts, and throttling by temperature or quota",
                                     "/proc/stat, /sys/devices/system/cpu and /sys/fs/cgroup"};

}  // namespace
}  // namespace stressbench::telemetry
