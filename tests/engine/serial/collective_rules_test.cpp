// Options that the collectives refuse before anything starts, and the messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rejection.hpp"

namespace stressbench {
namespace {

class CollectiveRefusals : public testing::TestWithParam<Rejection> {};

TEST_P(CollectiveRefusals, NameTheValueAndWhatWouldFit) { expect_rejection(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    OfMotifs, CollectiveRefusals,
    testing::Values(
        Rejection{"barrier", {{"compute", "5us"}}, 2, "compute", "--compute: 5us requires --nonblocking"},
        Rejection{"bcast", {{"late-shape", "linear"}}, 2, "late-shape", "has no effect without --late"},
        Rejection{"bcast", {{"root", "2"}}, 2, "root", "--root: 2, but the job's ranks are 0 to 1"},
        Rejection{"reduce", {{"root", "4"}}, 4, "root", "--root: 4, but the job's ranks are 0 to 3"},
        Rejection{"gather", {{"root", "last"}}, 4, "root", "a rank of the job, or rotate"},
        Rejection{"scatter", {{"size", "10"}, {"type", "double"}}, 2, "size", "10 is not a multiple of doubles of 8"},
        Rejection{"gatherv", {{"skew", "1.5"}}, 2, "skew", "at most 1"},
        Rejection{"gatherv",
                  {{"skew", "0.5"}, {"in-place", ""}, {"root", "rotate"}},
                  2,
                  "in-place",
                  "cannot be combined with --skew and --root rotate"},
        Rejection{"gatherv", {{"size", "1GiB"}}, 4, "size", "at most 536870911 bytes"},
        Rejection{"scatterv", {{"size", "1GiB"}}, 4, "size", "at most 536870911 bytes"},
        Rejection{"allgatherv", {{"size", "1GiB"}}, 4, "size", "at most 536870911 bytes"},
        Rejection{"alltoallv", {{"size", "1GiB"}, {"skew", "1"}}, 4, "size", "at most 268435455 bytes"},
        Rejection{"alltoallw", {{"size", "1GiB"}, {"type", "double"}}, 4, "size", "at most 536870904 bytes"},
        Rejection{"alltoallv", {{"skew", "0.1"}, {"in-place", ""}}, 4, "in-place", "cannot be combined with --skew"},
        Rejection{"alltoall", {{"call", "pairwise"}, {"nonblocking", ""}}, 4, "nonblocking", "not pairwise"},
        Rejection{"reduce_scatter", {{"count", "1000000000"}}, 4, "count", "4000000000 elements"},
        Rejection{"bcast_storm", {{"roots", "5"}}, 4, "roots", "--roots: 5, but the job has 4 ranks"},
        Rejection{"neighbor_alltoall", {}, 1, "", "neighbours need 2 ranks or more, but the job has 1"},
        Rejection{"neighbor_alltoall", {{"dimensions", "4"}}, 4, "dimensions", "at most 3"},
        Rejection{"neighbor_alltoall",
                  {{"dimensions", "2"}, {"topology", "ring"}},
                  4,
                  "dimensions",
                  "requires --topology cartesian or box, not ring"},
        Rejection{"neighbor_allgather", {{"periodic", ""}, {"topology", "nearest"}}, 4, "periodic", "not nearest"},
        Rejection{"neighbor_allgather", {{"reach", "3"}}, 4, "reach", "requires --topology nearest"},
        Rejection{"neighbor_alltoallw", {{"size", "1GiB"}}, 4, "size", "at most 357913941 bytes"}));

TEST(CollectiveSizes, AreWholeElements) {
  const auto gather = MotifCatalogue::instance().make("gather");
  gather->find("type")->parse("int");
  EXPECT_EQ(gather->size_text(Bytes{8}), "8");
  EXPECT_THROW(gather->size_text(Bytes{7}), UserMistake);
  const auto scan = MotifCatalogue::instance().make("scan");
  EXPECT_EQ(scan->size_text(Bytes{64}), "8");
}

// With MPI_IN_PLACE the root sends nothing, so the sum of the others gives its share.
TEST(CollectiveShares, RiseFromRankToRankAndNothingIsLost) {
  const auto given_beside = [](const std::string& root, int ranks) {
    const auto gatherv = MotifCatalogue::instance().make("gatherv");
    gatherv->find("size")->parse("100");
    gatherv->find("skew")->parse("0.5");
    gatherv->find("in-place")->parse("");
    gatherv->find("root")->parse(root);
    return gatherv->traffic(ranks).collective_bytes;
  };
  EXPECT_EQ(given_beside("0", 4), 83 + 117 + 150);
  EXPECT_EQ(given_beside("1", 4), 50 + 117 + 150);
  EXPECT_EQ(given_beside("3", 4), 50 + 83 + 117);
  EXPECT_EQ(given_beside("0", 1), 0);
}

}  // namespace
}  // namespace stressbench
