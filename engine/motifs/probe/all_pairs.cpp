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
    require_ranks("all_pairs", 2, ranks);
    if (iterations() == 1) return;
    reject("iterations",
           "the results of {} tournaments would be added up; use 1 iteration, and --rounds for longer measurements",
           iterations());
  }
  Traffic traffic(int ranks) const override {
    const std::int64_t pairs = std::int64_t{ranks} * (ranks - 1) / 2;
    const std::int64_t round_trip_messages = 2 * (*rounds_ + 1);
    return {.messages = pairs * (round_trip_messages + 1),
            .message_bytes = pairs * (round_trip_messages * size_->value + static_cast<std::int64_t>(sizeof(double))),
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
    own_pair_times_.emplace(rank_, ranks_);
    matrix_file_.emplace(group, "matrix", *matrix_, run_);
  }

  void perform(Recorder& recorder) override {
    TimeOfRank slowest{-1, rank_};  // of the pairs in which this rank is the lower one
    int slowest_opponent = rank_;
    std::size_t measured_pairs = 0;
    for (int round = 0; round < tournament_rounds(ranks_); ++round) {
      const int partner = opponent(rank_, round, ranks_);
      if (partner == no_partner) continue;
      const double time_s = rank_ < partner ? initiate(partner, recorder) : respond(partner);
      times_s_[measured_pairs++] = time_s;
      if (rank_ > partner) continue;
      if (own_pair_times_) own_pair_times_->add(partner, time_s);
      if (time_s <= slowest.time_s) continue;
      slowest.time_s = time_s;
      slowest_opponent = partner;
    }
    reduce_slowest(slowest, slowest_opponent);
    add_own_metrics();
  }

  void finish(const mpi::Group& group, int round) override {
    if (own_pair_times_) own_pair_times_->append(*matrix_file_, group, round, size_->value);
  }

  void fill_payload(std::uint64_t pass) override {
    for (int partner = 0; partner < ranks_; ++partner) {
      payload::fill(send_buffer(partner), {rank_, partner, pass});
      payload::poison(receive_buffer(partner), {partner, rank_, pass});
    }
  }
  void verify(std::uint64_t pass) const override {
    for (int partner = 0; partner < ranks_; ++partner) {
      if (partner != rank_) payload::check(receive_buffer(partner), {partner, rank_, pass});
    }
  }

 private:
  static constexpr std::int64_t time_of_rank_bytes = sizeof(double) + sizeof(int);  // without padding

  // One untimed round trip, so that both ranks are present and connected, then `rounds_` round trips between one pair
  // of clock reads. Sends the one-way time to the other rank.
  double initiate(int partner, Recorder& recorder) {
    round_trip(partner);
    const std::int64_t start_ns = recorder.now_ns();
    for (std::int64_t i = 0; i < *rounds_; ++i) round_trip(partner);
    const std::int64_t end_ns = recorder.now_ns();
    const double time_s = static_cast<double>(end_ns - start_ns) * 1e-9 / static_cast<double>(2 * *rounds_);
    mpi::check(MPI_Send(&time_s, 1, MPI_DOUBLE, partner, tag, communicator_), "MPI_Send");
    return time_s;
  }
  double respond(int partner) {
    for (std::int64_t i = 0; i <= *rounds_; ++i) {
      receive(partner);
      send(partner);
    }
    double time_s = 0;
    mpi::check(MPI_Recv(&time_s, 1, MPI_DOUBLE, partner, tag, communicator_, MPI_STATUS_IGNORE), "MPI_Recv");
    return time_s;
  }
  void round_trip(int partner) {
    send(partner);
    receive(partner);
  }
  void send(int partner) {
    mpi::check(MPI_Send(send_buffer(partner).data(), count_, MPI_BYTE, partner, tag, communicator_), "MPI_Send");
  }
  void receive(int partner) {
    mpi::check(
        MPI_Recv(receive_buffer(partner).data(), count_, MPI_BYTE, partner, tag, communicator_, MPI_STATUS_IGNORE),
        "MPI_Recv");
  }

  // Makes the slowest pair known to all ranks, so that the minimum, mean and maximum of these metrics over the ranks
  // are the same.
  void reduce_slowest(const TimeOfRank& own, int own_slowest_opponent) {
    TimeOfRank slowest{};
    mpi::check(MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, communicator_), "MPI_Allreduce");
    int upper = own_slowest_opponent;
    mpi::check(MPI_Bcast(&upper, 1, MPI_INT, slowest.rank, communicator_), "MPI_Bcast");
    slowest_time_.add(slowest.time_s);
    slowest_lower_.add(slowest.rank);
    slowest_upper_.add(upper);
  }
  void add_own_metrics() {
    double sum_s = 0;
    for (const double time_s : times_s_) sum_s += time_s;
    mean_.add(sum_s / static_cast<double>(times_s_.size()));
    const auto middle = times_s_.begin() + static_cast<std::ptrdiff_t>(times_s_.size() / 2);
    std::ranges::nth_element(times_s_, middle);
    median_.add(*middle);
    fastest_.add(*std::ranges::min_element(times_s_));
  }

  std::size_t length() const { return static_cast<std::size_t>(size_->value); }
  std::span<std::byte> send_buffer(int partner) const {
    return outgoing_.bytes(static_cast<std::size_t>(partner) * length(), length());
  }
  std::span<std::byte> receive_buffer(int partner) const {
    return incoming_.bytes(static_cast<std::size_t>(partner) * length(), length());
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
  std::optional<PairTimes> own_pair_times_;
  std::optional<io::AppendedFile> matrix_file_;
};

const RegisterMotif<AllPairs> registered{"all_pairs", Family::probe,
                                         "ping-pong between every two ranks; reports the slowest pair"};

}  // namespace
}  // namespace stressbench
