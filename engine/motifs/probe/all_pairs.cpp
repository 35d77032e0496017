// all_pairs: every pair of ranks runs a ping-pong once, in a tournament. Reports the slowest pair, and the times of all
// pairs on request (docs/motifs/all_pairs.md).
#include <mpi.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/buffer.hpp"
#include "core/payload.hpp"
#include "io/appended_file.hpp"
#include "motifs/motif.hpp"
#include "motifs/point_to_point/pairing.hpp"
#include "motifs/probe/pair_times.hpp"
#include "motifs/probe/tournament.hpp"

namespace stressbench {
namespace {

constexpr int tag = 1;

// Memory layout of MPI_DOUBLE_INT.
struct TimeOfRank {
  double time_s;
  int rank;
};

class AllPairs final : public Motif {
 public:
  void check(int ranks) const override {
    needs_ranks("all_pairs", 2, ranks);
    if (iterations() == 1) return;
    reject("iterations",
           "the results of {} tournaments would be added up; use 1 iteration, and --rounds for longer measurements",
           iterations());
  }
  Traffic traffic(int ranks) const override {
    const std::int64_t pairs = std::int64_t{ranks} * (ranks - 1) / 2;
    const std::int64_t there_and_back = 2 * (*rounds_ + 1);
    return {.messages = pairs * (there_and_back + 1),
            .message_bytes = pairs * (there_and_back * size_->value + static_cast<std::int64_t>(sizeof(double))),
            .collectives = 2,
            .collective_bytes = ranks * (time_of_rank_bytes + static_cast<std::int64_t>(sizeof(int)))};
  }
  std::optional<Bytes> message_size() const override { return *size_; }
  std::string size_parameter() const override { return "size"; }
  std::string quantity() const override { return "time of the tournament"; }

  void bind(const RunContext& context) override { run_ = {context.run_id, context.launch}; }
  void decompose(const mpi::Group& group, const Draw&) override {
    communicator_ = group.handle();
    rank_ = group.rank();
    ranks_ = group.size();
    count_ = static_cast<int>(size_->value);
    outgoing_ = Buffer(static_cast<std::size_t>(ranks_) * length());
    incoming_ = Buffer(static_cast<std::size_t>(ranks_) * length());
    times_s_.assign(static_cast<std::size_t>(ranks_ - 1), 0);
    if (!matrix_.was_given()) return;
    matrix_of_own_.emplace(rank_, ranks_);
    matrix_file_.emplace(group, "matrix", *matrix_, run_);
  }

  void perform(Recorder& recorder) override {
    TimeOfRank slowest{-1, rank_};  // of the pairs in which this rank is the lower one
    int slowest_opponent = rank_;
    std::size_t played = 0;
    for (int round = 0; round < tournament_rounds(ranks_); ++round) {
      const int other = opponent(rank_, round, ranks_);
      if (other == no_partner) continue;
      const double time_s = rank_ < other ? begin(other, recorder) : answer(other);
      times_s_[played++] = time_s;
      if (rank_ > other) continue;
      if (matrix_of_own_) matrix_of_own_->add(other, time_s);
      if (time_s <= slowest.time_s) continue;
      slowest.time_s = time_s;
      slowest_opponent = other;
    }
    agree_on(slowest, slowest_opponent);
    describe_own();
  }

  void finish(const mpi::Group& group, int round) override {
    if (matrix_of_own_) matrix_of_own_->append(*matrix_file_, group, round, size_->value);
  }

  void fill_payload(std::uint64_t pass) override {
    for (int other = 0; other < ranks_; ++other) {
      payload::fill(to(other), {rank_, other, pass});
      payload::poison(from(other), {other, rank_, pass});
    }
  }
  void verify(std::uint64_t pass) const override {
    for (int other = 0; other < ranks_; ++other) {
      if (other != rank_) payload::check(from(other), {other, rank_, pass});
    }
  }

 private:
  static constexpr std::int64_t time_of_rank_bytes = sizeof(double) + sizeof(int);  // without padding

