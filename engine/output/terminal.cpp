#include "output/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/console.hpp"
#include "output/json.hpp"

namespace stressbench::output {

namespace {

// Under mpirun stderr is a pipe. `stressbench run` sets this variable if its own stderr is a terminal.
bool shows_progress() {
  const char* progress_variable = std::getenv("STRESSBENCH_PROGRESS");
  return isatty(STDERR_FILENO) == 1 || (progress_variable != nullptr && std::string_view(progress_variable) == "1");
}

}  // namespace

Progress::Progress() : is_terminal_(shows_progress()) {}

void Progress::on_header(const scheduler::Header& header) {
  for (const scheduler::JobRecord& job : header.jobs) names_.push_back(job.name);
}

void Progress::on_round_start(const scheduler::Round& round, int planned) {
  if (!is_terminal_) return;
  const std::string what =
      round.job < 0 ? "all jobs, contended" : names_[static_cast<std::size_t>(round.job)] + ", isolated";
  std::string remaining;
  if (completed_ > 0)
    remaining = fmt::format(", about {} left", spell_time(elapsed_s_ / completed_ * (planned - round.number + 1)));
  console::rewrite_line(stderr, fmt::format("round {} of {}: {}{}", round.number, planned, what, remaining));
}

void Progress::on_round(const scheduler::RoundRecord& record) {
  elapsed_s_ += record.duration_s;
  ++completed_;
}

void Progress::on_end(const scheduler::End&) {
  if (is_terminal_) console::rewrite_line(stderr, "");
}

void Summary::on_header(const scheduler::Header& header) { jobs_ = header.jobs; }

void Summary::on_event(const scheduler::Event& event) {
  if (event.severity == scheduler::Severity::note) return;
  const std::string job = event.job ? jobs_[static_cast<std::size_t>(*event.job)].name + ": " : "";
  warnings_.push_back("warning: " + job + event.message);
}

void Summary::on_end(const scheduler::End& end) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const int job = static_cast<int>(i);
    const auto spell = [](std::optional<double> seconds) { return seconds ? spell_time(*seconds) : std::string("-"); };
    const auto impact = tracker_.impact(job);
    rows.push_back({jobs_[i].name, std::to_string(jobs_[i].ranks),
                    spell(median(tracker_.medians(job, scheduler::RoundKind::isolated))),
                    spell(median(tracker_.medians(job, scheduler::RoundKind::contended))),
                    impact ? fmt::format("{:.3f}", impact->estimate) : "-",
                    impact && impact->interval
                        ? fmt::format("[{:.3f}, {:.3f}]", impact->interval->low, impact->interval->high)
                        : "-"});
  }
  console::print(
      to_, "{}",
      table({"job", "ranks", "isolated (median)", "contended (median)", "congestion impact", "95 % interval"}, rows));
  for (const std::string& warning : warnings_) console::print(to_, "{}\n", warning);
  console::print(
      to_, "{} rounds in {}{}\n", end.rounds, spell_time(end.elapsed_s),
      end.complete ? "" : fmt::format("; the run is not complete ({}): --continue resumes it", name_of(end.reason)));
}

std::string spell_time(double seconds) {
  if (seconds >= 120) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds >= 1e-6) return fmt::format("{:.3g} us", seconds * 1e6);
  return fmt::format("{:.3g} ns", seconds * 1e9);
}

std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::string& cell : head) widths.push_back(cell.size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == 0) {
        text += fmt::format("{:<{}}", row[i], widths[i]);
      } else {
        text += fmt::format("  {:>{}}", row[i], widths[i]);
      }
    }
    text += '\n';
  };
  add(head);
  for (const auto& row : rows) add(row);
  return text;
}

}  // namespace stressbench::output
