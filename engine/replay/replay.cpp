// Motif replay: the MPI calls of a captured program in their order, with the computation between them
// (docs/motifs/replay.md).
#include <fmt/format.h>
#include <mpi.h>

#include <filesystem>
#include <memory>

#include "core/pause.hpp"
#include "core/sent_memory.hpp"
#include "core/working_set.hpp"
#include "motifs/captured/own_record.hpp"
#include "motifs/motif.hpp"
#include "replay/preexisting_communicators.hpp"
#include "replay/replay_plan.hpp"
#include "replay/trace_check.hpp"
#include "trace/gaps.hpp"
#include "trace/program.hpp"

namespace stressbench {

namespace {

// Attaches the buffer for MPI_Bsend while the sequence runs. MPI allows one such buffer per process.
class AttachedBuffer {
 public:
  explicit AttachedBuffer(const Buffer& buffer) : attached_(buffer.size() > 0) {
    if (attached_) {
      mpi::check(MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size())), "MPI_Buffer_attach");
    }
  }
  AttachedBuffer(const AttachedBuffer&) = delete;
  AttachedBuffer& operator=(const AttachedBuffer&) = delete;
  ~AttachedBuffer() {
    void* buffer = nullptr;
    int size = 0;
    if (attached_) MPI_Buffer_detach(&buffer, &size);
  }

 private:
  bool attached_;
};

class Replay final : public Motif {
 public:
  Replay() = default;
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  ~Replay() override { state_.requests.free_kept(); }

  void check(int ranks) const override {
    if (path_->empty()) reject("file", "replay needs a trace: -f APP.trace; `stressbench capture` writes one");
    if (!files_->empty() && !std::filesystem::is_directory(*files_))
      reject("files", "'{}' is not a directory", *files_);
    if (*working_set_size_ > Bytes{0} && !pause::computes(*compute_)) reject("working-set", "{}", WorkingSet::unread);
    replay::check_trace(*path_, ranks, file_calls(), *gap_times_);
  }
  Traffic traffic(int ranks) const override {
    Traffic traffic = replay::traffic_of(*path_, ranks, file_calls());
    traffic.compute_s *= computes_between_calls() ? *scale_ : 0.0;
    return traffic;
  }

