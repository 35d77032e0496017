#include "scheduler/session.hpp"

#include <fmt/format.h>

#include "core/host.hpp"
#include "core/progress.hpp"
#include "scheduler/describe.hpp"
#include "scheduler/peak_memory.hpp"
#include "scheduler/rank_status.hpp"
#include "scheduler/sleeping_barrier.hpp"

namespace stressbench::scheduler {
namespace {

std::optional<Chain> build_chain(const workload::Workload& workload, int job) {
  if (job < 0) return std::nullopt;
  return Chain{workload.jobs[static_cast<std::size_t>(job)], job};
}

bool is_measured(const workload::Job& job) { return job.role == workload::Role::measured; }

std::vector<int> measured_jobs(const workload::Workload& workload) {
  std::vector<int> jobs;
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    if (is_measured(workload.jobs[i])) jobs.push_back(static_cast<int>(i));
  }
  return jobs;
}

}  // namespace

Session::Session(const mpi::Group& world, const Clock& clock, const Machine& machine,
                 const workload::Workload& workload, const RunOptions& options, std::vector<Listener*> listeners,
                 ImpactTracker& tracker, EarlierLaunches earlier)
    : Session(world, clock, machine, workload, options, std::move(listeners), tracker, earlier,
              own_part(world, machine, workload)) {}

Session::OwnPart Session::own_part(const mpi::Group& world, const Machine& machine,
                                   const workload::Workload& workload) {
  const Role role = role_of_this_rank(world, machine, workload);
  return {role, build_chain(workload, role.job)};
}

Session::Session(const mpi::Group& world, const Clock& clock, const Machine& machine,
                 const workload::Workload& workload, const RunOptions& options, std::vector<Listener*> listeners,
                 ImpactTracker& tracker, EarlierLaunches earlier, OwnPart own)
    : world_(world),
      clock_(clock),
      machine_(machine),
      workload_(workload),
      options_(options),
      tracker_(tracker),
      earlier_(earlier),
      layout_(lay_out_jobs(world, own.role, workload.jobs.size(), own.chain)),
      chain_(std::move(own.chain)),
      measured_jobs_(measured_jobs(workload)),
      queue_(Plan{measured_jobs_, options.counts, options.seed}, earlier.rounds),
      time_limit_(options.time_limit, workload.jobs.size()),
      reporter_(std::move(listeners)) {
  RankStatus& status = rank_status();
  status.rank = world.rank();
  if (layout_.job >= 0) {
    status.job = interned(own_job().name);
    status.job_number = layout_.job;
  }
  status.reports_signals = layout_.job >= 0 && layout_.job_comm.rank() < 2;
  describe_jobs();
  if (chain_) assignment_ = make_assignment();
  if (chain_ && options_.marked_for_tracers) chain_->mark_for_tracers();
}

// Rank 0 builds the chain of one job after another for the records, and broadcasts which jobs have a serial setup. The
// other ranks build the chain of their own job only.
void Session::describe_jobs() {
  std::vector<int> serial_setup(workload_.jobs.size(), 0);
  for (std::size_t i = 0; i < workload_.jobs.size() && world_.rank() == 0; ++i) {
    const workload::Job& job = workload_.jobs[i];
    const auto number = static_cast<int>(i);
    std::optional<Chain> other;
    const Chain& chain = number == layout_.job ? *chain_ : other.emplace(job, number);
    serial_setup[i] = chain.needs_serial_setup() ? 1 : 0;
    JobRecord& record = jobs_.emplace_back(describe_job(job, chain, layout_.sizes[i]));
    if (!job.repeat) record.repeat = options_.repetitions;
    if (!record.min_time_s && options_.min_time) record.min_time_s = options_.min_time->seconds();
  }
  sleeping_barrier(world_, WaitPhase::arriving);  // ranks that spin would delay rank 0
  mpi::check(MPI_Bcast(serial_setup.data(), static_cast<int>(serial_setup.size()), MPI_INT, 0, world_.handle()),
             "MPI_Bcast");
  for (std::size_t i = 0; i < serial_setup.size(); ++i) {
    if (serial_setup[i] != 0) serial_setup_jobs_.push_back(static_cast<int>(i));
  }
}

double Session::elapsed_s() const { return static_cast<double>(clock_.now_ns() - start_ns_) * 1e-9; }

