#include "scheduler/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/host.hpp"
#include "core/progress.hpp"
#include "scheduler/interrupt.hpp"
#include "scheduler/sleeping_barrier.hpp"
#include "scheduler/step_sample_selection.hpp"

namespace stressbench::scheduler {

struct Session::Order {
  std::int32_t stop = 0;
  std::int32_t reason = 0;
  Round round;
};

namespace {

// Time that a repetition must take so that a rank moves no more than the job's rate, on average.
std::int64_t period_of(const Chain& chain, int ranks, Bytes rate) {
  double bytes = 0;
  for (const ChainStep& step : chain.steps()) {
    const Traffic traffic = step.motif->traffic(ranks);
    bytes += static_cast<double>(traffic.message_bytes + traffic.collective_bytes + traffic.file_bytes) *
             static_cast<double>(step.motif->iterations() * step.executions);
  }
  return std::llround(bytes / ranks / static_cast<double>(rate.value) * 1e9);
}

template <class Condition>
std::vector<int> jobs_where(const workload::Workload& workload, Condition holds) {
  std::vector<int> jobs;
  for (int i = 0; i < static_cast<int>(workload.jobs.size()); ++i) {
    if (holds(workload.jobs[static_cast<std::size_t>(i)], i)) jobs.push_back(i);
  }
  return jobs;
}

bool is_measured(const workload::Job& job, int) { return job.role == workload::Role::measured; }
bool needs_serial_setup(const workload::Job& job, int number) { return Chain{job, number}.needs_serial_setup(); }

}  // namespace

Session::Session(const mpi::Group& world, const Clock& clock, const Machine& machine,
                 const workload::Workload& workload, const RunOptions& options, std::vector<Listener*> listeners,
                 ImpactTracker& tracker, EarlierLaunches earlier)
    : world_(world),
      clock_(clock),
      machine_(machine),
      workload_(workload),
      options_(options),
      listeners_(std::move(listeners)),
      tracker_(tracker),
      earlier_(earlier),
      layout_(lay_out_jobs(world, machine, workload)),
      measured_(jobs_where(workload, is_measured)),
      serial_setup_jobs_(jobs_where(workload, needs_serial_setup)),
      plan_(measured_, options.counts, options.seed),
      longest_s_(workload.jobs.size() + 1, 0) {
  interrupt::RankStatus& here = interrupt::rank_status();
  here.rank = world.rank();
  if (layout_.job >= 0) here.job = interrupt::interned(workload.jobs[static_cast<std::size_t>(layout_.job)].name);
  here.reports_signals = layout_.job >= 0 && layout_.control.rank() < 2;
  if (world.rank() != 0) return;
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    jobs_.push_back(describe_job(workload.jobs[i], static_cast<int>(i), layout_.sizes[i]));
    if (!workload.jobs[i].repeat) jobs_.back().repeat = options.repetitions;
    if (!jobs_.back().min_time_s && options.min_time) jobs_.back().min_time_s = options.min_time->seconds();
  }
}

// A listener that fails must not keep rank 0 from taking part in what the others do: the first failure is kept and ends
// the run.
template <class Say>
void Session::notify(Say report) {
  for (Listener* listener : listeners_) {
    try {
      if (!fault_) report(*listener);
    } catch (const MachineFault& fault) {
      fault_ = fault.what();
    }
  }
}

double Session::elapsed_s() const { return static_cast<double>(clock_.now_ns() - start_ns_) * 1e-9; }

EndReason Session::run(const std::vector<std::string>& command, const std::string& workload_text) {
  start_ns_ = clock_.now_ns();
  completed_ = earlier_.rounds;
  if (world_.rank() == 0) {
    const Header header = make_header(command, workload_text);
    clock_overhead_s_ = header.clock.overhead_s;
    notify([&](Listener& listener) { listener.on_header(header); });
  }
  for (;;) {
    Order order = next_order();
    // Rank 0 has a file on its way to a disk: those who spin meanwhile, at real-time priority perhaps, keep it waiting.
    sleeping_barrier(world_, WaitPhase::arriving);
    mpi::must(MPI_Bcast(&order, static_cast<int>(sizeof(order)), MPI_BYTE, 0, world_.handle()), "MPI_Bcast");
    if (order.stop != 0) {
      const auto reason = static_cast<EndReason>(order.reason);
      const bool complete = reason == EndReason::done || reason == EndReason::interval_reached;
      if (world_.rank() == 0)
        notify([&](Listener& listener) { listener.on_end({complete, reason, completed_, elapsed_s()}); });
      return reason_at_the_end(reason);
    }
    execute(order.round);
    ++completed_;
    gather_interrupts();
  }
}

