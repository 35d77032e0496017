#include "packet/channel.hpp"

#include <ns3/inet-socket-address.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>

#include <algorithm>

#include "core/error.hpp"
#include "packet/tcp_socket.hpp"

namespace stressbench::packet {
namespace {

constexpr std::int64_t largest_write_bytes = 65536;

}  // namespace

// One end of a connection: what it sends, and how much of it the other end has received.
class Connection::End final : public Channel {
 public:
  void use(const ns3::Ptr<ns3::Socket>& socket, End& other) {
    socket_ = socket;
    other_ = &other;
    socket->SetRecvCallback([this](ns3::Ptr<ns3::Socket>) { receive(); });
    socket->SetSendCallback([this](ns3::Ptr<ns3::Socket>, std::uint32_t) { write(); });
  }
  bool is_open() const { return is_open_; }
  void set_open() { is_open_ = true; }

  void send(Transfer transfer) override {
    unwritten_.push_back({transfer.bytes, std::move(transfer.on_taken)});
    in_flight_.push_back({transfer.bytes, std::move(transfer.on_arrival)});
    write();
  }

 private:
  struct Remainder {
    std::int64_t bytes;
    std::function<void()> then;
  };

  void write() {
    while (!unwritten_.empty()) {
      Remainder& next = unwritten_.front();
      const std::int64_t bytes =
          std::min({next.bytes, largest_write_bytes, static_cast<std::int64_t>(socket_->GetTxAvailable())});
      if (bytes <= 0) return;
      next.bytes -= bytes;
      const auto then = next.bytes == 0 ? std::move(next.then) : nullptr;
      if (next.bytes == 0) unwritten_.pop_front();
      if (socket_->Send(ns3::Create<ns3::Packet>(static_cast<std::uint32_t>(bytes))) != bytes)
        throw MachineFault("TCP refused {} bytes (error {})", bytes, static_cast<int>(socket_->GetErrno()));
      if (then) then();
    }
  }

  void receive() {
    while (const auto packet = socket_->Recv()) {
      std::int64_t bytes = packet->GetSize();
      while (bytes > 0) {
        Remainder& first = other_->in_flight_.front();
        const std::int64_t part = std::min(bytes, first.bytes);
        bytes -= part;
        first.bytes -= part;
        if (first.bytes > 0) break;
        const auto then = std::move(first.then);
        other_->in_flight_.pop_front();
        if (then) then();
      }
    }
  }

  ns3::Ptr<ns3::Socket> socket_;
  End* other_ = nullptr;
  bool is_open_ = false;
  std::deque<Remainder> unwritten_;
  std::deque<Remainder> in_flight_;
};

Connection::Connection() : client_(std::make_unique<End>()), server_(std::make_unique<End>()) {}
Connection::~Connection() = default;

void Connection::open(Network& network, int from, int to, std::uint16_t port, std::uint16_t listening_port) {
  const auto socket = create_tcp_socket(network.node(from), network.settings().max_timeout_ns);
  socket->Bind(ns3::InetSocketAddress(network.address(from), port));
  client_->use(socket, *server_);
  socket->SetConnectCallback([this](ns3::Ptr<ns3::Socket>) { client_->set_open(); },
                             [](ns3::Ptr<ns3::Socket>) { throw MachineFault("a TCP connection was refused"); });
  socket->Connect(ns3::InetSocketAddress(network.address(to), listening_port));
}

void Connection::accept(const ns3::Ptr<ns3::Socket>& socket) {
  server_->use(socket, *client_);
  server_->set_open();
}

bool Connection::is_open() const { return client_->is_open() && server_->is_open(); }
Channel& Connection::outward() { return *client_; }
Channel& Connection::inward() { return *server_; }

void LocalChannel::send(Transfer transfer) {
  const std::int64_t now_ns = ns3::Simulator::Now().GetNanoSeconds();
  const double duration_ns =
      static_cast<double>(transfer.bytes) * 1e9 / static_cast<double>(settings_.local_bytes_per_s);
  busy_until_ns_ = std::max(busy_until_ns_, now_ns) + static_cast<std::int64_t>(duration_ns);
  if (transfer.on_taken)
    ns3::Simulator::Schedule(ns3::NanoSeconds(busy_until_ns_ - now_ns), std::move(transfer.on_taken));
  ns3::Simulator::Schedule(ns3::NanoSeconds(busy_until_ns_ + settings_.local_latency_ns - now_ns),
                           std::move(transfer.on_arrival));
}

}  // namespace stressbench::packet
