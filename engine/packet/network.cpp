#include "packet/network.hpp"

#include <ns3/boolean.h>
#include <ns3/channel.h>
#include <ns3/config.h>
#include <ns3/enum.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-header.h>
#include <ns3/ipv4-l3-protocol.h>
#include <ns3/ipv4.h>
#include <ns3/mac48-address.h>
#include <ns3/net-device.h>
#include <ns3/tcp-socket-base.h>
#include <ns3/uinteger.h>

#include <array>
#include <utility>

#include "core/input_limits.hpp"
#include "core/text_lines.hpp"

namespace stressbench::packet {
namespace {

constexpr std::uint32_t first_address = 0x0a000001;  // 10.0.0.1
constexpr std::uint16_t mtu = 1500;
constexpr std::uint64_t retransmissions = 20;  // tcp_retries2 of a lab's hosts

constexpr std::array<std::pair<std::string_view, std::int64_t Settings::*>, 16> setting_names{{
    {"segment_bytes", &Settings::segment_bytes},
    {"window_bytes", &Settings::window_bytes},
    {"send_buffer_bytes", &Settings::send_buffer_bytes},
    {"initial_segments", &Settings::initial_segments},
    {"timeout_margin_ns", &Settings::timeout_margin_ns},
    {"min_timeout_ns", &Settings::min_timeout_ns},
    {"max_timeout_ns", &Settings::max_timeout_ns},
    {"marking_ns", &Settings::marking_ns},
    {"pause_bytes", &Settings::pause_bytes},
    {"fair", &Settings::fair},
    {"eager_bytes", &Settings::eager_bytes},
    {"header_bytes", &Settings::header_bytes},
    {"send_overhead_ns", &Settings::send_overhead_ns},
    {"receive_overhead_ns", &Settings::receive_overhead_ns},
    {"local_latency_ns", &Settings::local_latency_ns},
    {"local_bytes_per_s", &Settings::local_bytes_per_s},
}};

void configure_tcp(const Settings& settings) {
  using ns3::Config::SetDefault;
  SetDefault("ns3::TcpSocket::SegmentSize", ns3::UintegerValue(static_cast<std::uint64_t>(settings.segment_bytes)));
  SetDefault("ns3::TcpSocket::SndBufSize", ns3::UintegerValue(static_cast<std::uint64_t>(settings.send_buffer_bytes)));
  SetDefault("ns3::TcpSocket::RcvBufSize", ns3::UintegerValue(static_cast<std::uint64_t>(settings.window_bytes)));
  SetDefault("ns3::TcpSocket::InitialCwnd", ns3::UintegerValue(static_cast<std::uint64_t>(settings.initial_segments)));
  SetDefault("ns3::TcpSocket::DelAckCount", ns3::UintegerValue(1));  // Linux: quickack
  SetDefault("ns3::TcpSocket::TcpNoDelay", ns3::BooleanValue(true));
  SetDefault("ns3::TcpSocket::DataRetries", ns3::UintegerValue(retransmissions));
  // ns-3 adds the granularity or four deviations to the round trip, whichever is more.
  SetDefault("ns3::TcpSocketBase::ClockGranularity", ns3::TimeValue(ns3::NanoSeconds(settings.timeout_margin_ns)));
  SetDefault("ns3::TcpSocketBase::MinRto", ns3::TimeValue(ns3::NanoSeconds(settings.min_timeout_ns)));
  if (settings.marking_ns > 0) SetDefault("ns3::TcpSocketBase::UseEcn", ns3::EnumValue(ns3::TcpSocketState::On));
}

}  // namespace

// A NIC without a queue of its own: that of its port is the only one.
class Network::Nic final : public ns3::NetDevice, public Receiver {
 public:
  void attach(Port& port) { port_ = &port; }
  Port* port() const noexcept { return port_; }

  void receive(const ns3::Ptr<ns3::Packet>& packet, Port&) override {
    to_node_(this, packet, ns3::Ipv4L3Protocol::PROT_NUMBER, address_);
  }
  bool Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address&, std::uint16_t) override {
    port_->send(packet, nullptr);
    return true;
  }
  bool SendFrom(ns3::Ptr<ns3::Packet> packet, const ns3::Address&, const ns3::Address& to,
                std::uint16_t protocol) override {
    return Send(packet, to, protocol);
  }

