#include "scheduler/chain.hpp"

#include <algorithm>
#include <cmath>

#include "core/progress.hpp"
#include "core/suggest.hpp"
#include "motifs/serial_setup.hpp"
#include "scheduler/rank_status.hpp"
#include "scheduler/streams.hpp"

namespace stressbench::scheduler {

Chain::Chain(const workload::Job& job, int job_index) : job_index_(job_index) {
  append(job.steps, 1, nodes_);
  times_ns_.resize(steps_.size());
}

void Chain::append(const std::vector<workload::Step>& steps, std::int64_t executions, std::vector<ChainNode>& nodes) {
  for (const workload::Step& step : steps) {
    if (const auto* call = std::get_if<workload::MotifCall>(&step)) {
      append_motif(*call, executions, nodes);
    } else {
      const auto& loop = std::get<workload::Loop>(step);
      ChainNode node{-1, loop.count, {}};
      append(loop.steps, executions * loop.count, node.body);
      nodes.push_back(std::move(node));
    }
  }
}

void Chain::append_motif(const workload::MotifCall& call, std::int64_t executions, std::vector<ChainNode>& nodes) {
  std::unique_ptr<Motif> motif = MotifCatalogue::instance().make(call.name);
  if (!motif) throw UserMistake("unknown motif '" + call.name + "'");
  workload::configure(*motif, call);
  std::vector<std::unique_ptr<Motif>> parts = motif->parts();
  if (parts.empty()) {
    parts.push_back(std::move(motif));
  } else {
    series_.push_back({std::move(motif), steps_.size()});
  }
  for (auto& part : parts) {
    nodes.push_back({static_cast<int>(steps_.size()), 1, {}});
    ChainStep& step = steps_.emplace_back();
    step.name = lower_case(call.name);
    step.interned_name = interned(step.name);
    step.motif = std::move(part);
    step.executions = executions;
  }
}

bool Chain::needs_serial_setup() const noexcept {
  return std::ranges::any_of(
      steps_, [](const ChainStep& step) { return dynamic_cast<const SerialSetup*>(step.motif.get()) != nullptr; });
}

void Chain::decompose(const std::vector<mpi::Group>& groups, const RunContext& context, std::uint64_t seed) {
  groups_ = &groups;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    rank_status().motif = steps_[i].interned_name;
    progress::advance();
    const Draw draws{seed, streams::of_step(job_index_, static_cast<int>(i)),
                     static_cast<std::uint32_t>(groups[i].rank()), 0};
    steps_[i].motif->bind(context);
    steps_[i].motif->decompose(groups[i], draws);
  }
}

void Chain::finish(int round) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    rank_status().motif = steps_[i].interned_name;
    steps_[i].motif->finish((*groups_)[i], round);
  }
  rank_status().motif = nullptr;
}

void Chain::cleanup() {
  std::vector<std::unique_ptr<Motif>> fresh(steps_.size());
  for (const Series& series : series_) {
    std::ranges::move(series.motif->parts(), fresh.begin() + static_cast<std::ptrdiff_t>(series.first_step));
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    ChainStep& step = steps_[i];
    if (!fresh[i]) {
      fresh[i] = MotifCatalogue::instance().make(step.name);
      fresh[i]->copy_values(*step.motif);
    }
    step.motif = std::move(fresh[i]);
    step.durations = {};
    step.executed = 0;
  }
  groups_ = nullptr;
  phase_ = Phase::measured;
}

std::vector<std::string> Chain::notes() const {
  std::vector<std::string> all;
  for (const ChainStep& step : steps_) {
    for (const std::string& note : step.motif->notes()) all.push_back(step.name + ": " + note);
  }
  return all;
}

std::size_t Chain::columns() const noexcept {
  std::size_t metrics = 0;
  for (const ChainStep& step : steps_) metrics += step.motif->measured().size();
  return 1 + steps_.size() + metrics;
}

void Chain::repeat(const Clock& clock, SampleBuffer& samples, Phase phase, StartBarrier start_barrier,
                   Verification verification) {
  set_phase(phase);
  start_barrier_ = start_barrier;
  verification_ = verification;
  std::fill(times_ns_.begin(), times_ns_.end(), 0);
  untimed_ns_ = 0;
  Recorder recorder{clock};
  const std::int64_t start = clock.now_ns();
  run(nodes_, recorder);
  const std::int64_t end = clock.now_ns();
  store(end - start - untimed_ns_, samples, phase);
}

