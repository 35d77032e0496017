#include "scheduler/run_reporter.hpp"

#include <fmt/format.h>

#include "scheduler/step_sample_selection.hpp"

namespace stressbench::scheduler {

template <class Call>
void RunReporter::notify(Call call) {
  for (Listener* listener : listeners_) {
    try {
      if (!fault_) call(*listener);
    } catch (const MachineFault& fault) {
      fault_ = fault.what();
    }
  }
}

void RunReporter::header(const Header& header) {
  jobs_ = header.jobs;
  clock_overhead_s_ = header.clock.overhead_s;
  notify([&](Listener& listener) { listener.on_header(header); });
}

void RunReporter::round_starts(const Round& round, int planned) {
  notify([&](Listener& listener) { listener.on_round_start(round, planned); });
}

void RunReporter::event(const Event& event) {
  notify([&](Listener& listener) { listener.on_event(event); });
}

void RunReporter::round(const RoundRecord& record) {
  notify([&](Listener& listener) { listener.on_round(record); });
}

void RunReporter::end(const End& end) {
  notify([&](Listener& listener) { listener.on_end(end); });
}

void RunReporter::fault(const Fault& fault) noexcept {
  for (Listener* listener : listeners_) {
    try {
      listener->on_fault(fault);
    } catch (const MachineFault&) {  // such as a disk that is still full; stderr reports the first failure
    }
  }
}

void RunReporter::job(const Round& round, int job, const Collection::Result& result) {
  report_samples(round, job, result);
  for (HistogramRecord histogram : result.histograms) {
    histogram.round = round.number;
    histogram.job = job;
    const StepRecord& step = jobs_[static_cast<std::size_t>(job)].steps[static_cast<std::size_t>(histogram.step)];
    histogram.quantity = histogram.own ? step.histograms[static_cast<std::size_t>(*histogram.own)] : step.quantity;
    notify([&](Listener& listener) { listener.on_histogram(histogram); });
  }
  report_notes(round, job, result.notes);
  const StepSampleSelection selection{result.heads, jobs_[static_cast<std::size_t>(job)].steps.size(), round.block};
  report_thinning(round, job, result, selection.stride());
}

void RunReporter::report_samples(const Round& round, int job, const Collection::Result& result) {
  const JobRecord& known = jobs_[static_cast<std::size_t>(job)];
  const std::size_t columns = result.heads.empty() ? 0 : result.cells.size() / result.heads.size();
  const StepSampleSelection selection{result.heads, known.steps.size(), round.block};
  for (std::size_t row = 0; row < result.heads.size(); ++row) {
    const Spread* cell = &result.cells[row * columns];
    const Sample whole{round.number, job, std::nullopt, result.heads[row], 1, *cell++, {}};
    notify([&](Listener& listener) { listener.on_sample(whole); });
    const Spread* metric = cell + known.steps.size();
    for (std::size_t i = 0; i < known.steps.size(); ++i) {
      const StepRecord& step = known.steps[i];
      Sample sample{round.number, job, static_cast<int>(i), result.heads[row], step.executions * step.iterations,
                    *cell++,      {}};
      for (const MetricRecord& known_metric : step.metrics) {
        sample.metrics.push_back({known_metric.name, *metric, metric->worst_rank(known_metric.better)});
        ++metric;
      }
      check_timer(sample);
      if (selection.is_selected(row)) notify([&](Listener& listener) { listener.on_sample(sample); });
    }
  }
}

// Reports which samples are missing in the file.
void RunReporter::report_thinning(const Round& round, int job, const Collection::Result& result,
                                  std::int64_t steps_stride) {
  const auto report = [&](std::string message) {
    event({Severity::note, "samples_thinned", std::move(message), round.number, job});
  };
  if (result.stride > 1) {
    report(fmt::format("{} repetitions are too many to store each: the file has every {}th; histograms count all",
                       result.repetitions[1], result.stride));
  }
  if (result.extra_stride > 1) {
    report(fmt::format("{} extra repetitions are too many to store each: the file has every {}th",
                       result.repetitions[2], result.extra_stride));
  }
  if (steps_stride > 1) {
    report(
        fmt::format("the times of {} motifs are too many to store for each repetition: the file has those of every "
                    "{}th; histograms count all",
                    jobs_[static_cast<std::size_t>(job)].steps.size(), steps_stride));
  }
}

void RunReporter::report_notes(const Round& round, int job, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    if (!reported_notes_.emplace(job, note).second) continue;
    event({Severity::note, "motif_remark", note, round.number, job});
  }
}

// Warns if a clock reading costs more than 1 % of a timed region.
void RunReporter::check_timer(const Sample& sample) {
  const StepRecord& step = jobs_[static_cast<std::size_t>(sample.job)].steps[static_cast<std::size_t>(*sample.step)];
  const std::int64_t regions = step.timer == Timer::iteration ? sample.iterations : step.executions;
  if (sample.time.slowest_rank < 0 || sample.head.phase != Phase::measured) return;
  const double region_s = sample.time.min / static_cast<double>(regions);
  if (clock_overhead_s_ < 0.01 * region_s || !timer_warned_.emplace(sample.job, *sample.step).second) return;
  event({Severity::warning, "timer_resolution",
         fmt::format("step {} ({}): reading the clock takes {:.0f} ns, more than 1 % of the {:.0f} ns measured; "
                     "increase -i and use --timer loop",
                     *sample.step, step.motif, clock_overhead_s_ * 1e9, region_s * 1e9),
         sample.round, sample.job});
}

}  // namespace stressbench::scheduler
