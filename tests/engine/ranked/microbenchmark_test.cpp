// A motif by itself: what it is told and asked beside its repetitions.
#include "schedule/microbenchmark.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine_fixture.hpp"

namespace stressbench::schedule {
namespace {

using namespace stressbench::test;

MicroOptions brief() {
  MicroOptions options;
  options.repetitions = 2;
  options.warmup = 1;
  options.run_id = "run-7";
  return options;
}

std::vector<MicroRow> run(const std::vector<workload::Step>& steps) {
  journal.clear();
  const mpi::Group world = mpi::Group::view(MPI_COMM_WORLD).duplicate();
  return run_microbenchmark(world, fake_clock, job_of(steps), brief());
}

TEST(Microbenchmark, TellsTheMotifItsPlaceOnce) {
  run({tick()});
  EXPECT_THAT(journal, testing::Contains("settle run-7 0").Times(1));
}

}  // namespace
}  // namespace stressbench::schedule