// Opens the motifs' histograms in the measured phase and closes them in others: like the histograms of the steps, they
// hold measured repetitions only.
void Chain::set_phase(Phase phase) {
  if (phase == phase_) return;
  phase_ = phase;
  for (const ChainStep& step : steps_) {
    for (MotifHistogram* histogram : step.motif->histograms()) {
      phase == Phase::measured ? histogram->open() : histogram->close();
    }
  }
}

void Chain::run(const std::vector<ChainNode>& nodes, Recorder& recorder) {
  for (const ChainNode& node : nodes) {
    if (node.step >= 0) {
      execute(node.step, recorder);
    } else {
      for (std::int64_t i = 0; i < node.count; ++i) run(node.body, recorder);
    }
  }
}

// Executes one step. The engine's work around it (prepare, start barrier, payload, verification, metrics) is excluded
// from the times of the step and of the job.
void Chain::execute(int index, Recorder& recorder) {
  const auto at = static_cast<std::size_t>(index);
  ChainStep& step = steps_[at];
  rank_status().motif = step.interned_name;
  progress::advance();
  const std::int64_t start = recorder.now_ns();
  step.motif->prepare(step.executed);
  if (start_barrier_ == StartBarrier::before_each_step) (*groups_)[at].barrier();
  untimed_ns_ += recorder.now_ns() - start;
  times_ns_[at] += verification_ == Verification::on ? iterate_verified(step, recorder) : iterate(step, recorder);
  step.executed += static_cast<std::uint64_t>(step.motif->iterations());
  const std::int64_t end = recorder.now_ns();
  step.motif->reduce_metrics();
  untimed_ns_ += recorder.now_ns() - end;
}

void Chain::mark_for_tracers() noexcept {
  marked_for_tracers_ = true;
  MPI_Pcontrol(0);
}

std::int64_t Chain::iterate(ChainStep& step, Recorder& recorder) {
  if (!marked_for_tracers_ || phase_ != Phase::measured) return iterate_unverified(step, recorder);
  MPI_Pcontrol(1);
  const std::int64_t time_ns = iterate_unverified(step, recorder);
  MPI_Pcontrol(0);
  return time_ns;
}

std::int64_t Chain::iterate_unverified(ChainStep& step, Recorder& recorder) {
  Motif& motif = *step.motif;
  const std::int64_t iterations = motif.iterations();
  if (motif.timer() == Timer::iteration || iterations == 1) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < iterations; ++i) {
      const std::int64_t start = recorder.now_ns();
      motif.perform(recorder);
      const std::int64_t duration = recorder.now_ns() - start;
      record_duration(step, duration);
      sum += duration;
    }
    return sum;
  }
  const std::int64_t start = recorder.now_ns();
  for (std::int64_t i = 0; i < iterations; ++i) motif.perform(recorder);
  return recorder.now_ns() - start;
}

std::int64_t Chain::iterate_verified(ChainStep& step, Recorder& recorder) {
  Motif& motif = *step.motif;
  const std::int64_t begin = recorder.now_ns();
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < motif.iterations(); ++i) {
    const std::uint64_t pass = step.executed + static_cast<std::uint64_t>(i);
    motif.fill_payload(pass);
    const std::int64_t start = recorder.now_ns();
    motif.perform(recorder);
    const std::int64_t duration = recorder.now_ns() - start;
    motif.verify(pass);
    record_duration(step, duration);
    sum += duration;
  }
  untimed_ns_ += recorder.now_ns() - begin - sum;
  return sum;
}

void Chain::record_duration(ChainStep& step, std::int64_t duration_ns) const {
  if (phase_ != Phase::measured || !step.motif->is_timed()) return;
  step.durations.record(std::llround(static_cast<double>(duration_ns) * step.motif->quantity_scale()));
}

void Chain::store(std::int64_t job_ns, SampleBuffer& samples, Phase phase) {
  const std::span<double> row = samples.next();
  std::size_t column = 0;
  row[column++] = static_cast<double>(job_ns) * 1e-9;
  for (const std::int64_t time_ns : times_ns_) row[column++] = static_cast<double>(time_ns) * 1e-9;
  for (const ChainStep& step : steps_) {
    for (Metric* metric : step.motif->measured()) row[column++] = metric->take();
  }
  samples.commit(phase);
}

std::vector<mpi::Group> make_groups(const mpi::Group& job, const Chain& chain) {
  std::vector<mpi::Group> groups;
  for (std::size_t i = 0; i < chain.steps().size(); ++i) groups.push_back(job.duplicate());
  return groups;
}

}  // namespace stressbench::scheduler
