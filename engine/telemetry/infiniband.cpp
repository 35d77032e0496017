// infiniband: ports of InfiniBand, RoCE and Omni-Path devices (Documentation/ABI/stable/sysfs-class-infiniband of
// Linux). Names of hw_counters are those of the drivers: mlx5 and bnxt_re; hfi1 (port_cntrs of its chip.c).
#include <array>

#include "telemetry/file_counters.hpp"
#include "telemetry/source.hpp"

namespace stressbench::telemetry {
namespace {

constexpr const char* devices = "sys/class/infiniband";
constexpr std::uint64_t word = 4;  // port_xmit_data and port_rcv_data count words of 4 bytes
constexpr std::array port_files{
    CounterFile{"port_rcv_data", "rx_bytes", CounterUnit::bytes, word},
    CounterFile{"port_xmit_data", "tx_bytes", CounterUnit::bytes, word},
    CounterFile{"port_rcv_packets", "rx_frames", CounterUnit::frames},
    CounterFile{"port_xmit_packets", "tx_frames", CounterUnit::frames},
    CounterFile{"port_xmit_wait", "tx_wait", CounterUnit::ticks},
    CounterFile{"port_xmit_discards", "tx_drops", CounterUnit::frames},
    CounterFile{"port_rcv_errors", "rx_errors", CounterUnit::frames},
    CounterFile{"symbol_error", "symbol_errors"},
    CounterFile{"local_link_integrity_errors", "link_integrity_errors"},
    CounterFile{"excessive_buffer_overrun_errors", "buffer_overruns"},
    CounterFile{"link_error_recovery", "link_recoveries"},
    CounterFile{"link_downed", "link_downs"},
};
constexpr std::array hardware_files{
    CounterFile{"out_of_sequence", "out_of_sequence", CounterUnit::frames},
    CounterFile{"out_of_buffer", "out_of_buffer", CounterUnit::frames},
    CounterFile{"packet_seq_err", "sequence_naks"},
    CounterFile{"local_ack_timeout_err", "ack_timeouts"},
    CounterFile{"rnr_nak_retry_err", "receiver_not_ready"},
    CounterFile{"duplicate_request", "duplicate_requests"},
    CounterFile{"np_ecn_marked_roce_packets", "ecn_marked", CounterUnit::frames},
    CounterFile{"np_cnp_sent", "cnp_sent", CounterUnit::frames},
    CounterFile{"rp_cnp_handled", "cnp_handled", CounterUnit::frames},
    CounterFile{"roce_adp_retrans", "retransmissions"},
    CounterFile{"roce_slow_restart", "slow_restarts"},
    CounterFile{"TxWait", "tx_wait", CounterUnit::ticks},
    CounterFile{"TxFlowStall", "tx_flow_stalls"},
    CounterFile{"TxDropped", "tx_drops", CounterUnit::frames},
};

class InfiniBand final : public Source {
 public:
  explicit InfiniBand(const FileTree& tree) : tree_(tree) {}

  Reading read() override {
    Reading reading;
    for (const std::string& device : tree_.names(devices)) {
      const std::filesystem::path ports = std::filesystem::path(devices) / device / "ports";
      for (const std::string& port : tree_.names(ports)) append_port(reading, ports / port, device + ":" + port);
    }
    return reading;
  }

 private:
  void append_port(Reading& reading, const std::filesystem::path& port, const std::string& device) const {
    Reading found;
    append_counters(found, tree_, port / "counters", device, port_files);
    const std::size_t own = found.size();
    append_counters(found, tree_, port / "hw_counters", device, hardware_files);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto begin = found.begin();
      const bool is_known = std::any_of(begin, begin + static_cast<std::ptrdiff_t>(std::min(i, own)),
                                        [&](const Counter& counter) { return counter.name == found[i].name; });
      if (!is_known) reading.push_back(found[i]);  // hfi1 counts TxWait in both directories
    }
  }

  FileTree tree_;
};

const RegisterSource<InfiniBand> registered{
    "infiniband", "bytes, frames, waiting, congestion and errors of InfiniBand, RoCE and Omni-Path ports",
    "/sys/class/infiniband"};

}  // namespace
}  // namespace stressbench::telemetry
