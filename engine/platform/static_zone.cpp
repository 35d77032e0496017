#include "platform/static_zone.hpp"

#include <simgrid/kernel/routing/NetPoint.hpp>

#include "core/error.hpp"

namespace stressbench::platform {

using simgrid::kernel::routing::NetPoint;
using simgrid::kernel::routing::Route;

void StaticZone::set_size(std::size_t hosts, std::size_t switches, const simgrid::s4u::Link& loopback) {
  nics_.resize(hosts);
  tables_.resize(switches * hosts);
  read_disks_.resize(hosts);
  write_disks_.resize(hosts);
  loopback_ = &loopback;
}

void StaticZone::get_local_route(const NetPoint* source, const NetPoint* destination, Route* route, double* latency_s) {
  const auto cross = [&](const simgrid::s4u::Link& link) {
    route->link_list_.push_back(link.get_impl());
    if (latency_s != nullptr) *latency_s += link.get_latency();
  };
  if (source == destination) return cross(*loopback_);
  const std::size_t goal = destination->id();
  if (read_disks_[source->id()] != nullptr) cross(*read_disks_[source->id()]);
  std::size_t links = 0;
  for (std::size_t node = source->id(); node != goal;) {
    const Direction& direction = node < hosts() ? nics_[node] : tables_[entry(node, goal)];
    if (direction.link == nullptr || links++ > tables_.size())
      throw MachineFault("no route from {} to {}", source->get_name(), destination->get_name());
    cross(*direction.link);
    node = direction.target;
  }
  if (write_disks_[goal] != nullptr) cross(*write_disks_[goal]);
}

}  // namespace stressbench::platform
