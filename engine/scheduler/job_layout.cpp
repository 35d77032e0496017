#include "scheduler/job_layout.hpp"

#include <algorithm>

#include "scheduler/chain.hpp"

namespace stressbench::scheduler {
namespace {

// World rank 0 is the root of its own job, so that it never has to send to itself.
int choose_root(const mpi::Group& world, const mpi::Group& job_comm) {
  int root = world.rank() == 0 ? job_comm.rank() : -1;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &root, 1, MPI_INT, MPI_MAX, job_comm.handle()), "MPI_Allreduce");
  return std::max(root, 0);
}

}  // namespace

std::vector<Role> roles_of_ranks(const Machine& machine, const workload::Workload& workload) {
  const RanksOfNodes ranks_of_nodes(machine);
  std::vector<Role> roles(machine.node_of_rank.size());
  std::vector<std::size_t> used(machine.table.size(), 0);  // ranks of each node that earlier jobs have
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    const workload::Job& job = workload.jobs[i];
    int position = 0;
    for (const int node : *job.nodes) {
      const Role role{static_cast<int>(i), position++};
      if (node >= machine.nodes) continue;
      std::size_t& first = used[static_cast<std::size_t>(node)];
      const auto available = ranks_of_nodes.of(node).subspan(first);
      const auto wanted = static_cast<std::size_t>(job.ranks_per_node.value_or(machine.ranks));
      const auto taken = available.first(std::min(available.size(), wanted));
      for (const int rank : taken) roles[static_cast<std::size_t>(rank)] = role;
      first += taken.size();
    }
  }
  return roles;
}

Role role_of_this_rank(const mpi::Group& world, const Machine& machine, const workload::Workload& workload) {
  std::vector<Role> roles;
  if (world.rank() == 0) roles = roles_of_ranks(machine, workload);
  Role own;
  const int bytes = static_cast<int>(sizeof(Role));
  mpi::check(MPI_Scatter(roles.data(), bytes, MPI_BYTE, &own, bytes, MPI_BYTE, 0, world.handle()), "MPI_Scatter");
  return own;
}

JobLayout lay_out_jobs(const mpi::Group& world, const Role& role, std::size_t jobs,
                       const std::optional<Chain>& own_chain) {
  JobLayout layout;
  layout.job = role.job;
  layout.job_comm = world.split(role.job >= 0 ? role.job : MPI_UNDEFINED, role.position);
  layout.active_ranks = world.split(role.job >= 0 ? 0 : MPI_UNDEFINED, world.rank());
  if (layout.job_comm) {
    layout.root = choose_root(world, layout.job_comm);
    layout.step_comms = make_groups(layout.job_comm, *own_chain);
  }
  layout.roots = world.split(layout.is_root() ? 0 : MPI_UNDEFINED, world.rank());
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
