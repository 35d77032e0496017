#include "telemetry/command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/json_input.hpp"

namespace stressbench::telemetry {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t max_output_bytes = std::size_t{1} << 20;
constexpr std::size_t max_name_bytes = 40;
constexpr auto time_to_die = std::chrono::milliseconds(500);

CounterUnit unit_of(std::string_view name) {
  if (name.ends_with("_bytes")) return CounterUnit::bytes;
  if (name.ends_with("_frames")) return CounterUnit::frames;
  if (name.ends_with("_ns")) return CounterUnit::ns;
  if (name.ends_with("_ticks")) return CounterUnit::ticks;
  return CounterUnit::events;
}

std::string checked_name(const std::string& name) {
  const bool is_printable = std::ranges::all_of(name, [](char c) { return c > ' ' && c < '\x7f'; });
  if (name.empty() || name.size() > max_name_bytes || !is_printable) {
    throw WrongValue(fmt::format(
        "the name {} instead of 1 to {} printable ASCII characters without spaces",
        Json(name.substr(0, max_name_bytes)).dump(-1, ' ', true, Json::error_handler_t::replace), max_name_bytes));
  }
  return name;
}

void append_counter(Reading& reading, const std::string& name, const std::string& device, const Json& value) {
  const auto most = std::numeric_limits<std::int64_t>::max();
  const auto total = whole_number<std::int64_t>(value, 0, most);
  reading.push_back({checked_name(name), device, unit_of(name), static_cast<std::uint64_t>(total)});
}

// A running command, and the pipe that it writes to.
class Process {
 public:
  Process(const std::string& text, std::chrono::nanoseconds limit) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw MachineFault("cannot be started: {}", std::strerror(errno));
    output_ = pipe[0];
    const int failure = spawn(text, limit, pipe[1]);
    ::close(pipe[1]);
    if (failure == 0) return;
    ::close(output_);
    throw MachineFault("cannot be started with `timeout` (coreutils): {}", std::strerror(failure));
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    ::close(output_);
    if (id_ > 0) end();
  }

  int output() const noexcept { return output_; }

  // Waits for the end. The exit status as of a shell: 128 + N if signal N ended the command.
  int wait() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  // timeout(1) makes the command a process group, and kills all of it after the limit. This holds also if this process
  // is killed in between, so that nothing remains.
  int spawn(const std::string& text, std::chrono::nanoseconds limit, int target) {
    std::string seconds = fmt::format("{:.3f}", std::chrono::duration<double>(limit).count());
    std::string words = text;
    std::string name = "timeout";
    std::string signal = "--signal=KILL";
    std::string shell = "/bin/sh";
    std::string option = "-c";
    const std::array<char*, 7> arguments{name.data(),   signal.data(), seconds.data(), shell.data(),
                                         option.data(), words.data(),  nullptr};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, target, STDOUT_FILENO);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int failure = posix_spawnp(&id_, name.c_str(), &files, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (failure != 0) id_ = -1;
    return failure;
  }

  void end() noexcept {
    ::kill(-id_, SIGKILL);
    while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  int output_ = -1;
  pid_t id_ = -1;
};

// What the process writes until it closes the pipe.
std::string output_of(const Process& process, Clock::time_point deadline) {
  std::string text;
  std::array<char, 4096> piece;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waiting{process.output(), POLLIN, 0};
    const int ready = left > 0 ? ::poll(&waiting, 1, static_cast<int>(left)) : 0;
    if (ready == 0) throw MachineFault("does not end");
    if (ready < 0) continue;  // EINTR
    const ssize_t length = ::read(process.output(), piece.data(), piece.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(length));
    if (text.size() > max_output_bytes) throw MachineFault("prints more than 1 MiB");
  }
}

}  // namespace

Reading counters_from_json(std::string_view text) {
  Json all;
  try {
    all = parse_json<Json>(text);
  } catch (const Json::exception&) {
    throw WrongValue("output that is not JSON");
  }
  if (!all.is_object()) throw WrongValue(fmt::format("{} instead of a JSON object", all.type_name()));
  Reading reading;
  for (const auto& [name, value] : all.items()) {
    if (value.is_object()) {
      const std::string device = checked_name(name);
      for (const auto& [counter, total] : value.items()) append_counter(reading, counter, device, total);
    } else {
      append_counter(reading, name, "", value);
    }
  }
  return reading;
}

Reading Command::read() {
  Process process(text_, limit_);
  const std::string text = output_of(process, Clock::now() + limit_ + time_to_die);
  if (const int status = process.wait(); status != 0) throw MachineFault("exits with status {}", status);
  try {
    return counters_from_json(text);
  } catch (const WrongValue& wrong) {
    throw MachineFault("prints {}", wrong.what());
  }
}

}  // namespace stressbench::telemetry
