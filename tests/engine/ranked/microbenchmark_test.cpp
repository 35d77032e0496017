// A motif run on its own: the calls that it gets in addition to its repetitions.
#include "scheduler/microbenchmark.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine_fixture.hpp"

namespace stressbench::scheduler {
namespace {

using namespace stressbench::test;

MicroOptions brief() {
  MicroOptions options;
  options.repetitions = 2;
  options.warmup = 1;
  options.run_id = "run-7";
  return options;
}

MicroResult run(const std::vector<workload::Step>& steps) {
  journal.clear();
  const mpi::Group world = mpi::Group::view(MPI_COMM_WORLD).duplicate();
  return run_microbenchmark(world, fake_clock, job_of(steps), brief());
}

TEST(Microbenchmark, TellsTheMotifItsPlaceOnce) {
  run({tick()});
  EXPECT_THAT(journal, testing::Contains("bind run-7 0").Times(1));
}

TEST(Microbenchmark, TellsEachRemarkOfTheMotifOnceOnRankZero) {
  const MicroResult result = run({tick({{"note", "odd"}}), tick({{"note", "odd"}})});
  if (mpi::Group::view(MPI_COMM_WORLD).rank() == 0) {
    EXPECT_THAT(result.notes, testing::ElementsAre("test_tick: odd", "test_tick: 3"));
  } else {
    EXPECT_TRUE(result.notes.empty());
  }
}

TEST(Microbenchmark, MeasuresExecutionsApartFromWhatTheMotifNotes) {
  const MicroResult result = run({tick({{"time", "100"}, {"half", "50"}, {"iterations", "2"}})});
  if (mpi::Group::view(MPI_COMM_WORLD).rank() != 0) return;
  EXPECT_DOUBLE_EQ(result.rows.front().max_s, 100e-9);
}

}  // namespace
}  // namespace stressbench::scheduler
