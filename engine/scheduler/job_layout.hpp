// The mapping of ranks to jobs, with the jobs' communicators and roots. Created once per launch.
#pragma once

#include <optional>
#include <vector>

#include "mpi/group.hpp"
#include "scheduler/collect.hpp"
#include "scheduler/machine.hpp"
#include "workload/model.hpp"

namespace stressbench::scheduler {

struct JobLayout {
  int job = -1;                        // of this rank; -1: parked in all rounds
  mpi::Group job_comm;                 // the job's ranks, for the engine's messages
  std::vector<mpi::Group> step_comms;  // the job's ranks, one communicator per step, for the motifs
  mpi::Group active_ranks;             // all ranks that belong to any job
  mpi::Group roots;                    // the roots of all jobs; empty on other ranks
  int root = 0;                        // in `job_comm`
  std::vector<int> root_ranks;         // world rank 0 only: world rank of each job's root
  std::vector<int> sizes;              // world rank 0 only: number of ranks of each job

  JobGroup job_group() const noexcept { return {job, &job_comm, root}; }
  bool is_root() const noexcept { return job >= 0 && job_comm.rank() == root; }
};

// The part of a rank in the workload.
struct Role {
  int job = -1;      // -1: none
  int position = 0;  // of the rank's node in the job's list; ranks of a job are numbered in this order
};

// The role of each rank of the machine. World rank 0 only. All jobs must have explicit nodes (after placement).
std::vector<Role> roles_of_ranks(const Machine& machine, const workload::Workload& workload);

// Collective over `world`: the role of this rank. Only rank 0 needs the nodes of the jobs.
Role role_of_this_rank(const mpi::Group& world, const Machine& machine, const workload::Workload& workload);

// Collective over `world`. `jobs`: their number in the workload. `own_chain`: the chain of this rank's job.
JobLayout lay_out_jobs(const mpi::Group& world, const Role& role, std::size_t jobs,
                       const std::optional<Chain>& own_chain);

}  // namespace stressbench::scheduler
