// The calls that collectives make, in both forms and with every kind of root.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>

#include "capture.hpp"
#include "motif_bench.hpp"

namespace stressbench::test {
namespace {

const Options size{{"size", "100"}};
const Options count{{"count", "10"}, {"type", "int"}, {"op", "max"}};

struct Case {
  std::string motif;
  Options options;
  std::string call;
  int bytes;
  bool from_all = false;  // `bytes` from each rank, recorded as their sum
  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.motif; }
  std::string token(int ranks) const { return fmt::format("{}:{}@{}", call, from_all ? bytes * ranks : bytes, ranks); }
};

capture::Record performed(MotifBench& bench) {
  capture::start();
  bench.perform();
  return capture::stop();
}
std::string calls_of(const mpi::Group& group, const std::string& motif, const Options& options) {
  MotifBench bench(group, motif, options);
  return capture::joined(performed(bench).tokens);
}

class CollectiveCalls : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!fits(*make_motif(GetParam().motif, GetParam().options), world_size())) GTEST_SKIP() << "needs more ranks";
  }
  mpi::Group world_ = mpi::Group::view(MPI_COMM_WORLD);
};

TEST_P(CollectiveCalls, AreOneOfTheBytesAskedFor) {
  EXPECT_EQ(calls_of(world_, GetParam().motif, GetParam().options), GetParam().token(world_.size()));
}

TEST_P(CollectiveCalls, AreStartedAndWaitedForInTheNonblockingForm) {
  Options options = GetParam().options;
  options.emplace_back("nonblocking", "");
  std::string token = GetParam().token(world_.size());
  token.front() = static_cast<char>(std::tolower(token.front()));
  EXPECT_EQ(calls_of(world_, GetParam().motif, options), "I" + token + " W(1)");
}

INSTANTIATE_TEST_SUITE_P(
    OfMotifs, CollectiveCalls,
    testing::Values(
        Case{"barrier", {}, "Barrier", 0}, Case{"bcast", size, "Bcast", 100}, Case{"gather", size, "Gather", 100},
        Case{"gatherv", size, "Gatherv", 100}, Case{"scatter", size, "Scatter", 100},
        Case{"scatterv", size, "Scatterv", 100}, Case{"allgather", size, "Allgather", 100},
        Case{"allgatherv", size, "Allgatherv", 100, true}, Case{"alltoall", size, "Alltoall", 100},
        Case{"alltoallv", size, "Alltoallv", 100, true}, Case{"alltoallw", size, "Alltoallw", 100, true},
        Case{"allreduce", count, "Allreduce[MAX]", 40}, Case{"reduce", count, "Reduce[MAX]", 40},
        Case{"scan", count, "Scan[MAX]", 40}, Case{"exscan", count, "Exscan[MAX]", 40},
        Case{"reduce_scatter", count, "Reduce_scatter[MAX]", 40, true},
        Case{"reduce_scatter_block", count, "Reduce_scatter_block[MAX]", 40, true},
        Case{"neighbor_allgather", size, "Neighbor_allgather", 100},
        Case{"neighbor_allgatherv", size, "Neighbor_allgatherv", 100},
        Case{"neighbor_alltoall", size, "Neighbor_alltoall", 100},
        Case{"neighbor_alltoallv", {{"size", "100"}, {"periodic", ""}, {"dimensions", "1"}}, "Neighbor_alltoallv", 200},
        Case{"neighbor_alltoallw",
             {{"size", "100"}, {"periodic", ""}, {"dimensions", "2"}},
             "Neighbor_alltoallw",
             400}));

TEST(CollectiveCalls, HaveEachRankForTheirRootInTurn) {
  const auto world = mpi::Group::view(MPI_COMM_WORLD);
  MotifBench bench(world, "scatter", {{"root", "rotate"}, {"size", "100"}});
  for (int i = 0; i < 2 * world.size(); ++i) {
    const bool is_root = world.rank() == i % world.size();
    EXPECT_EQ(performed(bench).sent.collective_bytes, is_root ? 100 * world.size() : 0) << "call " << i;
  }
}

TEST(CollectiveCalls, AreCheckedAgainstTheRootTheyHad) {
  for (const std::string motif : {"bcast", "gather", "gatherv", "scatter", "scatterv", "reduce"}) {
    MotifBench bench(mpi::Group::view(MPI_COMM_WORLD), motif, {{"root", "rotate"}});
    for (std::uint64_t pass = 0; pass < 9; ++pass) {
      bench->fill_payload(pass);
      bench.perform();
      EXPECT_NO_THROW(bench->verify(pass)) << motif;
      bench.perform();  // an iteration that is not verified
    }
  }
}

TEST(CollectiveCalls, OfAStormAreOneForEachRootAndOneWait) {
  const auto world = mpi::Group::view(MPI_COMM_WORLD);
  std::string all;
  for (int root = 0; root < world.size(); ++root) all += fmt::format("Ibcast:100@{} ", world.size());
  EXPECT_EQ(calls_of(world, "bcast_storm", size), all + fmt::format("Wa({})", world.size()));
  EXPECT_EQ(calls_of(world, "bcast_storm", {{"size", "100"}, {"roots", "1"}}),
            fmt::format("Ibcast:100@{} Wa(1)", world.size()));
}

}  // namespace
}  // namespace stressbench::test