  void decompose(const mpi::Group& group, const Draw& draws) override {
    restore();
    captured::collectively(group, path_.name(), [&] { record_ = captured::own_record(group, *path_); });
    int reordered = replay::is_reordered(record_) ? 1 : 0;
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &reordered, 1, MPI_INT, MPI_MAX, group.handle()), "MPI_Allreduce");
    const replay::WindowLimits windows = replay::window_limits_of(replay::window_limits_of(record_), group);
    replay::PlanOptions options{group.handle(), reordered != 0, windows, "", 0};
    if (!files_->empty()) {
      options.scratch = fmt::format("{}/replay-{}.", *files_, draws.stream);
      options.bytes_to_read = bytes_to_read(group);
    }
    std::vector<replay::PreexistingCommunicator> preexisting;
    captured::collectively(group, path_.name(), [&] {
      build(std::move(options), draws);
      preexisting = replay::preexisting_communicators_of(record_);
    });
    int compares_accesses = plan_->compares_accesses() ? 1 : 0;
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &compares_accesses, 1, MPI_INT, MPI_MAX, group.handle()), "MPI_Allreduce");
    if (compares_accesses != 0) state_.windows.compare_accesses();
    captured::collectively(group, path_.name(), [&] { preexisting_.create(group, preexisting); });
    for (const replay::PreexistingCommunicators::NumberedHandle& created : preexisting_.handles())
      state_.comms.add_preexisting(created.number, created.handle);
    create_preexisting_requests();
    if (*compute_ == Computation::sleep) pause::minimise_timer_slack();
  }

  void perform(Recorder& recorder) override {
    restore();
    is_used_ = true;
    const AttachedBuffer attached(attached_buffer_);
    const bool with_gaps = computes_between_calls();
    const bool rewrites = with_gaps && pause::computes(*compute_);
    int before = -1;
    std::int64_t since_ns = with_gaps ? recorder.now_ns() : 0;
    auto next_time_ns = sequence_ns_.begin();
    program_.walk([&](int call) {
      if (with_gaps) compute(recorder, since_ns, sequence_ns_.empty() ? gaps_.next(before, call) : *next_time_ns++);
      const replay::Instruction& instruction = (*plan_)[call];
      instruction.execute(state_, instruction);
      if (with_gaps) since_ns = recorder.now_ns();
      if (rewrites) sent_.add(state_.outgoing.bytes(0, instruction.sent_bytes));
      before = call;
    });
    if (with_gaps) compute(recorder, since_ns, tail_ns_);
  }
  void reduce_metrics() override { restore(); }

 private:
  // The state before the first call: completes or frees what the program left open, which is no call of the program.
  void restore() {
    if (!is_used_) return;
    is_used_ = false;
    state_.release();
    create_preexisting_requests();
  }
  // Creates the requests that existed before the captured part, and after a repetition those of them that it freed or
  // left with a pending message.
  void create_preexisting_requests() {
    for (const auto& [call, is_kept_inactive] : plan_->preexisting_requests()) {
      const replay::Instruction& creation = (*plan_)[call];
      if (state_.requests.has(creation.request)) continue;
      creation.execute(state_, creation);
      if (is_kept_inactive) state_.requests.keep(creation.request);
    }
  }

  bool computes_between_calls() const { return *compute_ != Computation::off && *scale_ > 0; }

  replay::FileCalls file_calls() const {
    return files_->empty() ? replay::FileCalls::skipped : replay::FileCalls::executed;
  }

  // Collective: the size of the scratch files.
  std::int64_t bytes_to_read(const mpi::Group& group) const {
    replay::RequiredBytes bytes;
    captured::collectively(group, files_.name(), [&] { bytes = replay::required_file_bytes(record_); });
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &bytes.individual, 1, MPI_INT64_T, MPI_MAX, group.handle()),
               "MPI_Allreduce");
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &bytes.shared, 1, MPI_INT64_T, MPI_SUM, group.handle()), "MPI_Allreduce");
    const std::int64_t all = bytes.individual + bytes.shared;  // both within the limit on each rank
    captured::collectively(group, files_.name(), [&] { replay::require_scratch_size(all); });
    return all;
  }

  void build(replay::PlanOptions options, const Draw& draws) {
    const std::size_t calls = record_.calls.size();
    try {
      program_ = trace::Program(record_.rules, calls, record_.sequence_calls);
      sequence_ns_.clear();
      if (*gap_times_ == GapTimes::sequence) {
        sequence_ns_ = trace::times_in_sequence(record_, *scale_);
      } else if (computes_between_calls()) {
        gaps_ = trace::Gaps(record_.gaps, calls, *gap_times_, *scale_, draws);
      }
      tail_ns_ = trace::scaled_ns(record_.tail_s, *scale_);
    } catch (const UserMistake& mistake) {
      throw UserMistake("'{}', rank {}: {}", *path_, record_.rank, mistake.what());
    }
    record_.rules.clear();
    record_.gaps.clear();
    record_.gap_times_ns.clear();
    try {
      plan_ = std::make_unique<replay::ReplayPlan>(record_, std::move(options));
    } catch (const UserMistake& mistake) {
      throw UserMistake("'{}', {}", *path_, mistake.what());
    }
    state_.requests.free_kept();
    state_ = plan_->state();
    sent_ = SentMemory();
    working_set_ = WorkingSet(computes_between_calls() && pause::computes(*compute_) ? *working_set_size_ : Bytes{0});
    attached_buffer_ = plan_->attached_buffer_bytes() > 0 ? Buffer(plan_->attached_buffer_bytes()) : Buffer();
  }

  void compute(const Recorder& recorder, std::int64_t since_ns, std::int64_t gap_ns) {
    if (gap_ns <= 0) return;
    const std::int64_t end_ns = since_ns + gap_ns;
    pause::until(*compute_, recorder, end_ns, [&](std::int64_t until_ns) {
      sent_.rewrite(recorder, since_ns, until_ns);
      working_set_.read(recorder, until_ns);
    });
  }

  Param<std::string> path_{this, 'f', "file", "", "trace file, written by `stressbench capture`"};
  Param<Computation> compute_{this, "compute", Computation::busy,
                              "computation between the calls: spin as long as the program did, spin for that much "
                              "processor time (for ranks that "
                              "share cores), sleep (from 100 us on, below that spin), or none"};
  Param<double> scale_{this, "scale", 1.0, "factor on the computation between the calls"};
  Param<Bytes> working_set_size_{this, "working-set", Bytes{0},
                                 "memory of a rank that computation reads, as the program's goes through its data",
                                 WorkingSet::Limit{}};
  Param<GapTimes> gap_times_{this, "gaps", GapTimes::measured,
                             "times of computation: drawn from the measured distribution, its mean, or in the "
                             "sequence in which they were recorded"};

  Param<std::string> files_{
      this, "files", "",
      "directory for scratch files, on which file calls are executed; without it, file calls are left out"};

  trace::RankRecord record_;
  trace::Program program_;
  trace::Gaps gaps_;
  std::vector<std::int64_t> sequence_ns_;  // with GapTimes::sequence, the time before each call
  std::int64_t tail_ns_ = 0;               // computation after the last call
  std::unique_ptr<replay::ReplayPlan> plan_;
  replay::PreexistingCommunicators preexisting_;
  replay::ReplayState state_;
  bool is_used_ = false;
  Buffer attached_buffer_;
  SentMemory sent_;
  WorkingSet working_set_;
};

const RegisterMotif<Replay> registered{"replay", Family::application, "the MPI calls of a captured program, in order",
                                       "any MPI program: `stressbench capture`"};

}  // namespace
}  // namespace stressbench
