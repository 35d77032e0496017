// The simulated network: hosts with ns-3's IP and TCP, switches, and links, from a text file
// (src/stressbench/labs/packet_network.py writes it).
#pragma once

#include <ns3/ipv4-address.h>
#include <ns3/node.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "packet/port.hpp"

namespace stressbench::packet {

// What the `set` lines of the file give.
struct Settings {
  std::int64_t segment_bytes = 1448;
  std::int64_t window_bytes = 111'496;
  std::int64_t send_buffer_bytes = 512 * 1024;
  std::int64_t initial_segments = 64;
  std::int64_t timeout_margin_ns = 5'000'000;  // at least so much above the round trip
  std::int64_t min_timeout_ns = 5'000'000;
  std::int64_t max_timeout_ns = 1'000'000'000;
  std::int64_t marking_ns = 0;
  std::int64_t pause_bytes = 0;
  std::int64_t fair = 0;
  std::int64_t eager_bytes = 65536;
  std::int64_t header_bytes = 32;
  std::int64_t send_overhead_ns = 0;
  std::int64_t receive_overhead_ns = 0;
  std::int64_t local_latency_ns = 1000;
  std::int64_t local_bytes_per_s = 10'000'000'000;
};

class Network {
 public:
  // Throws UserMistake with the line of the file.
  explicit Network(const std::string& path);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network();

  const Settings& settings() const noexcept { return settings_; }
  // The number of a host. Throws UserMistake if there is none of this name.
  int host(const std::string& name) const;
  ns3::Ptr<ns3::Node> node(int host) const;
  ns3::Ipv4Address address(int host) const;

  struct Direction {
    std::string link;
    std::string source;
    std::string target;
    std::int64_t rate_bits_per_s;
    const Port* port;
  };
  const std::vector<Direction>& directions() const noexcept { return directions_; }

 private:
  class Switch;
  class Nic;
  struct File;

  void create_host(const std::string& name);

  Settings settings_;
  std::map<std::string, int> hosts_;
  std::vector<ns3::Ptr<ns3::Node>> nodes_;
  std::vector<ns3::Ptr<Nic>> nics_;
  std::map<std::string, std::unique_ptr<Switch>> switches_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<Direction> directions_;
};

}  // namespace stressbench::packet
