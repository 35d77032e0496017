// TCP as the hosts of a lab have it: ns-3's, with two of its faults circumvented and Linux's limits of timeouts.
#pragma once

#include <ns3/node.h>
#include <ns3/socket.h>

#include <cstdint>

namespace stressbench::packet {

// A TCP socket of a node. A retransmission timeout is at most `max_timeout_ns`.
ns3::Ptr<ns3::Socket> create_tcp_socket(const ns3::Ptr<ns3::Node>& node, std::int64_t max_timeout_ns);

}  // namespace stressbench::packet
