// compute: how long it spins, measured with a clock that advances a nanosecond per reading.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "motif_bench.hpp"
#include "stepping_clock.hpp"

namespace stressbench::test {
namespace {

using testing::Each;
using testing::ElementsAre;

// Durations of `count` computations in nanoseconds: the readings after the first one of each, which sets its start.
std::vector<std::int64_t> durations(const mpi::Group& group, const Options& options, int count,
                                    std::uint64_t execution = 0, std::uint64_t seed = 1) {
  const auto motif = make_motif("compute", options);
  motif->check(group.size());
  motif->decompose(group, Draw{.seed = seed, .stream = 3});
  const SteppingClock clock;
  Recorder recorder(clock);
  std::vector<std::int64_t> all;
  for (int i = 0; i < count; ++i) {
    if (i % motif->iterations() == 0) motif->prepare(execution + static_cast<std::uint64_t>(i));
    const std::int64_t before = clock.readings();
    motif->perform(recorder);
    all.push_back(clock.readings() - before - 1);
  }
  return all;
}

const Options drawn{{"mean", "2000"}, {"distribution", "normal"}, {"deviation", "500"}};

Options with(Options options, const Options& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

std::vector<std::int64_t> gathered(std::int64_t own) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(world_size()));
  MPI_Allgather(&own, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  return all;
}

TEST(Compute, SpinsForItsTimeOnTheClockItWasGiven) {
  const auto world = mpi::Group::view(MPI_COMM_WORLD);
  EXPECT_THAT(durations(world, {{"mean", "1500"}}, 3), Each(1500));
}

TEST(Compute, LeavesTheClockAloneWhileItSleeps) {
  const auto world = mpi::Group::view(MPI_COMM_WORLD);
  EXPECT_THAT(durations(world, {{"mean", "1500"}, {"mode", "sleep"}}, 3), Each(-1));
}

TEST(Compute, SleepsAtLeastItsTime) {
  MotifBench bench(mpi::Group::view(MPI_COMM_WORLD), "compute", {{"mean", "3ms"}, {"mode", "sleep"}});
  const MonotonicClock clock;
  const std::int64_t before = clock.now_ns();
  bench.perform();
  EXPECT_GE(clock.now_ns() - before, 3'000'000);
}

TEST(Compute, SpinsForProcessorTimeOnRequest) {
  const auto motif = make_motif("compute", {{"mean", "3ms"}, {"mode", "cpu"}});
  motif->decompose(mpi::Group::view(MPI_COMM_WORLD), {});
  const JumpingClock clock;
  Recorder recorder(clock);
  const CpuClock cpu;
  const std::int64_t before_ns = cpu.now_ns();
  motif->perform(recorder);
  EXPECT_GE(cpu.now_ns() - before_ns, 3'000'000);
}

TEST(Compute, ProcessorTimeStandsStillWhileTheRankSleeps) {
  const CpuClock cpu;
  const std::int64_t before_ns = cpu.now_ns();
  sleep_for(50'000'000);
  EXPECT_LT(cpu.now_ns() - before_ns, 25'000'000);
}

TEST(Compute, DrawsTheSameOnARankHoweverManyRanksThereAre) {
  const auto all = durations(mpi::Group::view(MPI_COMM_WORLD), drawn, 5);
  for (int n = 1; n < world_size(); ++n) {
    const mpi::Group group = first_ranks(n);
    if (group) {
      EXPECT_EQ(durations(group, drawn, 5), all) << n << " ranks";
    }
  }
}

TEST(Compute, DrawsAnewForEachRankExecutionAndSeed) {
  const auto world = mpi::Group::view(MPI_COMM_WORLD);
  const auto first = durations(world, drawn, 2);
  EXPECT_NE(first[0], first[1]);
  EXPECT_NE(durations(world, drawn, 1, 0, 2)[0], first[0]);
  const auto of_ranks = gathered(first[0]);
  for (std::size_t r = 1; r < of_ranks.size(); ++r) EXPECT_NE(of_ranks[r], of_ranks[0]);
}

TEST(Compute, DrawsTheSameInOneGoAsOneByOne) {
  const auto world = mpi::Group::view(MPI_COMM_WORLD);
  EXPECT_EQ(durations(world, with(drawn, {{"iterations", "6"}}), 6), durations(world, drawn, 6));
  const auto later = durations(world, drawn, 4, 2);
  EXPECT_EQ(later[0], durations(world, drawn, 3)[2]);
}

TEST(Compute, UsesDrawsAgainAfterTheFirst4096) {
  const auto world = mpi::Group::view(MPI_COMM_WORLD);
  const auto all = durations(world, {{"mean", "20"}, {"distribution", "exponential"}, {"iterations", "5000"}}, 5000);
  EXPECT_TRUE(std::equal(all.begin() + 4096, all.end(), all.begin()));
}

TEST(Compute, ImbalanceRisesLinearlyOverTheRanks) {
  if (world_size() < 4) GTEST_SKIP() << "needs 4 ranks";
  const mpi::Group group = first_ranks(3);
  std::int64_t own = 0;
  if (group) own = durations(group, {{"mean", "1000"}, {"imbalance", "0.25"}}, 1)[0];
  EXPECT_THAT(gathered(own), ElementsAre(750, 1000, 1250, 0));
}

TEST(Compute, ImbalanceMayBurdenTheLastRankAlone) {
  if (world_size() != 4) GTEST_SKIP() << "needs 4 ranks";
  const auto world = mpi::Group::view(MPI_COMM_WORLD);
  const auto own = durations(world, {{"mean", "1000"}, {"imbalance", "3"}, {"imbalance-shape", "single"}}, 1)[0];
  EXPECT_THAT(gathered(own), ElementsAre(1000, 1000, 1000, 4000));
  EXPECT_DOUBLE_EQ(make_motif("compute", {{"mean", "1000"}, {"imbalance", "3"}, {"imbalance-shape", "single"}})
                       ->traffic(4)
                       .compute_s,
                   1.75e-6);
}

TEST(Compute, ImbalanceMayBeDrawnOnceForEachRank) {
  const auto world = mpi::Group::view(MPI_COMM_WORLD);
  const Options options{{"mean", "1000"}, {"imbalance", "0.2"}, {"imbalance-shape", "random"}};
  const auto own = durations(world, options, 3);
  EXPECT_THAT(own, Each(own[0]));
  EXPECT_GE(own[0], 800);
  EXPECT_LE(own[0], 1200);
  EXPECT_NE(durations(world, options, 1, 0, 2)[0], own[0]);
}

}  // namespace
}  // namespace stressbench::test
