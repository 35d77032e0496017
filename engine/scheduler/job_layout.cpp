#include "scheduler/job_layout.hpp"

#include <algorithm>

#include "scheduler/chain.hpp"

namespace stressbench::scheduler {
namespace {

struct Role {
  int job = -1;
  int position = 0;  // of the node in the job's list; ranks of a job are numbered in this order
};

// The job that uses this rank's slot on this rank's node.
Role role_of(const Machine& machine, const workload::Workload& workload) {
  int first_slot = 0;
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    const workload::Job& job = workload.jobs[i];
    const auto at = std::find(job.nodes->begin(), job.nodes->end(), machine.my_node);
    if (at == job.nodes->end()) continue;
    const Role role{static_cast<int>(i), static_cast<int>(at - job.nodes->begin())};
    if (!job.ranks_per_node) return role;
    if (machine.my_slot < first_slot + *job.ranks_per_node) return role;
    first_slot += *job.ranks_per_node;
    if (!job.shared) return {};
  }
  return {};
}

// World rank 0 is the root of its own job, so that it never has to send to itself.
int choose_root(const mpi::Group& world, const mpi::Group& job_comm) {
  int root = world.rank() == 0 ? job_comm.rank() : -1;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &root, 1, MPI_INT, MPI_MAX, job_comm.handle()), "MPI_Allreduce");
  return std::max(root, 0);
}

}  // namespace

int job_of_this_rank(const Machine& machine, const workload::Workload& workload) {
  return role_of(machine, workload).job;
}

JobLayout lay_out_jobs(const mpi::Group& world, const Machine& machine, const workload::Workload& workload,
                       const std::optional<Chain>& own_chain) {
  const Role role = role_of(machine, workload);
  JobLayout layout;
  layout.job = role.job;
  layout.job_comm = world.split(role.job >= 0 ? role.job : MPI_UNDEFINED, role.position);
  layout.active_ranks = world.split(role.job >= 0 ? 0 : MPI_UNDEFINED, world.rank());
  if (layout.job_comm) {
    layout.root = choose_root(world, layout.job_comm);
    layout.step_comms = make_groups(layout.job_comm, *own_chain);
  }
  layout.roots = world.split(layout.is_root() ? 0 : MPI_UNDEFINED, world.rank());
  const auto jobs = workload.jobs.size();
  std::vector<int> local_values(2 * jobs, -1);
  if (layout.is_root()) {
    local_values[static_cast<std::size_t>(layout.job)] = world.rank();
    local_values[jobs + static_cast<std::size_t>(layout.job)] = layout.job_comm.size();
  }
  std::vector<int> reduced_values(local_values);
  mpi::check(MPI_Reduce(local_values.data(), reduced_values.data(), static_cast<int>(local_values.size()), MPI_INT,
                        MPI_MAX, 0, world.handle()),
             "MPI_Reduce");
  if (world.rank() == 0) {
    layout.root_ranks.assign(reduced_values.begin(), reduced_values.begin() + static_cast<std::ptrdiff_t>(jobs));
    layout.sizes.assign(reduced_values.begin() + static_cast<std::ptrdiff_t>(jobs), reduced_values.end());
  }
  return layout;
}

}  // namespace stressbench::scheduler