// That the file lacks its last line only rank 0 knows.
EndReason Session::reason_at_the_end(EndReason reason) const {
  int failed = fault_ ? 1 : 0;
  sleeping_barrier(world_, WaitPhase::arriving);
  mpi::must(MPI_Bcast(&failed, 1, MPI_INT, 0, world_.handle()), "MPI_Bcast");
  return failed != 0 ? EndReason::fault : reason;
}

Header Session::make_header(const std::vector<std::string>& command, const std::string& workload_text) const {
  Header header;
  header.launch = earlier_.launch;
  header.run_id = options_.run_id;
  header.command = command;
  header.seed = options_.seed;
  header.mpi = describe_library();
  header.machine = &machine_;
  header.workload_path = workload_.path;
  header.workload_text = workload_text;
  header.jobs = jobs_;
  header.plan.counts = options_.counts;
  header.plan.warmup = options_.warmup;
  header.plan.finish = options_.finish;
  header.plan.until_interval = options_.until_interval;
  if (options_.time_limit) header.plan.time_limit_s = options_.time_limit->seconds();
  header.plan.placement = options_.placement;
  header.plan.verify = options_.verification == Verification::on;
  header.clock = measure(clock_);
  header.load_average = host::load_average();
  header.simulation = simulation();
  return header;
}

// On rank 0: the next round, or the reason to stop.
Session::Order Session::next_order() {
  Order order;
  if (world_.rank() != 0) return order;
  while (queue_.empty() && next_block_ < plan_.blocks()) {
    if (options_.until_interval && next_block_ > 0 &&
        IntervalRule{*options_.until_interval, measured_}.satisfied(tracker_)) {
      stop(EndReason::interval_reached, order);
      return order;
    }
    for (const Round& round : plan_.block(next_block_++)) {
      if (round.number > earlier_.rounds) queue_.push_back(round);
    }
  }
  if (fault_) {
    stop(EndReason::fault, order);
  } else if (queue_.empty()) {
    stop(EndReason::done, order);
  } else if (interrupted_ != 0 || interrupt::requested()) {
    stop(EndReason::interrupted, order);
  } else if (time_is_up(queue_.front())) {
    stop(EndReason::time_limit, order);
  } else {
    order.round = queue_.front();
    queue_.erase(queue_.begin());
    notify([&](Listener& listener) { listener.on_round_start(order.round, plan_.size()); });
  }
  return order;
}

void Session::stop(EndReason reason, Order& order) const {
  order.stop = 1;
  order.reason = static_cast<std::int32_t>(reason);
}

// A round is not begun when it would, as long as the longest of its kind so far, end after the limit.
bool Session::time_is_up(const Round& round) const {
  if (!options_.time_limit) return false;
  const double expected = round.job < 0 ? longest_s_.back() : longest_s_[static_cast<std::size_t>(round.job)];
  return elapsed_s() + 1.1 * expected > options_.time_limit->seconds();
}

bool Session::active(const Round& round) const noexcept {
  return layout_.job >= 0 && (round.kind == RoundKind::contended || round.job == layout_.job);
}

Assignment Session::assignment(const Chain& chain) const {
  const workload::Job& job = workload_.jobs[static_cast<std::size_t>(layout_.job)];
  Assignment assigned;
  assigned.warmup = options_.warmup;
  assigned.repeat = job.repeat.value_or(options_.repetitions);
  assigned.min_time = job.min_time ? job.min_time : options_.min_time;
  assigned.background = job.role == workload::Role::background;
  assigned.finish = options_.finish;
  assigned.verification = options_.verification;
  assigned.throttle.load = job.load.value_or(1);
  if (job.rate) assigned.throttle.period_ns = period_of(chain, layout_.control.size(), *job.rate);
  return assigned;
}

