// Late ranks, and computation that overlaps a nonblocking collective, with a clock that advances a nanosecond per
// reading.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "motif_bench.hpp"
#include "motifs/collective/collective.hpp"
#include "stepping_clock.hpp"

namespace stressbench::test {
namespace {

using testing::DoubleEq;
using testing::Each;

// Readings of the clock in a call without delay: at its entry and at its completion.
constexpr std::int64_t readings_of_a_call = 2;

// The delays of this rank in `calls` calls.
std::vector<std::int64_t> latenesses(const mpi::Group& group, const Options& options, int calls,
                                     std::uint64_t execution = 0) {
  const auto motif = make_motif("barrier", options);
  motif->check(group.size());
  motif->decompose(group, Draw{.seed = 1, .stream = 3});
  const SteppingClock clock;
  Recorder recorder(clock);
  std::vector<std::int64_t> all;
  for (int i = 0; i < calls; ++i) {
    if (i % motif->iterations() == 0) motif->prepare(execution + static_cast<std::uint64_t>(i));
    const std::int64_t before = clock.readings();
    motif->perform(recorder);
    const std::int64_t spun = clock.readings() - before - readings_of_a_call;
    all.push_back(spun == 0 ? 0 : spun - 1);  // the first reading of a computation sets its end
  }
  return all;
}

std::vector<std::int64_t> gathered(std::int64_t own) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(world_size()));
  PMPI_Allgather(&own, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  return all;
}

mpi::Group everyone() { return mpi::Group::view(MPI_COMM_WORLD); }

TEST(LateRanks, AreLateFromNoneToAllOfTheTimeInTheLinearShape) {
  const auto own = latenesses(everyone(), {{"late", "900"}, {"late-shape", "linear"}}, 2);
  const int last = std::max(world_size() - 1, 1);
  EXPECT_THAT(own, Each(900 * world_rank() / last));
}

TEST(LateRanks, AreOneAtATimeInTheSingleShape) {
  std::vector<int> chosen;
  for (const std::int64_t own : latenesses(everyone(), {{"late", "900"}}, 40)) {
    const auto all = gathered(own);
    EXPECT_EQ(std::ranges::count(all, 900), 1);
    EXPECT_EQ(std::ranges::count(all, 0), world_size() - 1);
    chosen.push_back(static_cast<int>(std::ranges::find(all, 900) - all.begin()));
  }
  for (int rank = 0; rank < world_size(); ++rank) EXPECT_THAT(chosen, testing::Contains(rank));
}

TEST(LateRanks, DrawTheirTimeInTheRandomShapeWhateverTheNumberOfRanksAndIterations) {
  const Options options{{"late", "10000"}, {"late-shape", "random"}};
  const auto own = latenesses(everyone(), options, 20);
  EXPECT_THAT(own, Each(testing::AllOf(testing::Ge(0), testing::Le(10000))));
  EXPECT_NE(own[0], own[1]);
  Options with_five_iterations = options;
  with_five_iterations.emplace_back("-i", "5");
  EXPECT_EQ(latenesses(everyone(), with_five_iterations, 20), own);
  const mpi::Group single_rank = first_ranks(1);
  if (single_rank) {
    EXPECT_EQ(latenesses(single_rank, options, 20), own);
  }
}

TEST(LateRanks, AreNoPartOfTheTimeOfTheCall) {
  const auto motif = make_motif("allreduce", {{"late", "900"}, {"late-shape", "linear"}});
  motif->decompose(everyone(), Draw{});
  motif->prepare(0);
  const SteppingClock clock;
  Recorder recorder(clock);
  motif->perform(recorder);
  ASSERT_EQ(motif->measured().size(), 1u);
  EXPECT_EQ(motif->measured()[0]->name(), "call_time_s");
  EXPECT_THAT(motif->measured()[0]->take(), DoubleEq(1e-9));
}

TEST(CollectiveMetrics, AreNoneWhereNothingButTheCallIsDone) {
  for (const Options& options : {Options{}, Options{{"nonblocking", ""}}}) {
    const auto motif = make_motif("bcast", options);
    EXPECT_TRUE(motif->measured().empty());
    EXPECT_EQ(motif->metrics().size(), 4u);  // --help lists all of them
    motif->decompose(everyone(), Draw{});
    motif->prepare(0);
    const SteppingClock clock;
    Recorder recorder(clock);
    motif->perform(recorder);
    EXPECT_EQ(clock.readings(), 0);
  }
}

TEST(CollectiveMetrics, OfComputationAreItsTimeAndThatOfTheWholeCall) {
  const auto motif = make_motif("bcast", {{"nonblocking", ""}, {"compute", "500"}});
  motif->decompose(everyone(), Draw{});
  motif->prepare(0);
  const SteppingClock clock;
  Recorder recorder(clock);
  motif->perform(recorder);
  const auto metrics = motif->measured();
  ASSERT_EQ(metrics.size(), 4u);
  EXPECT_EQ(metrics[0]->name(), "call_time_s");
  EXPECT_THAT(metrics[0]->take(), DoubleEq(504e-9));
  EXPECT_EQ(metrics[1]->name(), "pure_call_time_s");
  EXPECT_GT(metrics[1]->take(), 0);
  EXPECT_EQ(metrics[2]->name(), "compute_time_s");
  EXPECT_THAT(metrics[2]->take(), DoubleEq(502e-9));
  EXPECT_EQ(metrics[3]->name(), "overlap_percent");
}

class Measurer : public Motif {
 public:
  Overlap overlap{this};
  Traffic traffic(int) const override { return {}; }
  void decompose(const mpi::Group&, const Draw&) override {}
  void perform(Recorder&) override {}
};

TEST(Overlaps, AreTheShareOfTheShorterOneThatTheOtherHides) {
  Measurer measurer;
  const auto overlap = [&](std::int64_t pure, std::int64_t compute, std::int64_t total) {
    measurer.overlap.add_times(pure, compute, total);
    return measurer.overlap.take();
  };
  EXPECT_EQ(overlap(100, 100, 100), 100);
  EXPECT_EQ(overlap(100, 100, 200), 0);
  EXPECT_EQ(overlap(100, 40, 120), 50);
  EXPECT_EQ(overlap(40, 100, 120), 50);
  EXPECT_EQ(overlap(100, 100, 500), 0);  // slower than without overlap
  EXPECT_EQ(overlap(100, 100, 50), 100);
}

TEST(Overlaps, AreThoseOfARepetitionsIterationsTogether) {
  Measurer measurer;
  measurer.overlap.add_times(100, 100, 100);
  measurer.overlap.add_times(100, 100, 200);
  EXPECT_EQ(measurer.overlap.take(), 50);
}

}  // namespace
}  // namespace stressbench::test
