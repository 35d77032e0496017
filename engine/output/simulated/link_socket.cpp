// Link counters of a simulation: the links of I/O nodes, which carry nothing but the traffic of files. SimGrid itself
// counts no bytes, and its plugin link_load takes the last rate of a link for its rate since the last change.
#include "output/link_socket.hpp"

#include <cmath>

#include "io/simulated/io_nodes.hpp"

namespace stressbench::output {
namespace {

// A frame of 1514 bytes has 1448 bytes of payload (network/bandwidth-factor, src/stressbench/launch/simgrid.py).
constexpr double frame_bytes = 1514;
constexpr double payload_bytes = 1448;

scheduler::LinkCount count_of(const io::IoLink& link, bool towards_node, std::int64_t bytes) {
  const double frames = static_cast<double>(bytes) / payload_bytes;
  return {.link = link.name,
          .source = towards_node ? link.peer : link.node,
          .target = towards_node ? link.node : link.peer,
          .rate_bits_per_s = link.rate_bits_per_s,
          .bytes = std::llround(frames * frame_bytes),
          .frames = static_cast<std::int64_t>(std::ceil(frames)),
          .drops = 0};
}

class SimulatedLinks final : public scheduler::LinkCounters {
 public:
  scheduler::LinkCounts read() override {
    scheduler::LinkCounts counts;
    for (int node = 0; node < io::IoNodes::all().count(); ++node) {
      const io::IoLink& link = io::IoNodes::all().link(node);
      counts.push_back(count_of(link, true, link.received_bytes));
      counts.push_back(count_of(link, false, link.sent_bytes));
    }
    return counts;
  }
};

}  // namespace

// Null if the platform has no I/O nodes.
std::unique_ptr<scheduler::LinkCounters> link_counters_of_environment() {
  if (!io::has_io_nodes()) return nullptr;
  return std::make_unique<SimulatedLinks>();
}

}  // namespace stressbench::output
