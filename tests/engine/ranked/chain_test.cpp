#include "scheduler/chain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine_fixture.hpp"
#include "scheduler/rank_status.hpp"

namespace stressbench::scheduler {
namespace {

using namespace stressbench::test;

const RegisterMotif<Tick> registered{"test_tick", Family::probe, "moves a fake clock"};

// A motif that stands for a series of two ticks.
class Series final : public Motif {
 public:
  Traffic traffic(int) const override { return {}; }
  void decompose(const mpi::Group&, const Draw&) override {}
  void perform(Recorder&) override {}
  std::vector<std::unique_ptr<Motif>> parts() const override {
    std::vector<std::unique_ptr<Motif>> parts;
    for (const char* time : {"10", "20"}) {
      parts.push_back(std::make_unique<Tick>());
      parts.back()->find("time")->parse(time);
    }
    return parts;
  }
};
const RegisterMotif<Series> registered_series{"test_series", Family::probe, "two ticks"};

// Columns of the result: 0 is the job, 1 the first step, ...
std::vector<double> run_once(const workload::Job& job, Verification verification = Verification::off) {
  const mpi::Group world = mpi::Group::view(MPI_COMM_WORLD);
  Chain chain{job, 0};
  const std::vector<mpi::Group> groups = make_groups(world, chain);
  chain.decompose(groups, {"run", "launch", 0}, 1);
  journal.clear();
  SampleBuffer samples{chain.columns()};
  chain.repeat(fake_clock, samples, Phase::measured, StartBarrier::none, verification);
  return {samples.row(0).begin(), samples.row(0).end()};
}

TEST(TimedRegion, HoldsPerformAndNothingElse) {
  const std::vector<double> row = run_once(job_of({tick({{"time", "100"}})}));
  EXPECT_DOUBLE_EQ(row[1], 100e-9);
}

TEST(TimedRegion, OfTheJobLeavesOutWhatIsPreparedStampedCheckedAndReviewed) {
  const workload::Job job = job_of({tick({{"time", "100"}, {"iterations", "2"}}), tick({{"time", "30"}})});
  EXPECT_DOUBLE_EQ(run_once(job)[0], 230e-9);
  EXPECT_DOUBLE_EQ(run_once(job, Verification::on)[0], 230e-9);
}

TEST(TimedRegion, OfAVerifiedRunLeavesOutStampingAndChecking) {
  const std::vector<double> row = run_once(job_of({tick({{"time", "100"}, {"iterations", "3"}})}), Verification::on);
  EXPECT_DOUBLE_EQ(row[1], 300e-9);
}

TEST(TimedRegion, SumsItsIterationsInBothTimerModes) {
  for (const char* timer : {"loop", "iteration"}) {
    const std::vector<double> row = run_once(job_of({tick({{"time", "10"}, {"iterations", "5"}, {"timer", timer}})}));
    EXPECT_DOUBLE_EQ(row[1], 50e-9) << timer;
  }
}

TEST(Chain, TellsEachMotifItsPlaceBeforeItIsDecomposed) {
  journal.clear();
  Chain chain{job_of({tick(), tick()}), 0};
  const std::vector<mpi::Group> groups = make_groups(mpi::Group::view(MPI_COMM_WORLD), chain);
  chain.decompose(groups, {"run-7", "launch", 3}, 1);
  EXPECT_THAT(journal, testing::ElementsAre("bind run-7 3", "decompose", "bind run-7 3", "decompose"));
}

TEST(Chain, PreparesBeforeEachExecutionCountsIterationsAndReviewsAfterIt) {
  run_once(job_of({tick({{"iterations", "2"}}), tick()}));
  EXPECT_THAT(journal, testing::ElementsAre("prepare 0", "perform", "perform", "reduce_metrics", "prepare 0", "perform",
                                            "reduce_metrics", "cleanup", "cleanup"));
}

TEST(Chain, RunsAgainAfterCleanupWithTheSameParametersAndNoEarlierResults) {
  const mpi::Group world = mpi::Group::view(MPI_COMM_WORLD);
  Chain chain{job_of({tick({{"time", "100"}, {"iterations", "2"}})}), 0};
  const std::vector<mpi::Group> groups = make_groups(world, chain);
  for (int round = 1; round <= 2; ++round) {
    chain.decompose(groups, {"run", "launch", 0}, 1);
    journal.clear();
    SampleBuffer samples{chain.columns()};
    chain.repeat(fake_clock, samples, Phase::measured, StartBarrier::none, Verification::off);
    EXPECT_DOUBLE_EQ(samples.row(0)[1], 200e-9);
    EXPECT_EQ(chain.steps()[0].durations.counts.total(), 0U);  // of the loop as a whole
    chain.cleanup();
    EXPECT_THAT(journal, testing::ElementsAre("prepare 0", "perform", "perform", "reduce_metrics", "cleanup"));
  }
}

TEST(Chain, CleanupForgetsTimesOfSingleExecutions) {
  const mpi::Group world = mpi::Group::view(MPI_COMM_WORLD);
  Chain chain{job_of({tick()}), 0};
  const std::vector<mpi::Group> groups = make_groups(world, chain);
  chain.decompose(groups, {"run", "launch", 0}, 1);
  SampleBuffer samples{chain.columns()};
  chain.repeat(fake_clock, samples, Phase::measured, StartBarrier::none, Verification::off);
  EXPECT_EQ(chain.steps()[0].durations.counts.total(), 1U);
  chain.cleanup();
  EXPECT_EQ(chain.steps()[0].durations.counts.total(), 0U);
  EXPECT_EQ(chain.steps()[0].executed, 0U);
}

TEST(Chain, CleanupKeepsTheStepsOfASeries) {
  const mpi::Group world = mpi::Group::view(MPI_COMM_WORLD);
  workload::MotifCall call;
  call.name = "test_series";
  Chain chain{job_of({tick({{"time", "5"}}), call}), 0};
  ASSERT_EQ(chain.steps().size(), 3U);
  chain.cleanup();
  EXPECT_EQ(chain.steps()[0].motif->find("time")->text(), "5");
  EXPECT_EQ(chain.steps()[1].motif->find("time")->text(), "10");
  EXPECT_EQ(chain.steps()[2].motif->find("time")->text(), "20");
}

TEST(Chain, LeavesItsMotifsNameToWhoeverReportsAFault) {
  run_once(job_of({tick()}));
  EXPECT_STREQ(rank_status().motif, "test_tick");  // although the chain is gone
}

TEST(Chain, LoopsAreRunAsOftenAsTheySay) {
  workload::Loop inner;
  inner.count = 3;
  inner.steps = {tick({{"time", "1"}})};
  workload::Loop outer;
  outer.count = 2;
  outer.steps = {tick({{"time", "100"}}), inner};
  const workload::Job job = job_of({outer});
  const Chain chain{job, 0};
  EXPECT_EQ(chain.steps()[0].executions, 2);
  EXPECT_EQ(chain.steps()[1].executions, 6);
  const std::vector<double> row = run_once(job);
  EXPECT_DOUBLE_EQ(row[1], 200e-9);
  EXPECT_DOUBLE_EQ(row[2], 6e-9);
}

TEST(Chain, MetricsAreSummedOverARepetitionAndStartAtZero) {
  workload::Loop loop;
  loop.count = 4;
  loop.steps = {tick()};
  EXPECT_DOUBLE_EQ(run_once(job_of({loop})).back(), 28);
}

TEST(Chain, TakesMetricsAfterTheReview) {
  workload::Loop loop;
  loop.count = 4;
  loop.steps = {tick({{"iterations", "2"}})};
  const std::vector<double> row = run_once(job_of({loop}));
  EXPECT_DOUBLE_EQ(row[2], 8) << "reviewed performs";
}

TEST(Chain, VerificationStampsAndChecksAroundEachIteration) {
  run_once(job_of({tick({{"iterations", "2"}})}), Verification::on);
  EXPECT_THAT(journal, testing::ElementsAre("prepare 0", "fill_payload 0", "perform", "verify 0", "fill_payload 1",
                                            "perform", "verify 1", "reduce_metrics", "cleanup"));
}

TEST(Chain, AFailedVerificationIsAFault) {
  EXPECT_THROW(run_once(job_of({tick({{"wrong", ""}})}), Verification::on), MachineFault);
}

TEST(Chain, HistogramHoldsSingleExecutionsOfMeasuredRepetitionsOnly) {
  const mpi::Group world = mpi::Group::view(MPI_COMM_WORLD);
  Chain chain{job_of({tick({{"time", "1000"}, {"iterations", "4"}, {"timer", "iteration"}})}), 0};
  const std::vector<mpi::Group> groups = make_groups(world, chain);
  chain.decompose(groups, {"run", "launch", 0}, 1);
  SampleBuffer samples{chain.columns()};
  for (const Phase phase : {Phase::warmup, Phase::measured, Phase::extra}) {
    chain.repeat(fake_clock, samples, phase, StartBarrier::none, Verification::off);
  }
  EXPECT_EQ(chain.steps()[0].durations.counts.total(), 4U);
  EXPECT_NEAR(chain.steps()[0].durations.counts.quantile_ns(0.5), 1000, 8);
}

TEST(Chain, AMotifsOwnHistogramsHoldMeasuredRepetitionsOnly) {
  const mpi::Group world = mpi::Group::view(MPI_COMM_WORLD);
  Chain chain{job_of({tick({{"half", "500"}, {"iterations", "4"}})}), 0};
  const std::vector<mpi::Group> groups = make_groups(world, chain);
  chain.decompose(groups, {"run", "launch", 0}, 1);
  SampleBuffer samples{chain.columns()};
  for (const Phase phase : {Phase::warmup, Phase::measured, Phase::extra}) {
    chain.repeat(fake_clock, samples, phase, StartBarrier::none, Verification::off);
  }
  const Durations& halves = chain.steps()[0].motif->histograms()[1]->durations();
  EXPECT_EQ(halves.counts.total(), 4U);
  EXPECT_DOUBLE_EQ(halves.sum_ns, 2000);
  EXPECT_EQ(halves.min_ns, 500);
  EXPECT_EQ(halves.max_ns, 500);
}

TEST(Chain, AnUnknownMotifIsAUsersMistake) {
  workload::MotifCall call;
  call.name = "no_such_motif";
  EXPECT_THROW((Chain{job_of({call}), 0}), UserMistake);
}

}  // namespace
}  // namespace stressbench::scheduler
