// What a person sees while a run goes on, and at its end.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "schedule/impact.hpp"
#include "schedule/records.hpp"

namespace stressbench::output {

// "round 7 of 40, contended, about 2 min left" on stderr: one line that is rewritten, where somebody watches (a
// terminal, or STRESSBENCH_PROGRESS=1); nothing elsewhere.
class Progress final : public schedule::Listener {
 public:
  Progress();
  void on_header(const schedule::Header& header) override;
  void on_round_start(const schedule::Round& round, int planned) override;
  void on_round(const schedule::RoundRecord& record) override;
  void on_end(const schedule::End& end) override;

 private:
  bool terminal_;
  std::vector<std::string> names_;
  double spent_s_ = 0;
  int done_ = 0;
};

// At the end: a line a job with its times alone and beside the others, and warnings.
class Summary final : public schedule::Listener {
 public:
  Summary(const schedule::ImpactTracker& tracker, std::FILE* to) : tracker_(tracker), to_(to) {}
  void on_header(const schedule::Header& header) override;
  void on_event(const schedule::Event& event) override;
  void on_end(const schedule::End& end) override;

 private:
  const schedule::ImpactTracker& tracker_;
  std::FILE* to_;
  std::vector<schedule::JobRecord> jobs_;
  std::vector<std::string> warnings_;
};

// 350 ns, 1.25 us, 33.1 ms, 2.40 s
std::string spell_time(double seconds);

// Columns as wide as their widest cell; the first is left-aligned, the others right.
std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);

}  // namespace stressbench::output
