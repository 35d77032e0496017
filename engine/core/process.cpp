#include "core/process.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/types.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>

namespace stressbench {
namespace {

struct Status {
  char state;
  std::int64_t start;
};

// Reads /proc/PID/stat: "PID (name) state ...", with the start time as 22nd word. The name may contain any character,
// including `)`.
std::optional<Status> status_of(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream words(text.substr(name_end + 1));
  Status status{};
  words >> status.state;
  std::string skipped;
  for (int word = 4; word < 22; ++word) words >> skipped;
  return words >> status.start ? std::optional(status) : std::nullopt;
}

bool has_ended(const Status& status) { return status.state == 'Z' || status.state == 'X'; }

}  // namespace

std::optional<std::int64_t> start_of_process(std::int64_t pid) {
  const auto status = status_of(pid);
  return status && !has_ended(*status) ? std::optional(status->start) : std::nullopt;
}

bool is_running(std::int64_t pid, std::optional<std::int64_t> start) {
  if (pid < 1 || pid > std::numeric_limits<pid_t>::max()) return false;
  if (::kill(static_cast<pid_t>(pid), 0) != 0 && errno != EPERM) return false;
  const auto status = status_of(pid);
  return !status || (!has_ended(*status) && (!start || *start == status->start));
}

}  // namespace stressbench
