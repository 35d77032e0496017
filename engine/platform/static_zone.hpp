// A network with static routing: switches forward by tables. SimGrid asks for the route of each message, so that no
// list of links is stored for each pair of hosts.
#pragma once

#include <cstddef>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u/Link.hpp>
#include <string>
#include <vector>

namespace stressbench::platform {

// Nodes are numbered from 0: hosts in the order of their creation, then switches.
class StaticZone final : public simgrid::kernel::routing::NetZoneImpl {
 public:
  explicit StaticZone(const std::string& name) : NetZoneImpl(name) {}

  // Once all hosts are created. Messages between ranks of one host cross the loopback.
  void set_size(std::size_t hosts, std::size_t switches, const simgrid::s4u::Link& loopback);

  // A link has a direction from `a` to `b`, and one back. The only link of a host carries all that it sends.
  struct Direction {
    std::size_t target = 0;
    const simgrid::s4u::Link* link = nullptr;
  };
  void attach(std::size_t host, const Direction& direction) { nics_[host] = direction; }
  // What is for this host leaves the switch in this direction.
  void forward(std::size_t node, std::size_t host, const Direction& direction) {
    tables_[entry(node, host)] = direction;
  }

  // Data from the host cross the disk before its link, and data to it after its link.
  void set_read_disk(std::size_t host, const simgrid::s4u::Link& disk) { read_disks_[host] = &disk; }
  void set_write_disk(std::size_t host, const simgrid::s4u::Link& disk) { write_disks_[host] = &disk; }

 protected:
  void get_local_route(const simgrid::kernel::routing::NetPoint* source,
                       const simgrid::kernel::routing::NetPoint* destination, simgrid::kernel::routing::Route* route,
                       double* latency_s) override;

 private:
  std::size_t hosts() const noexcept { return nics_.size(); }
  std::size_t entry(std::size_t node, std::size_t host) const noexcept { return (node - hosts()) * hosts() + host; }

  std::vector<Direction> nics_;    // of each host
  std::vector<Direction> tables_;  // of each switch for each host
  std::vector<const simgrid::s4u::Link*> read_disks_;
  std::vector<const simgrid::s4u::Link*> write_disks_;
  const simgrid::s4u::Link* loopback_ = nullptr;
};

}  // namespace stressbench::platform
