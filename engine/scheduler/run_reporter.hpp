// Builds the records of a run and passes them to the listeners. World rank 0 only.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/collect.hpp"
#include "scheduler/records.hpp"

namespace stressbench::scheduler {

class RunReporter {
 public:
  // `listeners` are called in this order.
  explicit RunReporter(std::vector<Listener*> listeners) : listeners_(std::move(listeners)) {}

  void header(const Header& header);
  void round_starts(const Round& round, int planned);
  // Reports samples, histograms, notes and warnings of one job in one round.
  void job(const Round& round, int job, const Collection::Result& result);
  void event(const Event& event);
  void round(const RoundRecord& record);
  void end(const End& end);
  // Reports the failure of a listener to all listeners; further failures are ignored.
  void fault(const Fault& fault) noexcept;

  // The first failure of a listener, such as a write to a full disk; none if all succeeded. A failure must not keep
  // rank 0 from taking part in collective operations, so it is stored here and no listener is called any more.
  const std::optional<std::string>& fault() const noexcept { return fault_; }

 private:
  template <class Call>
  void notify(Call call);
  void report_samples(const Round& round, int job, const Collection::Result& result);
  void report_notes(const Round& round, int job, const std::vector<std::string>& notes);
  void report_thinning(const Round& round, int job, const Collection::Result& result, std::int64_t steps_stride);
  void check_timer(const Sample& sample);

  std::vector<Listener*> listeners_;
  std::vector<JobRecord> jobs_;
  double clock_overhead_s_ = 0;
  std::set<std::pair<int, int>> timer_warned_;            // job, step
  std::set<std::pair<int, std::string>> reported_notes_;  // job and text
  std::optional<std::string> fault_;
};

}  // namespace stressbench::scheduler
