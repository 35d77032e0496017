// Ordered bytes between two ranks: a TCP connection, or shared memory if they are on the same host.
#pragma once

#include <ns3/socket.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "packet/network.hpp"

namespace stressbench::packet {

// A part of a message on its way: its length, and what happens when its last byte was taken from the sender and when it
// arrived.
struct Transfer {
  std::int64_t bytes = 0;
  std::function<void()> on_taken;
  std::function<void()> on_arrival;
};

class Channel {
 public:
  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  virtual ~Channel() = default;
  virtual void send(Transfer transfer) = 0;
};

// Both directions of one connection.
class Connection {
 public:
  Connection();
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Starts to connect `from` (a client with this port) to `to`, whose listener passes its socket to `accept`.
  void open(Network& network, int from, int to, std::uint16_t port, std::uint16_t listening_port);
  void accept(const ns3::Ptr<ns3::Socket>& socket);
  bool is_open() const;
  // The direction from the host that opened the connection, or to it.
  Channel& outward();
  Channel& inward();

 private:
  class End;
  std::unique_ptr<End> client_;
  std::unique_ptr<End> server_;
};

// One direction between ranks of a host: messages one after the other at a constant rate.
class LocalChannel final : public Channel {
 public:
  explicit LocalChannel(const Settings& settings) : settings_(settings) {}
  void send(Transfer transfer) override;

 private:
  const Settings& settings_;
  std::int64_t busy_until_ns_ = 0;
};

}  // namespace stressbench::packet
