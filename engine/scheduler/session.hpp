// One launch: runs rounds in the order of the plan, until the plan is done or a stopping criterion is reached.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "scheduler/host_telemetry.hpp"
#include "scheduler/impact.hpp"
#include "scheduler/job_layout.hpp"
#include "scheduler/job_round.hpp"
#include "scheduler/links.hpp"
#include "scheduler/records.hpp"
#include "scheduler/round_queue.hpp"
#include "scheduler/run_options.hpp"
#include "scheduler/run_reporter.hpp"
#include "scheduler/stopping/end_of_plan.hpp"
#include "scheduler/stopping/interruption.hpp"
#include "scheduler/stopping/interval.hpp"
#include "scheduler/stopping/listener_fault.hpp"
#include "scheduler/stopping/time_limit.hpp"

namespace stressbench::scheduler {

class Session {
 public:
  // Collective. On rank 0 `workload` has explicit nodes, which other ranks do not need. Listeners are called on rank 0
  // only, in order.
  Session(const mpi::Group& world, const Clock& clock, const Machine& machine, const workload::Workload& workload,
          const RunOptions& options, std::vector<Listener*> listeners, ImpactTracker& tracker, EarlierLaunches earlier);

  // Adds the traffic that `links` count during each round to its record. Rank 0 only.
  void set_link_counters(LinkCounters& links) noexcept { links_ = &links; }

  // Adds the counters of the hosts to the record of each round. On every rank.
  void set_telemetry(HostTelemetry& telemetry) noexcept { telemetry_ = &telemetry; }

  // Runs the launch: reports the header, the rounds and the end. Collective; returns the same reason on every rank.
  EndReason run(const std::vector<std::string>& command, const std::string& workload_text);

  // The failure of a listener (such as a full disk), if the run ended for that reason. Rank 0 only.
  const std::optional<std::string>& fault() const noexcept { return reporter_.fault(); }

 private:
  // The decision of rank 0: the next round, or the reason to stop.
  struct Decision {
    std::int32_t stop = 0;
    EndReason reason = EndReason::done;
    Round round;
  };
  // The part of this rank in the workload, and the chain of its job.
  struct OwnPart {
    Role role;
    std::optional<Chain> chain;
  };
  static OwnPart own_part(const mpi::Group& world, const Machine& machine, const workload::Workload& workload);
  Session(const mpi::Group& world, const Clock& clock, const Machine& machine, const workload::Workload& workload,
          const RunOptions& options, std::vector<Listener*> listeners, ImpactTracker& tracker, EarlierLaunches earlier,
          OwnPart own);
  void describe_jobs();
  void report_header(const std::vector<std::string>& command, const std::string& workload_text);
  std::optional<EndReason> reason_to_stop();
  Decision decide();
  EndReason finish(EndReason reason);
  void execute(const Round& round);
  bool is_active(const Round& round) const noexcept;
  const workload::Job& own_job() const { return workload_.jobs[static_cast<std::size_t>(layout_.job)]; }
  Assignment make_assignment() const;
  std::int64_t throttle_period_ns(Bytes rate) const;
  void decompose(const Round& round);
  std::optional<LinkCounts> read_links(const Round& round);
  std::optional<TelemetryCounters> read_telemetry(const Round& round);
  void report_results(RoundRecord record, Collection& collection);
  double elapsed_s() const;

  const mpi::Group& world_;
  const Clock& clock_;
  const Machine& machine_;
  const workload::Workload& workload_;
  RunOptions options_;
  ImpactTracker& tracker_;
  EarlierLaunches earlier_;
  JobLayout layout_;
  std::optional<Chain> chain_;            // of this rank's job; uses communicators of the layout
  std::optional<Assignment> assignment_;  // of this rank's job, in every round
  std::vector<int> serial_setup_jobs_;    // jobs that decompose one after another
  std::vector<int> measured_jobs_;
  std::vector<JobRecord> jobs_;  // rank 0 only
  RoundQueue queue_;
  stopping::TimeLimit time_limit_;
  stopping::Interruption interruption_;
  RunReporter reporter_;
  int completed_ = 0;
  std::int64_t start_ns_ = 0;
  LinkCounters* links_ = nullptr;
  HostTelemetry* telemetry_ = nullptr;
  bool truncation_reported_ = false;
};

}  // namespace stressbench::scheduler
