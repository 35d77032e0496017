// What the kernel knows of this process: its processors, the bytes that its TCP connections received, shared memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/file_tree.hpp"

namespace stressbench::telemetry {

// The numbers of a list of processors such as "0-3,8"; empty if it is not one.
std::vector<int> processors_in(std::string_view list);

// Processors to which this process is bound.
std::vector<int> bound_processors();

// Processors that processes of this control group may use (cgroup v2), or all that are online.
std::vector<int> usable_processors(const FileTree& files);

// Bytes received so far on the open TCP connections of this process, by the local interface ("" if it is unknown).
// Empty before Linux 4.1, which does not count them.
std::map<std::string, std::uint64_t> tcp_bytes_received();

// Whether this process maps memory that others can map: files of /dev/shm, or segments of Open MPI.
bool maps_shared_memory(const FileTree& files);

}  // namespace stressbench::telemetry
