// Nothing is allocated in the timed region.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

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
  for (std::uint64_t execution = 0; execution < 3; ++execution) {
    bench->prepare(execution);
    const std::int64_t before = allocations();
    bench.perform();
    EXPECT_EQ(allocations() - before, 0);
  }
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0;
  std::int64_t resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// The options, with computation switched off if the motif permits it.
Options without_computation(const std::string& name, const Options& options) {
  Options all = options;
  try {
    make_motif(name)->find("compute")->parse("off");
    all.emplace_back("compute", "off");
  } catch (const ParameterMistake&) {  // for collectives, this option is a time
  }
  return all;
}

// Memory or MPI objects that each repetition leaves behind would add up.
TEST_P(Allocations, LeaveNothingBehindInTenThousandRepetitions) {
  const auto& [name, given] = GetParam();
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer keeps what was freed, and looks for leaks itself";
#endif
  if (world_size() != 2) GTEST_SKIP() << "on 2 ranks";
  if (name == "mpiio") GTEST_SKIP() << "opens a file each time";
  const Options options = make_motif(name)->find("compute") ? without_computation(name, given) : given;
  const mpi::Group group = mpi::Group::view(MPI_COMM_WORLD).duplicate();
  if (!fits(*make_motif(name, options), group.size())) GTEST_SKIP() << "does not fit 2 ranks";
  MotifBench bench(group, name, options);
  const auto repeat = [&](int times) {
    for (int i = 1; i <= times; ++i) {
      bench.perform();
      if (i % 50 == 0) group.barrier();  // ranks that run ahead would fill the library's buffers
    }
  };
  repeat(1000);
  const std::int64_t before = resident_bytes();
  repeat(10'000);
  // One object per repetition would take more: even a datatype has some 200 bytes.
  EXPECT_LT(resident_bytes() - before, 10'000 * 100);
}

INSTANTIATE_TEST_SUITE_P(
    OfMotifs, Allocations,
    testing::Values(
        std::pair{"allreduce", Options{{"count", "100"}}}, std::pair{"allreduce", Options{{"in-place", ""}}},
        std::pair{"alltoall", Options{}}, std::pair{"alltoall", Options{{"call", "alltoallv"}}},
        std::pair{"alltoall", Options{{"call", "pairwise"}}}, std::pair{"pingpong", Options{}},
        std::pair{"pingpong", Options{{"layout", "vector"}}}, std::pair{"bandwidth", Options{{"window", "8"}}},
        std::pair{"bandwidth", Options{{"window", "8"}, {"direction", "both"}}}, std::pair{"sendrecv", Options{}},
        std::pair{"exchange", Options{}}, std::pair{"pingping", Options{}}, std::pair{"one_way_delay", Options{}},
        std::pair{"incast", Options{}}, std::pair{"incast", Options{{"roots", "2"}}},
        std::pair{"outcast", Options{{"roots", "2"}}}, std::pair{"put", Options{{"sync", "fence"}}},
        std::pair{"put", Options{{"operations", "4"}, {"pattern", "all_to_all"}}},
        std::pair{"get", Options{{"sync", "pscw"}, {"pattern", "exchange"}}},
        std::pair{"accumulate", Options{{"flush", ""}}},
        std::pair{"accumulate", Options{{"call", "get_accumulate"}, {"sync", "lock_all"}}},
        std::pair{"atomic", Options{{"call", "compare_and_swap"}}}, std::pair{"all_pairs", Options{}},
        std::pair{"b_eff",
                  Options{{"sizes", "8"}, {"rings", "1"}, {"polygons", "1"}, {"best-of", "1"}, {"loops", "2"}}},
        std::pair{"threads", Options{}}, std::pair{"shift", Options{}}, std::pair{"tornado", Options{}},
        std::pair{"compression", Options{{"messages", "3"}, {"pause", "10us"}}},
        std::pair{"permutation", Options{{"draw", "iteration"}, {"-i", "3"}}}, std::pair{"bisection", Options{}},
        std::pair{"bisection", Options{{"cut", "best"}}},
        std::pair{"hotspot", Options{{"draw", "iteration"}, {"-i", "3"}}},
        std::pair{"incast", Options{{"call", "gather"}}},
        std::pair{"incast", Options{{"call", "gatherv"}, {"spread", "0.5"}}}, std::pair{"barrier", Options{}},
        std::pair{"barrier", Options{{"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"bcast", Options{}},
        std::pair{"bcast", Options{{"root", "rotate"}, {"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"gather", Options{}},
        std::pair{"gather", Options{{"root", "rotate"}, {"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"gatherv", Options{}},
        std::pair{"gatherv", Options{{"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"scatter", Options{}},
        std::pair{"scatter", Options{{"root", "rotate"}, {"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"scatterv", Options{}},
        std::pair{"scatterv", Options{{"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"allgather", Options{}},
        std::pair{"allgather", Options{{"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"allgatherv", Options{}},
        std::pair{"allgatherv", Options{{"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"alltoallv", Options{}},
        std::pair{"alltoallv", Options{{"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"alltoallw", Options{}},
        std::pair{"alltoallw", Options{{"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"reduce", Options{}},
        std::pair{"reduce", Options{{"root", "rotate"}, {"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"reduce_scatter", Options{}},
        std::pair{"reduce_scatter", Options{{"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"reduce_scatter_block", Options{}},
        std::pair{"reduce_scatter_block", Options{{"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"scan", Options{}},
        std::pair{"scan", Options{{"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"exscan", Options{}},
        std::pair{"exscan", Options{{"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"neighbor_allgather", Options{}},
        std::pair{"neighbor_allgather", Options{{"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"neighbor_allgatherv", Options{}},
        std::pair{"neighbor_allgatherv", Options{{"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"neighbor_alltoall", Options{}},
        std::pair{"neighbor_alltoall", Options{{"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"neighbor_alltoallv", Options{}},
        std::pair{"neighbor_alltoallv", Options{{"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"neighbor_alltoallw", Options{}},
        std::pair{"neighbor_alltoallw", Options{{"nonblocking", ""}, {"compute", "100"}, {"late", "100"}}},
        std::pair{"bcast_storm", Options{}}, std::pair{"halo2d", Options{}},
        std::pair{"halo2d", Options{{"depth", "3"}}},
        std::pair{
            "tealeaf",
            Options{{"columns", "40"}, {"rows", "40"}, {"step", ""}, {"distribution", "normal"}, {"deviation", "0.1"}}},
        std::pair{"sweep3d", Options{{"kt", "7"}, {"scale", "0.01"}}}, std::pair{"lulesh", Options{{"-s", "3"}}},
        std::pair{"cloverleaf", Options{{"-x", "31"}, {"-y", "13"}}},
        std::pair{"swfft", Options{{"ngx", "12"}, {"driver", ""}}}, std::pair{"fft2d", Options{{"nx", "20"}}},
        std::pair{"fft3d", Options{{"nx", "10"}, {"decomposition", "pencils"}, {"call", "alltoallv"}}},
        std::pair{"vpfft", Options{{"nx", "8"}}}, std::pair{"ptrans", Options{{"matrix", "50"}}},
        std::pair{"milc", Options{}}, std::pair{"minife", Options{{"nx", "9"}, {"ny", "8"}, {"nz", "7"}}},
        std::pair{"nekbone", Options{{"elements", "2"}}}, std::pair{"comd", Options{{"nx", "9"}, {"energies", ""}}},
        std::pair{"mcb", Options{{"particles", "100"}, {"zones-x", "9"}, {"zones-y", "7"}, {"cycles", "1"}}},
        std::pair{"npb", Options{{"class", "S"}}}, std::pair{"npb", Options{{"benchmark", "ft"}, {"class", "S"}}},
        std::pair{"npb", Options{{"benchmark", "mg"}, {"class", "S"}}},
        std::pair{"npb", Options{{"benchmark", "lu"}, {"class", "S"}}},
        std::pair{"npb", Options{{"benchmark", "bt"}, {"class", "S"}}},
        std::pair{"npb", Options{{"benchmark", "sp"}, {"class", "S"}}},
        std::pair{"npb", Options{{"benchmark", "is"}, {"class", "S"}}},
        std::pair{"halo3d", Options{{"columns", "20"}, {"rows", "20"}, {"planes", "20"}, {"overlap", ""}}},
        std::pair{"amg", Options{{"points", "6x5x4"}}},
        std::pair{"umt", Options{{"zones", "1x2x1"}, {"groups", "2"}, {"order", "2"}, {"temperature-iterations", "2"}}},
        std::pair{"stencil", Options{{"null-calls", ""}}}, std::pair{"traffic", Options{{"like", "charon"}}},
        std::pair{"compute", Options{{"mean", "100"}, {"distribution", "gamma"}, {"deviation", "50"}, {"-i", "9"}}},
        std::pair{"compute", Options{{"mean", "100"}, {"mode", "sleep"}}},
        std::pair{"mpiio", Options{{"size", "1000"}, {"file", "allocation_test.out"}}},
        std::pair{"metadata", Options{{"files", "2"}, {"-i", "3"}, {"size", "9"}, {"file", "allocation_metadata.out"}}},
        std::pair{"metadata", Options{{"files", "2"},
                                      {"do", "stat"},
                                      {"random", ""},
                                      {"-i", "3"},
                                      {"file", "allocation_metadata.out"}}}));

TEST(Allocations, AreCounted) {
  const std::int64_t before = allocations();
  const auto one = std::make_unique<int>(1);
  EXPECT_EQ(allocations() - before, *one);
}

}  // namespace
}  // namespace stressbench::test
