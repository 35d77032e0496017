#include "output/link_socket.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/input_limits.hpp"
#include "core/json_input.hpp"
#include "output/json.hpp"

namespace stressbench::output {
namespace {

constexpr const char* variable = "STRESSBENCH_LINK_COUNTERS";
constexpr timeval receive_timeout{.tv_sec = 10, .tv_usec = 0};

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw MachineFault("link counters of '{}': {}", path, reason);
}

}  // namespace

LinkSocket::LinkSocket(std::string path) : path_(std::move(path)) {}

LinkSocket::~LinkSocket() {
  if (socket_ >= 0) ::close(socket_);
}

void LinkSocket::connect() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof(address.sun_path)) refuse(path_, std::strerror(ENAMETOOLONG));
  path_.copy(address.sun_path, path_.size());
  socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) refuse(path_, std::strerror(errno));
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &receive_timeout, sizeof(receive_timeout));
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    refuse(path_, std::strerror(errno));
  // Any user may create a socket in a shared directory, so only a server of the same user or of root is trusted.
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(socket_, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) refuse(path_, std::strerror(errno));
  if (peer.uid != ::geteuid() && peer.uid != 0)
    refuse(path_, fmt::format("belongs to user {}, not to user {}, who runs this", peer.uid, ::geteuid()));
}

scheduler::LinkCounts LinkSocket::read() {
  if (socket_ < 0) connect();
  constexpr std::string_view request = "look\n";
  if (::send(socket_, request.data(), request.size(), MSG_NOSIGNAL) < 0) refuse(path_, std::strerror(errno));
  const std::string text = receive_line();
  try {
    const Json json = parse_json<Json>(text);
    if (json.contains("fault")) refuse(path_, json.at("fault").get<std::string>());
    return links_from_json(json.at("links"));
  } catch (const WrongValue& wrong) {
    refuse(path_, wrong.what());
  } catch (const Json::exception&) {
    refuse(path_, fmt::format("'{}' does not have the format in docs/records.md", text.substr(0, 60)));
  }
}

std::string LinkSocket::receive_line() {
  std::array<char, 65536> piece;
  std::size_t end = received_.find('\n');
  while (end == std::string::npos) {
    const ssize_t length = ::recv(socket_, piece.data(), piece.size(), 0);
    if (length < 0 && errno == EINTR) continue;
    if (length == 0) refuse(path_, "the connection was closed");
    if (length < 0) refuse(path_, errno == EAGAIN ? "no answer for 10 s" : std::strerror(errno));
    received_.append(piece.data(), static_cast<std::size_t>(length));
    if (std::ssize(received_) > input_limits::max_line_bytes) refuse(path_, "the answer is too long");
    end = received_.find('\n');
  }
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

std::unique_ptr<scheduler::LinkCounters> link_counters_of_environment() {
  const char* path = std::getenv(variable);
  if (path == nullptr || *path == '\0') return nullptr;
  return std::make_unique<LinkSocket>(path);
}

}  // namespace stressbench::output
