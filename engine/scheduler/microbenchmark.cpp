#include "scheduler/microbenchmark.hpp"

#include <algorithm>
#include <map>

#include "core/statistics.hpp"
#include "scheduler/describe.hpp"
#include "scheduler/machine.hpp"

namespace stressbench::scheduler {
namespace {

int most_frequent(const std::vector<int>& ranks) {
  std::map<int, int> counts;
  for (const int rank : ranks) ++counts[rank];
  const auto most_common =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most_common == counts.end() ? -1 : most_common->first;
}

// The motif's own metrics in the measured repetitions; `first` is the column of the first one.
std::vector<MetricSpreads> metrics_of(const StepRecord& step, std::size_t first, const Collection::Result& result) {
  const std::size_t columns = result.cells.size() / result.heads.size();
  std::vector<MetricSpreads> metrics(step.metrics.size());
  for (std::size_t i = 0; i < result.heads.size(); ++i) {
    if (result.heads[i].phase != Phase::measured) continue;
    for (std::size_t k = 0; k < metrics.size(); ++k) metrics[k].push_back(result.cells[i * columns + first + k]);
  }
  return metrics;
}

// Reduces one step's repetitions to a row. Column 1 + index holds its times.
MicroRow row_of(const StepRecord& step, std::size_t index, const Collection::Result& result) {
  MicroRow row{step, 0, 0, 0, 0, 0, 0, 0, 0, -1, std::nullopt, std::nullopt, {}};
  const std::size_t columns = result.cells.size() / result.heads.size();
  const double scale = step.quantity_scale / static_cast<double>(step.iterations);
  std::vector<double> means;
  std::vector<double> slowest;
  std::vector<int> ranks;
  for (std::size_t i = 0; i < result.heads.size(); ++i) {
    if (result.heads[i].phase != Phase::measured) continue;
    const Spread& cell = result.cells[i * columns + 1 + index];
    means.push_back(cell.mean * scale);
    slowest.push_back(cell.max * scale);
    ranks.push_back(cell.slowest_rank);
  }
  row.repetitions = static_cast<std::int64_t>(means.size());
  row.rank_mean_median_s = median(means).value_or(0);
  row.rank_max_median_s = median(slowest).value_or(0);
  row.slowest_rank = most_frequent(ranks);
  const auto histogram =
      std::find_if(result.histograms.begin(), result.histograms.end(),
                   [&](const HistogramRecord& h) { return h.step == static_cast<int>(index) && !h.own; });
  if (histogram != result.histograms.end()) {
    row.min_s = histogram->min_s;
    row.mean_s = histogram->mean_s;
    row.max_s = histogram->max_s;
    row.median_s = histogram->counts.quantile_ns(0.5) * 1e-9;
    row.p99_s = histogram->counts.quantile_ns(0.99) * 1e-9;
  } else {
    row.min_s = *std::min_element(means.begin(), means.end());
    row.max_s = *std::max_element(slowest.begin(), slowest.end());
    row.median_s = row.rank_mean_median_s;
    row.p99_s = quantile(means, 0.99).value_or(0);
    for (const double mean : means) row.mean_s += mean / static_cast<double>(means.size());
  }
  const double iteration_s = row.median_s / step.quantity_scale;  // the quantity may be a fraction of an iteration
  if (!step.bandwidth || iteration_s <= 0) return row;
  row.bandwidth_bytes_per_s = step.bandwidth->bytes / iteration_s;
  if (step.bandwidth->messages > 0) row.messages_per_s = static_cast<double>(step.bandwidth->messages) / iteration_s;
  return row;
}

// Splits the job into one job per step, so that no message size is measured with another size's data in the caches.
std::vector<workload::Job> split(const workload::Job& job) {
  std::vector<workload::Job> single;
  for (const workload::Step& step : job.steps) {
    single.push_back(job);
    single.back().steps = {step};
  }
  return single;
}

}  // namespace

MicroResult run_microbenchmark(const mpi::Group& world, const Clock& clock, const workload::Job& job,
                               const MicroOptions& options) {
  MicroResult all;
  // A duplicate, since with Intel MPI a rank in a barrier on `world` makes no progress for one-sided communication.
  const mpi::Group own = world.duplicate();
  const JobGroup job_group{0, &own, 0};
  const RunContext context{options.run_id, options.launch, discover(world, std::nullopt).my_node};
  const Assignment assignment{
      options.warmup,      options.repetitions, std::nullopt, false, Finish::once, StartBarrier::before_each_step,
      options.verification};
  for (const workload::Job& part : split(job)) {
    std::vector<mpi::Group> groups;  // must outlive the motifs, or Intel MPI crashes in MPI_Win_free
    Chain chain{part, 0};
    const JobRecord record = describe_job(part, chain, world.size());
    if (options.marked_for_tracers) chain.mark_for_tracers();
    SampleBuffer samples{chain.columns()};
    groups = make_groups(world, chain);
    chain.decompose(groups, context, options.seed);
    world.barrier();
    run_round(chain, samples, job_group, clock, assignment, nullptr);
    chain.finish(0);
    Collection collection{world};
    collection.contribute(job_group, samples, chain);
    if (world.rank() != 0) continue;
    const Collection::Result result = collection.receive({0, 0, nullptr});
    for (const std::string& note : result.notes) {
      if (std::ranges::find(all.notes, note) == all.notes.end()) all.notes.push_back(note);
    }
    std::size_t metric = 1 + record.steps.size();  // column of the step's first metric
    for (std::size_t i = 0; i < record.steps.size(); ++i) {
      all.rows.push_back(row_of(record.steps[i], i, result));
      all.rows.back().metrics = metrics_of(record.steps[i], metric, result);
      metric += record.steps[i].metrics.size();
    }
  }
  return all;
}

}  // namespace stressbench::scheduler