void Session::execute(const Round& round) {
  interrupt::rank_status().round = round.number;
  progress::moved();
  Collection collection{world_};
  RoundRecord record{round, 0, 0, std::nullopt, {}, std::nullopt};
  {
    std::optional<Chain> chain;
    std::optional<SampleBuffer> samples;
    if (active(round)) {
      const workload::Job& job = workload_.jobs[static_cast<std::size_t>(layout_.job)];
      chain.emplace(job, layout_.job);
      samples.emplace(chain->columns(), SampleBuffer::default_capacity,
                      is_measured(job, layout_.job) ? OpenEndedPhases::extra_only : OpenEndedPhases::measured_too);
    }
    decompose(chain ? &*chain : nullptr, round);
    const auto before = look_at_links(round);
    sleeping_barrier(world_, WaitPhase::arriving);
    record.started_s = elapsed_s();
    if (chain) {
      const bool contended = round.kind == RoundKind::contended;
      CompletionBarrier completion{layout_.is_root() ? &layout_.roots : nullptr};
      (contended ? layout_.busy : layout_.control).barrier();
      run_round(*chain, *samples, layout_.job_group(), clock_, assignment(*chain), contended ? &completion : nullptr);
    }
    sleeping_barrier(world_, WaitPhase::parked);
    record.duration_s = elapsed_s() - record.started_s;
    const auto after = look_at_links(round);
    if (before && after) record.links = growth(*before, *after);
    if (chain) {
      chain->finish(round.number);
      collection.contribute(layout_.job_group(), *samples, *chain);
    }
  }
  if (world_.rank() == 0) report_results(std::move(record), collection);
}

// Where they cannot tell once, they are not asked again.
std::optional<LinkCounts> Session::look_at_links(const Round& round) {
  if (links_ == nullptr) return std::nullopt;
  try {
    return links_->look();
  } catch (const MachineFault& fault) {
    links_ = nullptr;
    const Event event{Severity::warning, "link_counters", fault.what(), round.number, std::nullopt};
    notify([&](Listener& listener) { listener.on_event(event); });
    return std::nullopt;
  }
}

// First the jobs that must be alone for it, one after the other; then all others at once.
void Session::decompose(Chain* chain, const Round& round) {
  // Both kinds of a block's rounds draw the same numbers: what differs between them is the company.
  const std::uint64_t seed = options_.seed ^ (0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(round.block + 1));
  const RunContext place{options_.run_id, options_.launch, machine_.my_node};
  bool done = chain == nullptr;
  for (const int job : serial_setup_jobs_) {
    if (round.kind != RoundKind::contended) break;
    if (!done && job == layout_.job) {
      chain->decompose(layout_.steps, place, seed);
      done = true;
    }
    sleeping_barrier(world_, WaitPhase::arriving);
  }
  if (!done) chain->decompose(layout_.steps, place, seed);
}

void Session::report_results(RoundRecord record, Collection& collection) {
  const Round& round = record.round;
  const auto report_one = [&](int job) {
    const Collection::Result result =
        collection.receive({job, layout_.leaders[static_cast<std::size_t>(job)], nullptr});
    record.jobs.push_back({job, result.repetitions});
    report_job(round, job, result);
  };
  if (active(round)) report_one(layout_.job);
  for (int job = 0; job < static_cast<int>(jobs_.size()); ++job) {
    if (job != layout_.job && (round.job < 0 || round.job == job)) report_one(job);
  }
  if (const auto load = host::load_average()) record.load_average = (*load)[0];
  double& longest = round.job < 0 ? longest_s_.back() : longest_s_[static_cast<std::size_t>(round.job)];
  longest = std::max(longest, record.duration_s);
  notify([&](Listener& listener) { listener.on_round(record); });
}

