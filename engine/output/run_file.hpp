// The run file: docs/records.md as JSON Lines.
#pragma once

#include <optional>
#include <string>

#include "output/written_file.hpp"
#include "scheduler/records.hpp"
#include "scheduler/session.hpp"

namespace stressbench::output {

enum class Existing { refuse, replace, append };

class RunFile final : public scheduler::Listener {
 public:
  // Keeps the file locked while it lives, so that no two launches write to one file. Throws UserMistake where the file
  // exists and must not, is to be replaced and holds something else, cannot be opened, or is another launch's.
  RunFile(const std::string& path, Existing existing);

  void on_header(const scheduler::Header& header) override;
  void on_sample(const scheduler::Sample& sample) override;
  void on_histogram(const scheduler::HistogramRecord& histogram) override;
  void on_event(const scheduler::Event& event) override;
  // Writes what the round said and its commit mark, and hands it to the system. Throws MachineFault naming path and
  // cause (disk full), also where somebody deleted, replaced or cut the file: all is in a file of a new name then.
  void on_round(const scheduler::RoundRecord& record) override;
  void on_end(const scheduler::End& end) override;

 private:
  void write_out();
  void must_be_unchanged();
  [[noreturn]] void fail(const char* doing, int reason) const;

  WrittenFile file_;
  std::string pending_;
  const scheduler::Machine* machine_ = nullptr;
};

// What `--continue` needs of an earlier launch.
struct Earlier {
  scheduler::EarlierLaunches launches;
  scheduler::RunOptions options;
  std::optional<int> ranks_per_node;
  int ranks = 0;
  std::string workload_path;
  std::string workload_text;
  bool complete = false;
};

// Reads the header and the finished rounds, tells them to `tracker`, and cuts off what a stopped launch left behind the
// last finished round. Throws UserMistake naming file and line where it is no run file.
Earlier read_earlier(const std::string& path, scheduler::ImpactTracker& tracker);

// "fnv1a64:..." of a text: the same workload has the same hash on every machine.
std::string hash_of(const std::string& text);

}  // namespace stressbench::output
