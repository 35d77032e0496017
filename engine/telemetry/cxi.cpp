// cxi: NICs of Slingshot. Their telemetry files hold "VALUE@SECONDS", and count pauses in cycles of the NIC's clock of
// 1 GHz, for each of eight priorities or traffic classes (HPE Cassini Performance Counters).
#include <fmt/format.h>

#include <array>

#include "telemetry/file_counters.hpp"
#include "telemetry/source.hpp"

namespace stressbench::telemetry {
namespace {

constexpr const char* devices = "sys/class/cxi";
constexpr int classes = 8;
constexpr std::array files{
    CounterFile{"hni_sts_rx_ok_octets", "rx_bytes", CounterUnit::bytes},
    CounterFile{"hni_sts_tx_ok_octets", "tx_bytes", CounterUnit::bytes},
    CounterFile{"pct_sct_timeouts", "timeouts"},
    CounterFile{"pct_spt_timeouts", "timeouts"},
    CounterFile{"pct_no_tct_nacks", "no_resource_naks"},
    CounterFile{"pct_no_trs_nacks", "no_resource_naks"},
    CounterFile{"pct_no_mst_nacks", "no_resource_naks"},
    CounterFile{"pct_retry_srb_requests", "retransmissions"},
    CounterFile{"parbs_tarb_pi_posted_blocked_cnt", "pcie_blocked", CounterUnit::ns},
};
// One file for each class, which are added up.
constexpr std::array files_of_classes{
    CounterFile{"hni_pkts_recv_by_tc_{}", "rx_frames", CounterUnit::frames},
    CounterFile{"hni_pkts_sent_by_tc_{}", "tx_frames", CounterUnit::frames},
    CounterFile{"hni_rx_paused_{}", "rx_paused", CounterUnit::ns},
    CounterFile{"hni_tx_paused_{}", "tx_paused", CounterUnit::ns},
};

class Cxi final : public Source {
 public:
  explicit Cxi(const FileTree& tree) : tree_(tree) {}

  Reading read() override {
    Reading reading;
    for (const std::string& device : tree_.names(devices)) {
      const std::filesystem::path telemetry = std::filesystem::path(devices) / device / "device" / "telemetry";
      append_counters(reading, tree_, telemetry, device, files);
      for (const CounterFile& one : files_of_classes) append_classes(reading, telemetry, device, one);
    }
    return reading;
  }

 private:
  void append_classes(Reading& reading, const std::filesystem::path& telemetry, const std::string& device,
                      const CounterFile& one) const {
    std::optional<std::uint64_t> total;
    for (int number = 0; number < classes; ++number) {
      const auto value = tree_.number(telemetry / fmt::format(fmt::runtime(one.file), number));
      if (value) total = total.value_or(0) + *value;
    }
    if (total) reading.push_back({one.name, device, one.unit, *total});
  }

  FileTree tree_;
};

const RegisterSource<Cxi> registered{"cxi", "bytes, frames, pauses and retransmissions of Slingshot NICs",
                                     "/sys/class/cxi"};

}  // namespace
}  // namespace stressbench::telemetry
