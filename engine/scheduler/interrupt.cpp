#include "scheduler/interrupt.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "core/signals.hpp"
#include "scheduler/rank_status.hpp"

namespace stressbench::scheduler::interrupt {
namespace {

using signals::stop_requested;

volatile std::sig_atomic_t requested_at_ms = 0;

// A line of text, built in a fixed buffer and printed by write(), which is async-signal-safe.
class Line {
 public:
  Line& add(const char* text) noexcept {
    for (; text != nullptr && *text != '\0' && used_ + 1 < text_.size(); ++text) text_[used_++] = *text;
    return *this;
  }
  Line& add(int number) noexcept {
    std::array<char, 12> digits{};
    std::size_t at = digits.size() - 1;
    do {
      digits[--at] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0 && at > 0);
    return add(&digits[at]);
  }
  // A JSON string, or null. Control characters, which names do not have, become '?'.
  Line& add_json(const char* text) noexcept {
    if (text == nullptr) return add("null");
    add("\"");
    for (; *text != '\0'; ++text) {
      const std::array<char, 2> letter{static_cast<unsigned char>(*text) < 0x20 ? '?' : *text, '\0'};
      if (*text == '"' || *text == '\\') add("\\");
      add(letter.data());
    }
    return add("\"");
  }
  void print() noexcept {
    text_[used_++] = '\n';
    const auto written = write(STDERR_FILENO, text_.data(), used_);
    (void)written;
  }

 private:
  std::array<char, 1024> text_{};
  std::size_t used_ = 0;
};

enum class StatusFormat { sentence, json, none };

StatusFormat status_format = StatusFormat::sentence;

// What this rank does when a stop signal arrives: a sentence, or a line of JSON, which `stressbench run` asks for.
void print_status() noexcept {
  const RankStatus& status = rank_status();
  Line line;
  if (status_format == StatusFormat::sentence) {
    line.add("stressbench-mpi: stop signal received: rank ").add(status.rank < 0 ? 0 : status.rank);
    if (status.job != nullptr) line.add(" (job ").add(status.job);
    if (status.job != nullptr && status.motif != nullptr) line.add(", motif ").add(status.motif);
    if (status.job != nullptr) line.add(")");
    return line.add(", round ").add(status.round).print();
  }
  line.add(R"({"kind":"rank_status","rank":)").add(status.rank < 0 ? 0 : status.rank);
  line.add(R"(,"job":)").add_json(status.job).add(R"(,"motif":)").add_json(status.motif);
  line.add(R"(,"round":)").add(status.round).add("}").print();
}

void on_signal(int signal) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto now_ms = static_cast<std::sig_atomic_t>((now.tv_sec * 1000 + now.tv_nsec / 1000000) & 0x3fffffff);
  if (stop_requested != 0) {
    if (now_ms - requested_at_ms < 500) return;  // one Ctrl-C may arrive both from the terminal and from the launcher
    std::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  stop_requested = 1;
  requested_at_ms = now_ms;
  if (rank_status().reports_signals && status_format != StatusFormat::none) print_status();
}

}  // namespace

void install_handlers() {
  const char* const stated = std::getenv("STRESSBENCH_RANK_STATUS");
  const std::string_view format = stated == nullptr ? "" : stated;
  status_format = StatusFormat::sentence;
  if (format == "json") status_format = StatusFormat::json;
  if (format == "none") status_format = StatusFormat::none;
  // Static, since a second signal may arrive while MPI is being finalised.
  static const std::array<signals::ScopedSignalHandler, 4> handlers{
      signals::ScopedSignalHandler{SIGINT, on_signal, SA_RESTART},
      signals::ScopedSignalHandler{SIGTERM, on_signal, SA_RESTART},
      signals::ScopedSignalHandler{SIGALRM, on_signal, SA_RESTART},
      signals::ScopedSignalHandler{SIGUSR1, on_signal, SA_RESTART}};
}

bool requested() noexcept { return stop_requested != 0; }

}  // namespace stressbench::scheduler::interrupt