  void SetIfIndex(const std::uint32_t index) override { index_ = index; }
  std::uint32_t GetIfIndex() const override { return index_; }
  ns3::Ptr<ns3::Channel> GetChannel() const override { return nullptr; }
  void SetAddress(ns3::Address address) override { address_ = ns3::Mac48Address::ConvertFrom(address); }
  ns3::Address GetAddress() const override { return address_; }
  bool SetMtu(const std::uint16_t bytes) override { return bytes == mtu; }
  std::uint16_t GetMtu() const override { return mtu; }
  bool IsLinkUp() const override { return true; }
  void AddLinkChangeCallback(ns3::Callback<void>) override {}
  bool IsBroadcast() const override { return false; }
  ns3::Address GetBroadcast() const override { return ns3::Mac48Address::GetBroadcast(); }
  bool IsMulticast() const override { return false; }
  ns3::Address GetMulticast(ns3::Ipv4Address) const override { return GetBroadcast(); }
  ns3::Address GetMulticast(ns3::Ipv6Address) const override { return GetBroadcast(); }
  bool IsBridge() const override { return false; }
  bool IsPointToPoint() const override { return true; }
  bool NeedsArp() const override { return false; }
  ns3::Ptr<ns3::Node> GetNode() const override { return node_; }
  void SetNode(ns3::Ptr<ns3::Node> node) override { node_ = node; }
  void SetReceiveCallback(ReceiveCallback callback) override { to_node_ = callback; }
  void SetPromiscReceiveCallback(PromiscReceiveCallback) override {}
  bool SupportsSendFrom() const override { return true; }

 private:
  Port* port_ = nullptr;
  std::uint32_t index_ = 0;
  ns3::Mac48Address address_ = ns3::Mac48Address::Allocate();
  ns3::Ptr<ns3::Node> node_;
  ReceiveCallback to_node_;
};

// Forwards packets by their destination, without time of its own.
class Network::Switch final : public Receiver {
 public:
  void route(ns3::Ipv4Address destination, Port& port) { routes_[destination.Get()] = &port; }
  void attach(const std::string& link, Port& port) { ports_[link] = &port; }
  Port* port(const std::string& link) const {
    const auto found = ports_.find(link);
    return found == ports_.end() ? nullptr : found->second;
  }

  void receive(const ns3::Ptr<ns3::Packet>& packet, Port& from) override {
    ns3::Ipv4Header header;
    packet->PeekHeader(header);
    const auto found = routes_.find(header.GetDestination().Get());
    if (found == routes_.end()) throw MachineFault("a switch has no route to {}", header.GetDestination().Get());
    found->second->send(packet, &from);
  }

 private:
  std::map<std::uint32_t, Port*> routes_;
  std::map<std::string, Port*> ports_;
};

struct Network::File {
  Network& network;
  TextLines lines;
  bool has_hosts = false;

  void read() {
    std::vector<std::string> words;
    if (!lines.next(words) || words != std::vector<std::string>{"stressbench-network", "1"})
      lines.reject("expected 'stressbench-network 1'");
    while (lines.next(words)) {
      if (words[0] == "set" && words.size() == 3) {
        set(words);
      } else if (words[0] == "host" && words.size() == 2) {
        if (!std::exchange(has_hosts, true)) configure_tcp(network.settings_);
        require_new(words[1]);
        network.create_host(words[1]);
      } else if (words[0] == "switch" && words.size() == 2) {
        require_new(words[1]);
        network.switches_[words[1]] = std::make_unique<Switch>();
      } else if (words[0] == "link" && words.size() == 8) {
        link(words);
      } else if (words[0] == "route" && words.size() == 4) {
        route(words);
      } else {
        lines.reject(
            "'{}': expected 'set NAME VALUE', 'host NAME', 'switch NAME', 'link NAME A B BITS_PER_S LATENCY_NS "
            "QUEUE_BYTES BURST_BYTES' or 'route SWITCH HOST LINK'",
            joined(words));
      }
    }
    for (const auto& [name, number] : network.hosts_) {
      if (network.nics_[static_cast<std::size_t>(number)]->port() == nullptr) lines.reject("host {} has no link", name);
    }
  }

  void require_new(const std::string& name) const {
    if (network.hosts_.contains(name) || network.switches_.contains(name)) lines.reject("{} exists already", name);
  }

