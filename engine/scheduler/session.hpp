// One launch: rounds in the order of the plan, until it is done or told to stop.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "scheduler/impact.hpp"
#include "scheduler/job_layout.hpp"
#include "scheduler/job_round.hpp"
#include "scheduler/links.hpp"
#include "scheduler/records.hpp"

namespace stressbench::scheduler {

struct RunOptions {
  std::string run_id;  // the same on every rank
  std::string launch;  // likewise
  Counts counts;
  std::int64_t repetitions = 10;  // of a job without [REPEAT]
  int warmup = 1;
  Finish finish = Finish::sustain;
  std::string placement = "linear";
  std::uint64_t seed = 1;
  std::optional<double> until_interval;
  std::optional<Nanoseconds> min_time;  // of a job without [MIN_TIME]
  std::optional<Nanoseconds> time_limit;
  Verification verification = Verification::off;
};

// What an earlier launch left: rounds that are already in the file.
struct EarlierLaunches {
  int launch = 0;
  int rounds = 0;
};

class Session {
 public:
  // Collective. `workload` has explicit nodes; `listeners` are told on rank 0 only, in order.
  Session(const mpi::Group& world, const Clock& clock, const Machine& machine, const workload::Workload& workload,
          const RunOptions& options, std::vector<Listener*> listeners, ImpactTracker& tracker, EarlierLaunches earlier);

  // Put what they count during each round into its record. Rank 0 only.
  void watch(LinkCounters& links) noexcept { links_ = &links; }

  // Header, rounds, end. The same on every rank.
  EndReason run(const std::vector<std::string>& command, const std::string& workload_text);

  // What a listener could not do (a full disk), when the run ended for that reason. Rank 0 only.
  const std::optional<std::string>& fault() const noexcept { return fault_; }

 private:
  struct Order;
  Header make_header(const std::vector<std::string>& command, const std::string& workload_text) const;
  Order next_order();
  void stop(EndReason reason, Order& order) const;
  EndReason reason_at_the_end(EndReason reason) const;
  bool time_is_up(const Round& round) const;
  void execute(const Round& round);
  bool active(const Round& round) const noexcept;
  Assignment assignment(const Chain& chain) const;
  void decompose(Chain* chain, const Round& round);
  std::optional<LinkCounts> look_at_links(const Round& round);
  void report_results(RoundRecord record, Collection& collection);
  void report_job(const Round& round, int job, const Collection::Result& result);
  void report_notes(const Round& round, int job, const std::vector<std::string>& notes);
  void report_thinning(const Round& round, int job, const Collection::Result& result, std::int64_t parts_stride);
  void check_timer(const Sample& sample);
  void gather_interrupts();
  double elapsed_s() const;
  template <class Say>
  void notify(Say report);

  const mpi::Group& world_;
  const Clock& clock_;
  const Machine& machine_;
  const workload::Workload& workload_;
  RunOptions options_;
  std::vector<Listener*> listeners_;
  ImpactTracker& tracker_;
  EarlierLaunches earlier_;
  JobLayout layout_;
  std::vector<int> measured_;
  std::vector<int> serial_setup_jobs_;  // jobs that decompose one after the other
  Plan plan_;
  std::vector<JobRecord> jobs_;  // rank 0
  std::vector<Round> queue_;     // rounds of the present block that are still to come; rank 0
  int next_block_ = 0;
  int completed_ = 0;
  int interrupted_ = 0;
  std::int64_t start_ns_ = 0;
  double clock_overhead_s_ = 0;
  std::vector<double> longest_s_;                         // by job, and the contended round's at the end
  std::set<std::pair<int, int>> timer_warned_;            // job, step
  std::set<std::pair<int, std::string>> reported_notes_;  // job and text
  std::optional<std::string> fault_;                      // what a listener could not do
  LinkCounters* links_ = nullptr;
};

// What a job's record says, but for its ranks; no MPI. Also for `describe`.
JobRecord describe_job(const workload::Job& job, int index, int ranks);
LibraryRecord describe_library();

}  // namespace stressbench::scheduler
