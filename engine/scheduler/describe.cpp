#include "scheduler/describe.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <cstdlib>

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
  return {fmt::format("{}.{}", major, minor), library, flavour, chosen_transports()};
}

}  // namespace stressbench::scheduler