EndReason Session::run(const std::vector<std::string>& command, const std::string& workload_text) {
  start_ns_ = clock_.now_ns();
  completed_ = earlier_.rounds;
  if (world_.rank() == 0) report_header(command, workload_text);
  for (;;) {
    Decision decision = decide();
    // Rank 0 may be writing a file: ranks that spin meanwhile, perhaps at real-time priority, would delay it.
    sleeping_barrier(world_, WaitPhase::arriving);
    mpi::check(MPI_Bcast(&decision, static_cast<int>(sizeof(decision)), MPI_BYTE, 0, world_.handle()), "MPI_Bcast");
    if (decision.stop != 0) return finish(decision.reason);
    execute(decision.round);
    ++completed_;
    interruption_.gather(world_);
  }
}

// Reports the end. Rank 0 broadcasts whether a listener failed, since only rank 0 writes the file.
EndReason Session::finish(EndReason reason) {
  const bool complete = reason == EndReason::done || reason == EndReason::interval_reached;
  const std::optional<PeakMemory> memory = reduce_peak_memory(world_);
  if (world_.rank() == 0) {
    reporter_.end({complete, reason, completed_, elapsed_s(), memory});
    if (const stopping::ListenerFault fault{reporter_}; fault.reached()) reporter_.fault(fault.record(machine_));
  }
  int failed = reporter_.fault() ? 1 : 0;
  sleeping_barrier(world_, WaitPhase::arriving);
  mpi::check(MPI_Bcast(&failed, 1, MPI_INT, 0, world_.handle()), "MPI_Bcast");
  return failed != 0 ? EndReason::fault : reason;
}

// Rank 0 only.
void Session::report_header(const std::vector<std::string>& command, const std::string& workload_text) {
  Header header = describe_launch(options_, earlier_, machine_, clock_);
  header.command = command;
  header.workload_path = workload_.path;
  header.workload_text = workload_text;
  header.jobs = jobs_;
  reporter_.header(header);
}

// Rank 0 only. Loads the next block if the queue is empty.
std::optional<EndReason> Session::reason_to_stop() {
  while (queue_.is_between_blocks()) {
    if (options_.until_interval && queue_.loaded_blocks() > 0 &&
        stopping::Interval{*options_.until_interval, measured_jobs_}.reached(tracker_)) {
      return EndReason::interval_reached;
    }
    queue_.load_block();
  }
  if (stopping::ListenerFault{reporter_}.reached()) return EndReason::fault;
  if (stopping::EndOfPlan{queue_}.reached()) return EndReason::done;
  if (interruption_.reached()) return EndReason::interrupted;
  if (time_limit_.reached(queue_.front(), elapsed_s())) return EndReason::time_limit;
  return std::nullopt;
}

Session::Decision Session::decide() {
  Decision decision;
  if (world_.rank() != 0) return decision;
  if (const auto reason = reason_to_stop()) {
    decision.stop = 1;
    decision.reason = *reason;
  } else {
    decision.round = queue_.take();
    reporter_.round_starts(decision.round, queue_.planned());
  }
  return decision;
}

bool Session::is_active(const Round& round) const noexcept {
  return layout_.job >= 0 && (round.kind == RoundKind::contended || round.job == layout_.job);
}

// Collective over the job. Once per launch: the period of a rate follows from the traffic of the job, and some motifs
// take seconds to compute theirs on many ranks, which must not be a part of a round. Only the root computes it.
std::int64_t Session::throttle_period_ns(Bytes rate) const {
  std::int64_t period_ns = 0;
  if (layout_.is_root()) period_ns = Throttle::period_for(*chain_, layout_.job_comm.size(), rate);
  sleeping_barrier(layout_.job_comm, WaitPhase::arriving);  // ranks that spin would delay the root
  mpi::check(MPI_Bcast(&period_ns, 1, MPI_INT64_T, layout_.root, layout_.job_comm.handle()), "MPI_Bcast");
  return period_ns;
}

Assignment Session::make_assignment() const {
  const workload::Job& job = own_job();
  Assignment assigned;
  assigned.warmup = options_.warmup;
  assigned.repeat = job.repeat.value_or(options_.repetitions);
  assigned.min_time = job.min_time ? job.min_time : options_.min_time;
  assigned.background = job.role == workload::Role::background;
  assigned.finish = options_.finish;
  assigned.verification = options_.verification;
  assigned.throttle.load = job.load.value_or(1);
  if (job.rate) assigned.throttle.period_ns = throttle_period_ns(*job.rate);
  return assigned;
}

