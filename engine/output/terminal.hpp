// Progress line and summary table of a run.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "scheduler/impact.hpp"
#include "scheduler/records.hpp"

namespace stressbench::output {

// Prints "round 7 of 40: ..., about 2 min left" to stderr as one line that is overwritten. Silent unless stderr is a
// terminal or STRESSBENCH_PROGRESS=1.
class Progress final : public scheduler::Listener {
 public:
  Progress();
  void on_header(const scheduler::Header& header) override;
  void on_round_start(const scheduler::Round& round, int planned) override;
  void on_round(const scheduler::RoundRecord& record) override;
  void on_end(const scheduler::End& end) override;

 private:
  bool is_terminal_;
  std::vector<std::string> names_;
  double elapsed_s_ = 0;
  int completed_ = 0;
};

// Prints each job's isolated and contended times and congestion impact, and warnings, at the end of the run.
class Summary final : public scheduler::Listener {
 public:
  Summary(const scheduler::ImpactTracker& tracker, std::FILE* to) : tracker_(tracker), to_(to) {}
  void on_header(const scheduler::Header& header) override;
  void on_event(const scheduler::Event& event) override;
  void on_end(const scheduler::End& end) override;

 private:
  const scheduler::ImpactTracker& tracker_;
  std::FILE* to_;
  std::vector<scheduler::JobRecord> jobs_;
  std::vector<std::string> warnings_;
};

// 350 ns, 1.25 us, 33.1 ms, 2.40 s
std::string spell_time(double seconds);

// A table as text. Columns are as wide as their widest cell; the first is left-aligned, the others right-aligned.
std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);

}  // namespace stressbench::output
