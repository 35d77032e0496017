// Nothing is allocated in what is timed.
#include <gtest/gtest.h>

#include "allocations.hpp"
#include "motif_bench.hpp"

namespace stressbench::test {
namespace {

class Allocations : public testing::TestWithParam<std::pair<std::string, Options>> {};

TEST_P(Allocations, AreNoneInPerform) {
  const auto& [name, options] = GetParam();
  const mpi::Group group = mpi::Group::view(MPI_COMM_WORLD).duplicate();
  if (!fits(*make_motif(name, options), group.size())) GTEST_SKIP() << "does not fit " << group.size() << " ranks";
  MotifBench bench(group, name, options);
  const std::int64_t before = allocations();
  for (int i = 0; i < 3; ++i) bench.perform();
  EXPECT_EQ(allocations() - before, 0);
}

INSTANTIATE_TEST_SUITE_P(
    OfMotifs, Allocations,
    testing::Values(
        std::pair{"allreduce", Options{{"count", "100"}}}, std::pair{"allreduce", Options{{"in-place", ""}}},
        std::pair{"alltoall", Options{}}, std::pair{"alltoall", Options{{"call", "alltoallv"}}},
        std::pair{"alltoall", Options{{"call", "pairwise"}}}, std::pair{"pingpong", Options{}},
        std::pair{"pingpong", Options{{"window", "8"}}}, std::pair{"incast", Options{}},
        std::pair{"incast", Options{{"call", "gather"}}},
        std::pair{"incast", Options{{"call", "gatherv"}, {"spread", "0.5"}}}, std::pair{"halo2d", Options{}},
        std::pair{"halo2d", Options{{"depth", "3"}}},
        std::pair{
            "tealeaf",
            Options{{"columns", "40"}, {"rows", "40"}, {"step", ""}, {"distribution", "normal"}, {"deviation", "0.1"}}},
        std::pair{"milc", Options{}}, std::pair{"minife", Options{{"nx", "9"}, {"ny", "8"}, {"nz", "7"}}},
        std::pair{"nekbone", Options{{"elements", "2"}}}, std::pair{"comd", Options{{"nx", "9"}, {"energies", ""}}},
        std::pair{"npb", Options{{"class", "S"}}}, std::pair{"npb", Options{{"benchmark", "ft"}, {"class", "S"}}},
        std::pair{"npb", Options{{"benchmark", "mg"}, {"class", "S"}}},
        std::pair{"npb", Options{{"benchmark", "lu"}, {"class", "S"}}},
        std::pair{"halo3d", Options{{"columns", "20"}, {"rows", "20"}, {"planes", "20"}, {"overlap", ""}}},
        std::pair{"amg", Options{{"points", "6x5x4"}}}, std::pair{"traffic", Options{{"like", "charon"}}},
        std::pair{"compute", Options{{"mean", "100"}, {"distribution", "gamma"}, {"deviation", "50"}, {"-i", "9"}}},
        std::pair{"compute", Options{{"mean", "100"}, {"mode", "sleep"}}},
        std::pair{"mpiio", Options{{"size", "1000"}, {"file", "allocation_test.out"}}}));

TEST(Allocations, AreCounted) {
  const std::int64_t before = allocations();
  const auto one = std::make_unique<int>(1);
  EXPECT_EQ(allocations() - before, *one);
}

}  // namespace
}  // namespace stressbench::test
