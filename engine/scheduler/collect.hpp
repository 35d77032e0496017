// From every rank's sample buffer to rank 0's samples, after a round: one reduction a block of values, memory constant
// in the number of ranks.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "scheduler/chain.hpp"
#include "scheduler/records.hpp"

namespace stressbench::scheduler {

// The ranks of one job, as collecting needs them.
struct JobGroup {
  int job = -1;
  const mpi::Group* group = nullptr;  // the job's own communicator for control
  int root = 0;  // rank of the group that speaks to world rank 0: world rank 0 itself where it belongs to the job
};

// Collective over the job's ranks: a number of all its ranks on the root; elsewhere the rank's own.
double reduced(const JobGroup& job_group, double value, MPI_Op operation);

// A job as rank 0 knows it.
struct Source {
  int job = -1;
  int leader = 0;  // world rank of the job's root
  const JobRecord* record = nullptr;
};

// Collective over the job's ranks: reduces and sends to world rank 0 (which, as a member, keeps the result for
// `receive`). `reduced` gets the result on the job's root when that is world rank 0.
class Collection {
 public:
  struct Result {
    std::vector<RowHead> heads;
    std::vector<Spread> cells;  // rows x columns
    std::vector<HistogramRecord> histograms;
    std::vector<std::string> notes;  // of the job's root
    std::array<std::int64_t, 3> repetitions{};
    std::int64_t stride = 1;        // of measured repetitions
    std::int64_t extra_stride = 1;  // of extra ones
  };

  explicit Collection(const mpi::Group& world) : world_(world) {}

  // On the ranks of a job that ran.
  void contribute(const JobGroup& job_group, const SampleBuffer& samples, const Chain& chain);
  // On world rank 0, once for every job that ran; its own job's first.
  Result receive(const Source& source);

 private:
  const mpi::Group& world_;
  Result own_;
};

}  // namespace stressbench::scheduler
