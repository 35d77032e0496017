// Reduces the sample buffers of a job's ranks to the samples of world rank 0, after a round: one reduction per block of
// values, with memory that does not depend on the number of ranks.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "scheduler/chain.hpp"
#include "scheduler/records.hpp"

namespace stressbench::scheduler {

// The ranks of one job.
struct JobGroup {
  int job = -1;
  const mpi::Group* group = nullptr;  // the job's communicator for the engine's own messages
  int root = 0;  // rank in `group` that sends to world rank 0; world rank 0 itself if it is in the job
};

// Collective over the job's ranks. Returns the reduced number on the root, and the rank's own number elsewhere.
double reduced(const JobGroup& job_group, double value, MPI_Op operation);

// The job from which world rank 0 receives results.
struct Source {
  int job = -1;
  int root_world_rank = 0;  // world rank of the job's root
  const JobRecord* record = nullptr;
};

// The ranks of a job call `contribute`, which reduces their samples and sends the result from the root to world rank 0.
// World rank 0 calls `receive`. If it is itself the root of the job, it keeps the result until then.
class Collection {
 public:
  struct Result {
    std::vector<RowHead> heads;
    std::vector<Spread> cells;  // rows x columns
    std::vector<HistogramRecord> histograms;
    std::vector<std::string> notes;             // of the job's root
    std::array<std::int64_t, 3> repetitions{};  // by Phase
    std::int64_t stride = 1;                    // of measured repetitions
    std::int64_t extra_stride = 1;              // of extra ones
  };

  explicit Collection(const mpi::Group& world) : world_(world) {}

  // Called on all ranks of each job that ran.
  void contribute(const JobGroup& job_group, const SampleBuffer& samples, const Chain& chain);
  // Called on world rank 0, once for each job that ran, with its own job first.
  Result receive(const Source& source);

 private:
  const mpi::Group& world_;
  Result own_;
};

}  // namespace stressbench::scheduler
