// The ranks of a launch as they were started: host, processors, how they wait, and what carries their messages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mpi/group.hpp"

namespace stressbench::scheduler {

struct LaunchedRank {
  std::string host;
  std::vector<int> processors;         // to which it is bound
  std::vector<int> usable_processors;  // of its host, for this control group
  std::optional<bool> yields;          // gives up its processor while it waits; none if the library does not say
};

enum class Carrier { tcp, infiniband, cxi, shared_memory, unknown };

// What carried the messages that a rank received from a neighbour.
struct MessageCarrier {
  Carrier carrier = Carrier::unknown;
  std::string device;  // network interface or port; empty if there is none or it is unknown
};

// None where a rank has no neighbour on its own host, or its host's first rank none on another host.
struct Carriers {
  std::optional<MessageCarrier> inside_host;
  std::optional<MessageCarrier> between_hosts;
};

// A directory that all hosts should share. `fault`: why rank 0 cannot create a file there; `hosts_without`: hosts that
// do not see this file.
struct DirectoryCheck {
  std::string path;
  std::optional<std::string> fault;
  std::vector<std::string> hosts_without;
};

LaunchedRank this_rank();

// Collective. Sends messages around the ranks of each host, then around the first ranks of all hosts, and compares the
// counters of each rank's TCP connections and of its host's NICs with the bytes that it received.
Carriers find_carriers(const mpi::Group& world);

// Collective. The results are on rank 0 only. The file is removed again.
std::vector<DirectoryCheck> check_directories(const mpi::Group& world, const std::vector<std::string>& paths);

}  // namespace stressbench::scheduler
