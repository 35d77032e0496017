// The run file: the records of docs/records.md as JSON Lines.
#pragma once

#include <optional>
#include <string>

#include "output/written_file.hpp"
#include "scheduler/impact.hpp"
#include "scheduler/records.hpp"
#include "scheduler/run_options.hpp"

namespace stressbench::output {

enum class Existing { refuse, replace, append };

class RunFile final : public scheduler::Listener {
 public:
  // Locks the file during the object's lifetime, so that only one launch writes to it. Throws UserMistake if the file
  // exists with Existing::refuse, is not a run file with Existing::replace, cannot be opened, or is locked by another
  // launch.
  RunFile(const std::string& path, Existing existing);

  void on_header(const scheduler::Header& header) override;
  void on_sample(const scheduler::Sample& sample) override;
  void on_histogram(const scheduler::HistogramRecord& histogram) override;
  void on_event(const scheduler::Event& event) override;
  // Writes the records of the round and its `round` record. Throws MachineFault with path and cause (disk full). Also
  // throws if the file was deleted, replaced or truncated; its contents are then in a file with a new name.
  void on_round(const scheduler::RoundRecord& record) override;
  void on_end(const scheduler::End& end) override;
  // Writes the fault record, unless the end record was written or the file was changed by others.
  void on_fault(const scheduler::Fault& fault) override;

 private:
  void write_out();
  void require_unchanged();
  [[noreturn]] void fail(const char* doing, int reason) const;

  WrittenFile file_;
  std::string pending_;
  bool ended_ = false;
  const scheduler::Machine* machine_ = nullptr;
};

// Appends the record to the file of run `run_id`. Any rank may call it. Does nothing if the file cannot be opened on
// this rank's host, is not the file of that run, or does not end with a complete line.
void append_fault(const std::string& path, const std::string& run_id, const scheduler::Fault& fault);

// The largest --time-limit that a run file can hold.
inline constexpr Nanoseconds longest_time_limit{1'000'000'000'000'000'000};

// The state that `--continue` takes from the run file.
struct ContinuedRun {
  scheduler::EarlierLaunches launches;
  scheduler::RunOptions options;
  std::optional<workload::NodeSizes> ranks_per_node;
  int ranks = 0;
  std::string workload_path;
  std::string workload_text;
  bool complete = false;
  std::int64_t committed_bytes = 0;  // up to the end of the last completed round
  std::string trailing_lines;        // later lines, without the measurements of the unfinished round
};

// Reads the header and the completed rounds and passes them to `tracker`. Throws UserMistake with file and line if the
// file is not a run file.
ContinuedRun read_continued_run(const std::string& path, scheduler::ImpactTracker& tracker);
// Removes the measurements of the unfinished round. Throws UserMistake if the file cannot be written.
void remove_unfinished_round(const std::string& path, const ContinuedRun& run);

// FNV-1a hash "fnv1a64:..." of a text. The same workload has the same hash on every machine.
std::string hash_of(const std::string& text);

}  // namespace stressbench::output