void Session::execute(const Round& round) {
  rank_status().round = round.number;
  progress::advance();
  const bool runs = is_active(round);
  Collection collection{world_};
  RoundRecord record{round, 0, 0, std::nullopt, {}, std::nullopt, std::nullopt};
  std::optional<SampleBuffer> samples;
  if (runs) {
    samples.emplace(chain_->columns(), SampleBuffer::default_capacity,
                    is_measured(own_job()) ? OpenEndedPhases::extra_only : OpenEndedPhases::measured_too);
  }
  decompose(round);
  if (telemetry_ != nullptr) telemetry_->begin_round();
  const auto before = read_links(round);
  sleeping_barrier(world_, WaitPhase::arriving);
  record.started_s = elapsed_s();
  if (runs) {
    const bool contended = round.kind == RoundKind::contended;
    CompletionBarrier completion{layout_.is_root() ? &layout_.roots : nullptr};
    (contended ? layout_.active_ranks : layout_.job_comm).barrier();
    run_round(*chain_, *samples, layout_.job_group(), clock_, *assignment_, contended ? &completion : nullptr);
  }
  sleeping_barrier(world_, WaitPhase::parked);
  record.duration_s = elapsed_s() - record.started_s;
  const auto after = read_links(round);
  if (before && after) record.links = counter_increase(*before, *after);
  record.telemetry = read_telemetry(round);
  if (runs) {
    chain_->finish(round.number);
    collection.contribute(layout_.job_group(), *samples, *chain_);
    chain_->cleanup();
  }
  if (world_.rank() == 0) report_results(std::move(record), collection);
}

// Reads the link counters; after a failure they are not read again.
std::optional<LinkCounts> Session::read_links(const Round& round) {
  if (links_ == nullptr) return std::nullopt;
  try {
    return links_->read();
  } catch (const MachineFault& fault) {
    links_ = nullptr;
    reporter_.event({Severity::warning, "link_counters", fault.what(), round.number, std::nullopt});
    return std::nullopt;
  }
}

// Collective. None without telemetry, and on all ranks but rank 0.
std::optional<TelemetryCounters> Session::read_telemetry(const Round& round) {
  if (telemetry_ == nullptr) return std::nullopt;
  TelemetryCounters counters = telemetry_->end_round();
  if (world_.rank() != 0) return std::nullopt;
  for (const TelemetryFault& fault : telemetry_->take_faults()) {
    const std::string others = fault.hosts == 1 ? "" : fmt::format(" and {} more hosts", fault.hosts - 1);
    reporter_.event({Severity::warning, "telemetry",
                     fmt::format("source {} {} (on {}{}); it is not read there again", fault.source, fault.reason,
                                 machine_.table[static_cast<std::size_t>(fault.node)].host, others),
                     round.number, std::nullopt});
  }
  if (telemetry_->is_truncated() && !std::exchange(truncation_reported_, true)) {
    reporter_.event({Severity::warning, "telemetry",
                     fmt::format("there are more than {} counters: some are left out; name the sources that matter "
                                 "(--telemetry)",
                                 HostTelemetry::max_counters),
                     round.number, std::nullopt});
  }
  return counters;
}

// In a contended round the jobs with serial setup decompose first, one after another, then all others at the same
// time.
void Session::decompose(const Round& round) {
  // An isolated and a contended round of the same block draw the same numbers, so that only congestion differs.
  const std::uint64_t seed = options_.seed ^ (0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(round.block + 1));
  const RunContext context{options_.run_id, options_.launch, machine_.my_node};
  bool done = !is_active(round);
  for (const int job : serial_setup_jobs_) {
    if (round.kind != RoundKind::contended) break;
    if (!done && job == layout_.job) {
      chain_->decompose(layout_.step_comms, context, seed);
      done = true;
    }
    sleeping_barrier(world_, WaitPhase::arriving);
  }
  if (!done) chain_->decompose(layout_.step_comms, context, seed);
}

void Session::report_results(RoundRecord record, Collection& collection) {
  const Round& round = record.round;
  const auto report_one = [&](int job) {
    const Collection::Result result =
        collection.receive({job, layout_.root_ranks[static_cast<std::size_t>(job)], nullptr});
    record.jobs.push_back({job, result.repetitions});
    reporter_.job(round, job, result);
  };
  if (is_active(round)) report_one(layout_.job);
  for (int job = 0; job < static_cast<int>(jobs_.size()); ++job) {
    if (job != layout_.job && (round.job < 0 || round.job == job)) report_one(job);
  }
  if (const auto load = host::load_average()) record.load_average = (*load)[0];
  time_limit_.observe(round, record.duration_s);
  reporter_.round(record);
}

}  // namespace stressbench::scheduler
