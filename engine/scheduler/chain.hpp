// A job's chain of motifs, built once per launch from the workload, without MPI. Each round decomposes it over the
// job's ranks, repeats it, and cleans it up.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/histogram.hpp"
#include "motifs/motif.hpp"
#include "scheduler/sample_buffer.hpp"
#include "workload/model.hpp"

namespace stressbench::scheduler {

struct ChainStep {
  std::string name;  // of the motif, in lower case
  const char* interned_name = nullptr;
  std::unique_ptr<Motif> motif;
  std::int64_t executions = 1;  // per repetition: the product of the enclosing loop counts
  // Times of single executions or iterations in the measured phase of this round, scaled to the motif's quantity.
  Durations durations;
  std::uint64_t executed = 0;
};

enum class StartBarrier { none, before_each_step };
enum class Verification { off, on };

class Chain {
 public:
  // Creates the motifs and sets their parameters. No MPI. Throws UserMistake for an unknown motif or an invalid
  // parameter value.
  Chain(const workload::Job& job, int job_index);

  // Whether a motif of the chain must not decompose at the same time as other jobs.
  bool needs_serial_setup() const noexcept;
  // Binds each motif to the launch and decomposes it. Collective over `groups`: one communicator per step, created by
  // `make_groups` once per launch.
  void decompose(const std::vector<mpi::Group>& groups, const RunContext& context, std::uint64_t seed);

  // Runs one repetition, and writes the times of job and steps and the metrics into a row of the sample buffer.
  void repeat(const Clock& clock, SampleBuffer& samples, Phase phase, StartBarrier start_barrier,
              Verification verification);

  // Collective over all groups, after the last repetition of a round.
  void finish(int round);
  // Ends a round: frees everything that the motifs allocated since `decompose`, including MPI objects, and discards
  // their results. Parameters are kept, so that the chain can be decomposed again. Collective if the destructor of a
  // motif is.
  void cleanup();

  // The motifs' notes, each prefixed with the motif's name: "mpiio: the hint cb_nodes was not taken".
  std::vector<std::string> notes() const;

  // Encloses each measured execution of a motif in MPI_Pcontrol(1) and MPI_Pcontrol(0), so that tracers record the
  // motif but neither its warm-up nor the engine's own calls.
  void mark_for_tracers() noexcept;

  const std::vector<ChainStep>& steps() const noexcept { return steps_; }
  // Columns of a row: the job, then all steps, then the metrics of all steps, in order.
  std::size_t columns() const noexcept;

 private:
  struct ChainNode {
    int step = -1;  // -1: a loop over `body`
    std::int64_t count = 1;
    std::vector<ChainNode> body;
  };

  // A motif that expands to several consecutive steps, such as one per message size.
  struct Series {
    std::unique_ptr<Motif> motif;
    std::size_t first_step = 0;
  };

  void set_phase(Phase phase);
  void append(const std::vector<workload::Step>& steps, std::int64_t executions, std::vector<ChainNode>& nodes);
  void append_motif(const workload::MotifCall& call, std::int64_t executions, std::vector<ChainNode>& nodes);
  void run(const std::vector<ChainNode>& nodes, Recorder& recorder);
  void execute(int index, Recorder& recorder);
  std::int64_t iterate(ChainStep& step, Recorder& recorder);
  std::int64_t iterate_unverified(ChainStep& step, Recorder& recorder);
  std::int64_t iterate_verified(ChainStep& step, Recorder& recorder);
  void record_duration(ChainStep& step, std::int64_t duration_ns) const;
  void store(std::int64_t job_ns, SampleBuffer& samples, Phase phase);

  int job_index_;
  std::vector<ChainStep> steps_;
  std::vector<Series> series_;
  std::vector<ChainNode> nodes_;
  std::vector<std::int64_t> times_ns_;  // of this repetition, by step
  std::int64_t untimed_ns_ = 0;         // in this repetition, subtracted from the job's time
  const std::vector<mpi::Group>* groups_ = nullptr;
  Phase phase_ = Phase::measured;
  bool marked_for_tracers_ = false;
  StartBarrier start_barrier_ = StartBarrier::none;
  Verification verification_ = Verification::off;
};

// Collective. Creates one communicator per step of the chain.
std::vector<mpi::Group> make_groups(const mpi::Group& job, const Chain& chain);

}  // namespace stressbench::scheduler
