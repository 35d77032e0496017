#include "telemetry/own_process.hpp"

#include <ifaddrs.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>

namespace stressbench::telemetry {
namespace {

constexpr int max_processors = 1 << 16;

// An IPv6 address; that of an IPv4 socket as it is mapped into IPv6.
using Address = std::array<unsigned char, 16>;

std::optional<Address> address_of(const sockaddr* socket) {
  Address address{};
  if (socket == nullptr) return std::nullopt;
  if (socket->sa_family == AF_INET) {
    address[10] = address[11] = 0xff;
    std::memcpy(address.data() + 12, &reinterpret_cast<const sockaddr_in*>(socket)->sin_addr, 4);
    return address;
  }
  if (socket->sa_family != AF_INET6) return std::nullopt;
  std::memcpy(address.data(), &reinterpret_cast<const sockaddr_in6*>(socket)->sin6_addr, address.size());
  return address;
}

std::map<Address, std::string> interfaces() {
  std::map<Address, std::string> names;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return names;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owned(first, &freeifaddrs);
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (const auto address = address_of(one->ifa_addr)) names.try_emplace(*address, one->ifa_name);
  }
  return names;
}

// None for anything but a TCP socket, and if the kernel does not count them.
std::optional<std::uint64_t> bytes_received(int descriptor) {
  tcp_info info{};
  socklen_t length = sizeof(info);
  if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return std::nullopt;
  constexpr std::size_t needed = offsetof(tcp_info, tcpi_bytes_received) + sizeof(info.tcpi_bytes_received);
  return length < needed ? std::nullopt : std::optional<std::uint64_t>(info.tcpi_bytes_received);
}

std::optional<Address> local_address(int descriptor) {
  sockaddr_storage local{};
  socklen_t length = sizeof(local);
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&local), &length) != 0) return std::nullopt;
  return address_of(reinterpret_cast<const sockaddr*>(&local));
}

std::optional<int> number_in(std::string_view text) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size() || value < 0 || value >= max_processors)
    return std::nullopt;
  return value;
}

std::string_view own_group(std::string_view groups) {
  for (const std::string_view line : lines_of(groups)) {
    if (line.starts_with("0::/")) return line.substr(4);
  }
  return {};
}

}  // namespace

std::vector<int> processors_in(std::string_view list) {
  std::vector<int> numbers;
  list = list.substr(0, list.find('\n'));
  while (!list.empty()) {
    const std::string_view range = list.substr(0, list.find(','));
    list.remove_prefix(std::min(range.size() + 1, list.size()));
    const std::size_t dash = range.find('-');
    const auto first = number_in(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number_in(range.substr(dash + 1));
    if (!first || !last) return {};
    for (int number = *first; number <= *last; ++number) numbers.push_back(number);
    if (numbers.size() > max_processors) return {};
  }
  return numbers;
}

std::vector<int> bound_processors() {
  std::vector<int> numbers;
  const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(max_processors),
                                                             [](cpu_set_t* one) { CPU_FREE(one); });
  const std::size_t size = CPU_ALLOC_SIZE(max_processors);
  if (!set || ::sched_getaffinity(0, size, set.get()) != 0) return numbers;
  for (int number = 0; number < max_processors; ++number) {
    if (CPU_ISSET_S(static_cast<std::size_t>(number), size, set.get())) numbers.push_back(number);
  }
  return numbers;
}

std::vector<int> usable_processors(const FileTree& files) {
  const auto groups = files.text("proc/self/cgroup");
  const std::filesystem::path folder = std::filesystem::path("sys/fs/cgroup") / own_group(groups ? *groups : "");
  for (const auto& file : {folder / "cpuset.cpus.effective", std::filesystem::path("sys/devices/system/cpu/online")}) {
    const auto list = files.text(file);
    if (auto numbers = processors_in(list ? *list : ""); !numbers.empty()) return numbers;
  }
  return bound_processors();
}

std::map<std::string, std::uint64_t> tcp_bytes_received() {
  const auto names = interfaces();
  std::map<std::string, std::uint64_t> totals;
  for (const std::string& descriptor_name : FileTree("/").names("proc/self/fd")) {
    const auto descriptor = number_in(descriptor_name);
    const auto address = descriptor ? local_address(*descriptor) : std::nullopt;
    const auto bytes = address ? bytes_received(*descriptor) : std::nullopt;
    if (!bytes) continue;
    const auto name = names.find(*address);
    totals[name == names.end() ? "" : name->second] += *bytes;
  }
  return totals;
}

bool maps_shared_memory(const FileTree& files) {
  const auto maps = files.text("proc/self/maps");
  return maps && (maps->find(" /dev/shm/") != std::string::npos || maps->find("_segment.") != std::string::npos);
}

}  // namespace stressbench::telemetry