  void set(const std::vector<std::string>& words) {
    if (has_hosts) lines.reject("settings must precede hosts");
    for (const auto& [name, member] : setting_names) {
      if (name != words[1]) continue;
      network.settings_.*member = lines.integer(words[2], name);
      return;
    }
    std::string names;
    for (const auto& [name, member] : setting_names) names += (names.empty() ? "" : ", ") + std::string(name);
    lines.reject("unknown setting '{}'; expected one of {}", words[1], names);
  }

  void link(const std::vector<std::string>& words) {
    LinkSettings link;
    link.rate_bits_per_s = lines.integer(words[4], "bits per second", 1);
    link.latency_ns = lines.integer(words[5], "latency in ns");
    link.queue_bytes = lines.integer(words[6], "bytes of the queue", 1514);
    link.burst_bytes = lines.integer(words[7], "bytes of the burst", 1514);
    link.marking_ns = network.settings_.marking_ns;
    link.pause_bytes = network.settings_.pause_bytes;
    link.arbitration = network.settings_.fair != 0 ? Arbitration::fair : Arbitration::fifo;
    Port& one = attach(words[1], words[2], link);
    Port& other = attach(words[1], words[3], link);
    one.connect(receiver(words[3]));
    other.connect(receiver(words[2]));
    network.directions_.push_back({words[1], words[2], words[3], link.rate_bits_per_s, &one});
    network.directions_.push_back({words[1], words[3], words[2], link.rate_bits_per_s, &other});
  }

  Port& attach(const std::string& link, const std::string& node, const LinkSettings& settings) {
    const bool of_switch = network.switches_.contains(node);
    if (!of_switch && !network.hosts_.contains(node)) lines.reject("'{}' is neither a host nor a switch above", node);
    Port& port = *network.ports_.emplace_back(std::make_unique<Port>(settings, of_switch));
    if (of_switch) {
      network.switches_[node]->attach(link, port);
    } else {
      Nic& nic = *network.nics_[static_cast<std::size_t>(network.hosts_[node])];
      if (nic.port() != nullptr) lines.reject("host {} has a link already; expected one for each host", node);
      nic.attach(port);
    }
    return port;
  }

  Receiver& receiver(const std::string& node) {
    if (const auto found = network.switches_.find(node); found != network.switches_.end()) return *found->second;
    return *network.nics_[static_cast<std::size_t>(network.hosts_[node])];
  }

  void route(const std::vector<std::string>& words) {
    const auto found = network.switches_.find(words[1]);
    if (found == network.switches_.end()) lines.reject("'{}' is no switch above", words[1]);
    if (!network.hosts_.contains(words[2])) lines.reject("'{}' is no host above", words[2]);
    Port* port = found->second->port(words[3]);
    if (port == nullptr) lines.reject("'{}' is no link of {}", words[3], words[1]);
    found->second->route(network.address(network.hosts_[words[2]]), *port);
  }
};

Network::Network(const std::string& path) { File{*this, TextLines{path, input_limits::max_trace_file_bytes}}.read(); }

Network::~Network() = default;

void Network::create_host(const std::string& name) {
  const auto number = static_cast<int>(nodes_.size());
  hosts_[name] = number;
  const auto node = nodes_.emplace_back(ns3::CreateObject<ns3::Node>());
  const auto nic = nics_.emplace_back(ns3::CreateObject<Nic>());
  node->AddDevice(nic);
  ns3::InternetStackHelper stack;
  stack.SetIpv6StackInstall(false);
  stack.Install(node);
  const auto ip = node->GetObject<ns3::Ipv4>();
  const std::uint32_t interface = ip->AddInterface(nic);
  ip->AddAddress(interface, ns3::Ipv4InterfaceAddress(address(number), ns3::Ipv4Mask("255.0.0.0")));
  ip->SetUp(interface);
}

int Network::host(const std::string& name) const {
  const auto found = hosts_.find(name);
  if (found == hosts_.end()) throw UserMistake("'{}' is no host of the network", name);
  return found->second;
}

ns3::Ptr<ns3::Node> Network::node(int host) const { return nodes_[static_cast<std::size_t>(host)]; }

ns3::Ipv4Address Network::address(int host) const {
  return ns3::Ipv4Address(first_address + static_cast<std::uint32_t>(host));
}

}  // namespace stressbench::packet