void Session::report_job(const Round& round, int job, const Collection::Result& result) {
  const JobRecord& known = jobs_[static_cast<std::size_t>(job)];
  const std::size_t columns = result.heads.empty() ? 0 : result.cells.size() / result.heads.size();
  const StepSampleSelection parts{result.heads, known.steps.size(), round.block};
  for (std::size_t row = 0; row < result.heads.size(); ++row) {
    const Spread* cell = &result.cells[row * columns];
    Sample whole{round.number, job, std::nullopt, result.heads[row], 1, *cell++, {}};
    notify([&](Listener& listener) { listener.on_sample(whole); });
    const Spread* metric = cell + known.steps.size();
    for (std::size_t i = 0; i < known.steps.size(); ++i) {
      const StepRecord& step = known.steps[i];
      Sample part{round.number, job, static_cast<int>(i), result.heads[row], step.executions * step.iterations,
                  *cell++,      {}};
      for (const MetricRecord& known_metric : step.metrics) {
        part.metrics.push_back({known_metric.name, *metric, metric->worst_rank(known_metric.better)});
        ++metric;
      }
      check_timer(part);
      if (parts.keeps(row)) notify([&](Listener& listener) { listener.on_sample(part); });
    }
  }
  for (HistogramRecord histogram : result.histograms) {
    histogram.round = round.number;
    histogram.job = job;
    const StepRecord& step = known.steps[static_cast<std::size_t>(histogram.step)];
    histogram.quantity = histogram.own ? step.histograms[static_cast<std::size_t>(*histogram.own)] : step.quantity;
    notify([&](Listener& listener) { listener.on_histogram(histogram); });
  }
  report_notes(round, job, result.notes);
  report_thinning(round, job, result, parts.stride());
}

// A reader must know what is not in the file.
void Session::report_thinning(const Round& round, int job, const Collection::Result& result,
                              std::int64_t parts_stride) {
  const auto report = [&](std::string message) {
    const Event event{Severity::note, "samples_thinned", std::move(message), round.number, job};
    notify([&](Listener& listener) { listener.on_event(event); });
  };
  if (result.stride > 1) {
    report(fmt::format("{} repetitions are too many to keep each: every {}th is in the file; histograms hold all",
                       result.repetitions[1], result.stride));
  }
  if (result.extra_stride > 1) {
    report(fmt::format("{} extra repetitions are too many to keep each: every {}th is in the file",
                       result.repetitions[2], result.extra_stride));
  }
  if (parts_stride > 1) {
    report(
        fmt::format("{} motifs are too many to keep each time of each: every {}th repetition has theirs in the file; "
                    "histograms hold all",
                    jobs_[static_cast<std::size_t>(job)].steps.size(), parts_stride));
  }
}

void Session::report_notes(const Round& round, int job, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    if (!reported_notes_.emplace(job, note).second) continue;
    const Event event{Severity::note, "motif_remark", note, round.number, job};
    notify([&](Listener& listener) { listener.on_event(event); });
  }
}

// A reader must know when the clock's own cost is more than 1 % of what it measured.
void Session::check_timer(const Sample& sample) {
  const StepRecord& step = jobs_[static_cast<std::size_t>(sample.job)].steps[static_cast<std::size_t>(*sample.step)];
  const std::int64_t regions = step.timer == Timer::iteration ? sample.iterations : step.executions;
  if (sample.time.slowest_rank < 0 || sample.head.phase != Phase::measured) return;
  const double region_s = sample.time.min / static_cast<double>(regions);
  if (clock_overhead_s_ < 0.01 * region_s || !timer_warned_.emplace(sample.job, *sample.step).second) return;
  const Event event{
      Severity::warning, "timer_resolution",
      fmt::format("step {} ({}): a reading of the clock takes {:.0f} ns, more than 1 % of the {:.0f} ns it timed; "
                  "raise -i and use --timer loop",
                  *sample.step, step.motif, clock_overhead_s_ * 1e9, region_s * 1e9),
      sample.round, sample.job};
  notify([&](Listener& listener) { listener.on_event(event); });
}

// A signal may have reached any rank.
void Session::gather_interrupts() {
  const int mine = interrupt::requested() ? 1 : 0;
  int any = mine;
  mpi::must(MPI_Reduce(&mine, &any, 1, MPI_INT, MPI_MAX, 0, world_.handle()), "MPI_Reduce");
  if (world_.rank() == 0) interrupted_ = any;
}

}  // namespace stressbench::scheduler