  // One untimed round trip, so that both ranks are present and connected, then `rounds_` round trips between one pair
  // of clock reads. Sends the one-way time to the other rank.
  double begin(int other, Recorder& recorder) {
    play(other);
    const std::int64_t start_ns = recorder.now_ns();
    for (std::int64_t i = 0; i < *rounds_; ++i) play(other);
    const std::int64_t end_ns = recorder.now_ns();
    const double time_s = static_cast<double>(end_ns - start_ns) * 1e-9 / static_cast<double>(2 * *rounds_);
    mpi::must(MPI_Send(&time_s, 1, MPI_DOUBLE, other, tag, communicator_), "MPI_Send");
    return time_s;
  }
  double answer(int other) {
    for (std::int64_t i = 0; i <= *rounds_; ++i) {
      receive(other);
      send(other);
    }
    double time_s = 0;
    mpi::must(MPI_Recv(&time_s, 1, MPI_DOUBLE, other, tag, communicator_, MPI_STATUS_IGNORE), "MPI_Recv");
    return time_s;
  }
  void play(int other) {
    send(other);
    receive(other);
  }
  void send(int other) {
    mpi::must(MPI_Send(to(other).data(), count_, MPI_BYTE, other, tag, communicator_), "MPI_Send");
  }
  void receive(int other) {
    mpi::must(MPI_Recv(from(other).data(), count_, MPI_BYTE, other, tag, communicator_, MPI_STATUS_IGNORE), "MPI_Recv");
  }

  // Makes the slowest pair known to all ranks, so that the minimum, mean and maximum of these metrics over the ranks
  // are the same.
  void agree_on(const TimeOfRank& own, int own_opponent) {
    TimeOfRank slowest{};
    mpi::must(MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, communicator_), "MPI_Allreduce");
    int upper = own_opponent;
    mpi::must(MPI_Bcast(&upper, 1, MPI_INT, slowest.rank, communicator_), "MPI_Bcast");
    slowest_time_.add(slowest.time_s);
    slowest_lower_.add(slowest.rank);
    slowest_upper_.add(upper);
  }
  void describe_own() {
    double sum_s = 0;
    for (const double time_s : times_s_) sum_s += time_s;
    mean_.add(sum_s / static_cast<double>(times_s_.size()));
    const auto middle = times_s_.begin() + static_cast<std::ptrdiff_t>(times_s_.size() / 2);
    std::ranges::nth_element(times_s_, middle);
    median_.add(*middle);
    fastest_.add(*std::ranges::min_element(times_s_));
  }

  std::size_t length() const { return static_cast<std::size_t>(size_->value); }
  std::span<std::byte> to(int other) const {
    return outgoing_.bytes(static_cast<std::size_t>(other) * length(), length());
  }
  std::span<std::byte> from(int other) const {
    return incoming_.bytes(static_cast<std::size_t>(other) * length(), length());
  }

  Param<Bytes> size_{this, 's', "size", Bytes{8}, "length of the messages", FitsMessage{}};
  Param<std::int64_t> rounds_{
      this, "rounds", 100, "round trips of a pair in one measurement", Positive{}, AtMost{1'000'000'000}};
  Param<std::string> matrix_{this, "matrix", "", "write the times of every pair to this file as CSV; it must not exist",
                             NotEmpty{}};

  Metric slowest_time_{this, "slowest_pair_time_s", Better::lower, "one-way time of the slowest pair"};
  Metric slowest_lower_{this, "slowest_pair_lower_rank", Better::lower, "the slowest pair's lower rank in the job"};
  Metric slowest_upper_{this, "slowest_pair_upper_rank", Better::lower, "the slowest pair's higher rank in the job"};
  Metric mean_{this, "pair_time_mean_s", Better::lower, "mean one-way time of a rank's pairs"};
  Metric median_{this, "pair_time_median_s", Better::lower, "median one-way time of a rank's pairs"};
  Metric fastest_{this, "pair_time_fastest_s", Better::lower, "one-way time of a rank's fastest pair"};

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 0;
  int count_ = 0;
  Buffer outgoing_;  // one message per rank, so that --verify can tell them apart
  Buffer incoming_;
  std::vector<double> times_s_;
  io::Run run_;
  std::optional<PairTimes> matrix_of_own_;
  std::optional<io::AppendedFile> matrix_file_;
};

const RegisterMotif<AllPairs> registered{"all_pairs", Family::probe,
                                         "ping-pong between every two ranks; reports the slowest pair"};

}  // namespace
}  // namespace stressbench
