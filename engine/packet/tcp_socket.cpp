#include "packet/tcp_socket.hpp"

#include <ns3/rtt-estimator.h>
#include <ns3/tcp-l4-protocol.h>
#include <ns3/tcp-linux-reno.h>
#include <ns3/tcp-prr-recovery.h>
#include <ns3/tcp-socket-base.h>
#include <ns3/tcp-tx-buffer.h>

#include <algorithm>

namespace stressbench::packet {
namespace {

class TcpSocket final : public ns3::TcpSocketBase {
 public:
  explicit TcpSocket(ns3::Time max_timeout) : max_timeout_(max_timeout) { limit_to_window(); }
  TcpSocket(const TcpSocket& other) : ns3::TcpSocketBase(other), max_timeout_(other.max_timeout_) { limit_to_window(); }

 private:
  ns3::Ptr<ns3::TcpSocketBase> Fork() override { return ns3::CopyObject<TcpSocket>(this); }

  // Linux limits the timeout to tcp_rto_max_ms; ns-3 doubles it here, up to 60 s.
  void ReTxTimeout() override {
    m_rto = std::min(m_rto.Get(), max_timeout_ / 2);
    ns3::TcpSocketBase::ReTxTimeout();
  }

  void limit_to_window() { m_txBuffer->SetRWndCallback(ns3::MakeCallback(&TcpSocket::window, this)); }

  // The receiver's window. Before ns-3.41, TcpTxBuffer::NextSeg offers an empty segment when all of the window is sent
  // but not acknowledged, and sending that ends the program (ns-3 issue 991): a window below what was sent avoids it.
  std::uint32_t window() const {
    const std::uint32_t sent = UnAckDataCount();
    return sent > 0 && GetRWnd() <= sent ? sent - 1 : GetRWnd();
  }

  ns3::Time max_timeout_;
};

}  // namespace

ns3::Ptr<ns3::Socket> create_tcp_socket(const ns3::Ptr<ns3::Node>& node, std::int64_t max_timeout_ns) {
  const auto tcp = node->GetObject<ns3::TcpL4Protocol>();
  const auto socket = ns3::CreateObject<TcpSocket>(ns3::NanoSeconds(max_timeout_ns));
  socket->SetNode(node);
  socket->SetTcp(tcp);
  socket->SetRtt(ns3::CreateObject<ns3::RttMeanDeviation>());
  socket->SetCongestionControlAlgorithm(ns3::CreateObject<ns3::TcpLinuxReno>());
  socket->SetRecoveryAlgorithm(ns3::CreateObject<ns3::TcpPrrRecovery>());
  tcp->AddSocket(socket);
  return socket;
}

}  // namespace stressbench::packet
