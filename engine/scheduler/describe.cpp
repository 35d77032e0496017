#include "scheduler/describe.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/host.hpp"
#include "workload/node_list.hpp"

namespace stressbench::scheduler {
namespace {

StepRecord describe_step(const ChainStep& step, int ranks) {
  Motif& motif = *step.motif;
  StepRecord record;
  record.motif = step.name;
  for (const Parameter* parameter : motif.parameters())
    record.options.emplace_back(parameter->name(), parameter->text());
  record.size = motif.message_size();
  record.executions = step.executions;
  record.iterations = motif.iterations();
  record.timer = motif.timer();
  record.quantity = motif.quantity();
  record.quantity_scale = motif.quantity_scale();
  record.bandwidth = motif.bandwidth(ranks);
  for (const Metric* metric : motif.measured()) record.metrics.push_back({metric->name(), metric->better()});
  for (const MotifHistogram* histogram : motif.histograms()) record.histograms.push_back(histogram->quantity());
  return record;
}

std::string flavour_of(const std::string& library) {
  if (library.find("Open MPI") != std::string::npos) return "openmpi";
  if (library.find("Intel(R) MPI") != std::string::npos) return "intelmpi";
  if (library.find("MPICH") != std::string::npos) return "mpich";
  return "other";
}

// Transport settings that the user made in the environment. MPI does not report what the library selected by itself.
std::optional<std::string> chosen_transports() {
  std::string text;
  for (const char* name : {"OMPI_MCA_pml", "OMPI_MCA_btl", "OMPI_MCA_mtl", "OMPI_MCA_btl_tcp_if_include",
                           "OMPI_MCA_btl_tcp_flags", "OMPI_MCA_pml_ob1_send_pipeline_depth", "UCX_TLS",
                           "UCX_NET_DEVICES", "I_MPI_FABRICS", "FI_PROVIDER", "MPIR_CVAR_CH4_NETMOD"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

JobRecord describe_job(const workload::Job& job, const Chain& chain, int ranks) {
  JobRecord record;
  record.name = job.name;
  record.role = job.role;
  if (job.nodes) record.nodes = workload::compress(*job.nodes);
  record.ranks = ranks;
  record.repeat = job.repeat.value_or(1);
  if (job.min_time) record.min_time_s = job.min_time->seconds();
  record.load = job.load;
  if (job.rate) record.rate_bytes_per_s = static_cast<double>(job.rate->value);
  for (const ChainStep& step : chain.steps()) record.steps.push_back(describe_step(step, ranks));
  return record;
}

LibraryRecord describe_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> words{};
  int length = 0;
  int major = 0;
  int minor = 0;
  MPI_Get_library_version(words.data(), &length);
  MPI_Get_version(&major, &minor);
  std::string library(words.data());
  const std::string flavour = flavour_of(library);
  library = library.substr(0, library.find('\n'));
  std::ranges::replace(library, '\t', ' ');  // which MPICH puts between "MPICH Version:" and the number
  return {fmt::format("{}.{}", major, minor), library, flavour, chosen_transports()};
}

Header describe_launch(const RunOptions& options, const EarlierLaunches& earlier, const Machine& machine,
                       const Clock& clock) {
  Header header;
  header.launch = earlier.launch;
  header.run_id = options.run_id;
  header.seed = options.seed;
  header.mpi = describe_library();
  header.machine = &machine;
  header.plan.counts = options.counts;
  header.plan.warmup = options.warmup;
  header.plan.finish = options.finish;
  header.plan.until_interval = options.until_interval;
  if (options.time_limit) header.plan.time_limit_s = options.time_limit->seconds();
  header.plan.placement = options.placement;
  header.plan.verify = options.verification == Verification::on;
  header.clock = measure(clock);
  header.load_average = host::load_average();
  header.simulation = simulation();
  return header;
}

RunOptions options_of_run(const Header& header) {
  RunOptions options;
  options.run_id = header.run_id;
  options.counts = header.plan.counts;
  options.warmup = header.plan.warmup;
  options.finish = header.plan.finish;
  options.until_interval = header.plan.until_interval;
  if (const auto limit_s = header.plan.time_limit_s) {
    options.time_limit = Nanoseconds{static_cast<std::int64_t>(*limit_s * 1e9 + 0.5)};
  }
  options.placement = header.plan.placement;
  options.verification = header.plan.verify ? Verification::on : Verification::off;
  options.seed = header.seed;
  return options;
}

}  // namespace stressbench::scheduler
