// all_pairs reports the slowest pair; threads sends the expected data with one thread (several threads:
// tests/integration/test_threads.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "capture.hpp"
#include "motif_bench.hpp"
#include "motifs/probe/tournament.hpp"

namespace stressbench::test {
namespace {

// A clock that determines the duration of each ping-pong that this rank initiates.
class ClockOfGames final : public Clock {
 public:
  ClockOfGames(int rank, int ranks, std::int64_t (*duration_ns)(int, int), std::int64_t factor = 1) {
    std::int64_t now = 0;
    for (int round = 0; round < tournament_rounds(ranks); ++round) {
      const int other = opponent(rank, round, ranks);
      if (other < rank) continue;
      readings_.push_back(now);
      now += factor * duration_ns(rank, other);
      readings_.push_back(now);
    }
  }
  std::int64_t now_ns() const noexcept override { return readings_[next_++]; }

 private:
  std::vector<std::int64_t> readings_;
  mutable std::size_t next_ = 0;
};

// Duration of 100 round trips: a one-way time of (lower + 1) * (upper + 2) us, except 1 ms from rank 1 to 3.
std::int64_t duration_ns(int lower, int upper) {
  return 200 * (lower == 1 && upper == 3 ? 1'000'000 : 1000 * (lower + 1) * (upper + 2));
}

TEST(AllPairs, NamesTheSlowestPairOnEveryRank) {
  if (world_size() < 4) GTEST_SKIP() << "needs 4 ranks";
  const mpi::Group group = first_ranks(4);
  if (!group) return;
  MotifBench bench(group, "all_pairs", {});
  const ClockOfGames clock(group.rank(), 4, duration_ns);
  Recorder recorder{clock};
  bench->perform(recorder);
  std::map<std::string, double> metrics;
  for (Metric* metric : bench->metrics()) metrics[metric->name()] = metric->take();
  EXPECT_DOUBLE_EQ(metrics["slowest_pair_time_s"], 1e-3);
  EXPECT_EQ(metrics["slowest_pair_lower_rank"], 1);
  EXPECT_EQ(metrics["slowest_pair_upper_rank"], 3);
  // Of the three pairs of each rank, initiated or answered.
  const std::vector<double> means_us{4, (3 + 8 + 1000) / 3.0, (4 + 8 + 15) / 3.0, (5 + 1000 + 15) / 3.0};
  const std::vector<double> medians_us{4, 8, 8, 15};
  const std::vector<double> fastest_us{3, 3, 4, 5};
  const auto rank = static_cast<std::size_t>(group.rank());
  EXPECT_NEAR(metrics["pair_time_mean_s"], means_us[rank] * 1e-6, 1e-12);
  EXPECT_NEAR(metrics["pair_time_median_s"], medians_us[rank] * 1e-6, 1e-12);
  EXPECT_NEAR(metrics["pair_time_fastest_s"], fastest_us[rank] * 1e-6, 1e-12);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(AllPairs, AppendsALineForEachPairToItsMatrix) {
  if (world_size() < 4) GTEST_SKIP() << "needs 4 ranks";
  const mpi::Group group = first_ranks(4);
  if (!group) return;
  const std::string path = "all_pairs_matrix.csv";  // in the directory of the launch
  MotifBench bench(group, "all_pairs", {{"matrix", path}});
  for (const std::int64_t factor : {3, 1, 2}) {
    const ClockOfGames clock(group.rank(), 4, duration_ns, factor);
    Recorder recorder{clock};
    bench->perform(recorder);
  }
  bench->finish(group, 7);
  bench->finish(group, 8);
  if (group.rank() != 0) return;
  const auto lines_of = [](const std::string& round) {
    return round + ",8,0,1,3,3.000000e-06,6.000000e-06,9.000000e-06\n" + round +
           ",8,0,2,3,4.000000e-06,8.000000e-06,1.200000e-05\n" + round +
           ",8,0,3,3,5.000000e-06,1.000000e-05,1.500000e-05\n" + round +
           ",8,1,2,3,8.000000e-06,1.600000e-05,2.400000e-05\n" + round +
           ",8,1,3,3,1.000000e-03,2.000000e-03,3.000000e-03\n" + round +
           ",8,2,3,3,1.500000e-05,3.000000e-05,4.500000e-05\n";
  };
  EXPECT_EQ(text_of(path), "round,size_bytes,lower_rank,higher_rank,tournaments,fastest_s,median_s,slowest_s\n" +
                               lines_of("7") + lines_of("8"));
}

TEST(AllPairs, SaysOnEveryRankThatItsMatrixCannotBeWritten) {
  if (world_size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const mpi::Group group = first_ranks(2);
  if (!group) return;
  try {
    const MotifBench bench(group, "all_pairs", {{"matrix", "/no/such/folder/pairs.csv"}});
    ADD_FAILURE() << "was not refused";
  } catch (const MachineFault& fault) {
    EXPECT_STREQ(fault.what(), "--matrix: open '/no/such/folder/pairs.csv.stressbench': No such file or directory");
  }
}

TEST(AllPairs, PlaysOneUnmeasuredRoundTripThenItsRounds) {
  if (world_size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const mpi::Group group = first_ranks(2);
  if (!group) return;
  MotifBench bench(group, "all_pairs", {{"rounds", "2"}, {"size", "5"}});
  capture::start();
  bench.perform();
  const std::string calls = capture::joined(capture::stop().tokens);
  const std::string end = " Allreduce[MAXLOC]:12@2 Bcast:4@2";
  EXPECT_EQ(calls, (group.rank() == 0 ? "S>1:1:5 R<1:1:5 S>1:1:5 R<1:1:5 S>1:1:5 R<1:1:5 S>1:1:8"
                                      : "R<0:1:5 S>0:1:5 R<0:1:5 S>0:1:5 R<0:1:5 S>0:1:5 R<0:1:8") +
                       end);
}

TEST(Threads, OneThreadSendsItAllAndIsAcknowledged) {
  if (world_size() < 3) GTEST_SKIP() << "needs 3 ranks";
  const mpi::Group group = first_ranks(3);
  if (!group) return;
  MotifBench bench(group, "threads", {{"size", "50"}});
  capture::start();
  bench.perform();
  const std::vector<std::string> expected{"S>1:1:50 R<1:0:4", "R<0:1:50 S>0:0:4", ""};
  EXPECT_EQ(capture::joined(capture::stop().tokens), expected[static_cast<std::size_t>(group.rank())]);
}

TEST(Threads, NeedAnMpiThatAllowsThem) {
  if (world_size() < 2) GTEST_SKIP() << "needs 2 ranks";
  int given = MPI_THREAD_SINGLE;
  MPI_Query_thread(&given);
  if (given == MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this one does";
  const mpi::Group group = first_ranks(2);
  if (!group) return;
  const auto motif = make_motif("threads", {{"threads", "2"}});
  try {
    motif->decompose(group, Draw{});
    ADD_FAILURE() << "was not refused";
  } catch (const UserMistake& mistake) {
    EXPECT_THAT(mistake.what(), testing::HasSubstr("--mpi-thread-multiple"));
  }
}

}  // namespace
}  // namespace stressbench::test
