// Progress line and summary table of a run.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "scheduler/impact.hpp"
#include "scheduler/records.hpp"

namespace stressbench::output {

// "round 7 of 40: ..., about 2 min left" on stderr: one line that is overwritten, if stderr is a terminal or
// STRESSBENCH_PROGRESS=1; else nothing.
class Progress final : public scheduler::Listener {
 public:
  Progress();
  void on_header(const scheduler::Header& header) override;
  void on_round_start(const scheduler::Round& round, int planned) override;
  void on_round(const scheduler::RoundRecord& record) override;
  void on_end(const scheduler::End& end) override;

 private:
  bool terminal_;
  std::vector<std::string> names_;
  double spent_s_ = 0;
  int done_ = 0;
};

// At the end of the run: each job's isolated and contended times and its congestion impact, and warnings.
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

// Columns as wide as their widest cell; the first is left-aligned, the others right.
std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);

}  // namespace stressbench::output
