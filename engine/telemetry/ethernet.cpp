// ethernet: the statistics of Ethernet interfaces (Documentation/ABI/testing/sysfs-class-net-statistics of Linux).
#include <array>

#include "telemetry/file_counters.hpp"
#include "telemetry/source.hpp"

namespace stressbench::telemetry {
namespace {

constexpr std::uint64_t ethernet_type = 1;  // ARPHRD_ETHER
constexpr const char* interfaces = "sys/class/net";
constexpr std::array files{
    CounterFile{"rx_bytes", "rx_bytes", CounterUnit::bytes},
    CounterFile{"tx_bytes", "tx_bytes", CounterUnit::bytes},
    CounterFile{"rx_packets", "rx_frames", CounterUnit::frames},
    CounterFile{"tx_packets", "tx_frames", CounterUnit::frames},
    CounterFile{"rx_dropped", "rx_drops", CounterUnit::frames},
    CounterFile{"tx_dropped", "tx_drops", CounterUnit::frames},
    CounterFile{"rx_missed_errors", "rx_missed", CounterUnit::frames},
    CounterFile{"rx_errors", "rx_errors", CounterUnit::frames},
    CounterFile{"tx_errors", "tx_errors", CounterUnit::frames},
};

class Ethernet final : public Source {
 public:
  explicit Ethernet(const FileTree& tree) : tree_(tree) {}

  Reading read() override {
    Reading reading;
    for (const std::string& name : tree_.names(interfaces)) {
      const std::filesystem::path interface = std::filesystem::path(interfaces) / name;
      if (tree_.number(interface / "type") != ethernet_type || !is_up(interface) || is_built_on_others(interface))
        continue;
      append_counters(reading, tree_, interface / "statistics", name, files);
    }
    return reading;
  }

 private:
  // `flags` is hexadecimal; bit 0 is IFF_UP.
  bool is_up(const std::filesystem::path& interface) const {
    const std::string flags = tree_.text(interface / "flags").value_or("");
    const auto words = words_of(flags);
    return !words.empty() && words[0].starts_with("0x") &&
           std::string_view("13579bdfBDF").find(words[0].back()) != std::string_view::npos;
  }

  // Frames of bridges, bonds and VLANs are counted at the interfaces below.
  bool is_built_on_others(const std::filesystem::path& interface) const {
    if (tree_.contains(interface / "bridge") || tree_.contains(interface / "bonding")) return true;
    return std::ranges::any_of(tree_.names(interface), [](const auto& name) { return name.starts_with("lower_"); });
  }

  FileTree tree_;
};

const RegisterSource<Ethernet> registered{"ethernet", "bytes, frames, drops and errors of Ethernet NICs",
                                          "/sys/class/net"};

}  // namespace
}  // namespace stressbench::telemetry
