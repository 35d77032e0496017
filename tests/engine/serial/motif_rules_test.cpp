// What motifs refuse before anything starts, and in which words. No MPI is launched here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "motifs/motif.hpp"

namespace stressbench {
namespace {

struct Refusal {
  std::string motif;
  std::vector<std::pair<std::string, std::string>> options;
  int ranks;
  std::string parameter;
  std::string message;
  friend void PrintTo(const Refusal& r, std::ostream* out) {
    *out << r.motif << " on " << r.ranks;
    for (const auto& [option, text] : r.options) *out << ' ' << option << '=' << text;
  }
};

void configure_and_check(const Refusal& refusal, int ranks) {
  const auto motif = MotifCatalogue::instance().make(refusal.motif);
  ASSERT_NE(motif, nullptr);
  for (const auto& [option, text] : refusal.options) motif->find(option)->parse(text);
  motif->check(ranks);
}

class Refusals : public testing::TestWithParam<Refusal> {};

TEST_P(Refusals, NameTheValueAndWhatWouldFit) {
  try {
    configure_and_check(GetParam(), GetParam().ranks);
    ADD_FAILURE() << "was not refused";
  } catch (const ParameterMistake& mistake) {
    EXPECT_EQ(mistake.parameter(), GetParam().parameter);
    EXPECT_THAT(mistake.what(), testing::HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    OfMotifs, Refusals,
    testing::Values(
        Refusal{"allreduce", {{"count", "3000000000"}}, 2, "count", "'3000000000': must be at most 2147483647"},
        Refusal{"allreduce", {{"op", "average"}}, 2, "op", "one of sum, min, max, prod"},
        Refusal{"alltoall", {{"size", "3GiB"}}, 2, "size", "at most 2147483647 bytes"},
        Refusal{"alltoall", {{"size", "1GiB"}, {"call", "alltoallv"}}, 4, "size", "at most 536870911 bytes"},
        Refusal{"alltoall", {{"in-place", ""}, {"call", "pairwise"}}, 2, "in-place", "--call alltoall or alltoallv"},
        Refusal{"pingpong", {}, 1, "", "needs 2 ranks or more, but the job has 1"},
        Refusal{"pingpong", {{"size", "2147483648"}}, 2, "size", "at most 2147483647 bytes"},
        Refusal{"pingpong", {{"window", "0"}}, 2, "window", "greater than 0"},
        Refusal{"pingpong", {{"pairs", "random"}}, 2, "pairs", "random:SEED"},
        Refusal{"pingpongalllatencies", {}, 1, "", "needs 2 ranks or more"},
        Refusal{"pingpongalllatencies", {{"sizes", "8,,16"}}, 2, "sizes", "an item of the list is empty"},
        Refusal{"pingpongalllatencies", {{"sizes", "8,4GiB"}}, 2, "sizes", "each at most 2147483647 bytes"},
        Refusal{"incast", {}, 1, "", "needs 2 ranks or more, but the job has 1"},
        Refusal{"incast", {{"root", "4"}}, 4, "root", "--root: 4, but the job's ranks are 0 to 3"},
        Refusal{"incast", {{"senders", "4"}}, 4, "senders", "--senders: 4, but beside the root the job has 3 ranks"},
        Refusal{"incast", {{"spread", "0.5"}, {"call", "gather"}}, 4, "spread", "use --call send or gatherv"},
        Refusal{"incast", {{"spread", "1.5"}}, 4, "spread", "at most 1"},
        Refusal{
            "incast", {{"size", "2GB"}, {"spread", "0.5"}}, 4, "spread", "has 3000000000 bytes, at most 2147483647"},
        Refusal{"incast", {{"size", "1GB"}, {"call", "gatherv"}}, 4, "size", "3 senders give 3000000000 bytes"},
        Refusal{"halo2d", {{"grid", "3x2"}}, 8, "grid", "--grid: 3x2 has 6 ranks, but the job has 8; 4x2 would fit"},
        Refusal{"halo2d", {{"columns", "3"}}, 16, "columns", "--columns: 3 cells are too few for 4 ranks"},
        Refusal{"halo2d", {{"rows", "1"}}, 4, "rows", "--rows: 1 cells are too few for 2 ranks"},
        Refusal{"halo2d",
                {{"columns", "20"}, {"depth", "6"}},
                16,
                "depth",
                "--depth: 6, but the smallest block has 5 columns; at most 5"},
        Refusal{"halo2d", {{"rows", "2147483647"}, {"fields", "2"}}, 1, "fields", "more than 2147483647 doubles"},
        Refusal{"halo2d",
                {{"rows", "2147483647"}, {"columns", "2147483647"}, {"depth", "2147483647"}, {"fields", "1000"}},
                1,
                "fields",
                "more than 2147483647 doubles"},
        Refusal{
            "milc", {{"nx", "9"}}, 2, "nx", "--nx: 9 is odd, but sites of two parities need even sides, such as 10"},
        Refusal{"milc", {}, 3, "grid", "factor 3 divides; a multiple of 3 as a side would do"},
        Refusal{"milc", {{"nx", "118"}}, 59, "grid", "factor 59 divides; factors up to 53 would do"},
        Refusal{"milc",
                {{"nx", "4"}, {"ny", "4"}, {"nz", "4"}, {"nt", "4"}},
                2,
                "nx",
                "--nx: 4 sites on 2 ranks are fewer than 3 each"},
        Refusal{"milc", {{"grid", "3x1x1x1"}}, 3, "grid", "--grid: 3 ranks do not divide --nx 8"},
        Refusal{"milc", {{"grid", "2x2x1x1"}}, 8, "grid", "2x2x1x1 has 4 ranks, but the job has 8; 2x2x2x1 would fit"},
        Refusal{"minife", {{"nx", "2"}, {"ny", "2"}, {"nz", "2"}}, 9, "nx", "would get no elements of 2 x 2 x 2"},
        Refusal{"nekbone", {{"brick", "3x3x3"}}, 4, "brick", "3x3x3 has 27 elements, but --elements says 32; 4x4x2"},
        Refusal{"nekbone", {{"grid", "3x1x1"}}, 4, "grid", "3x1x1 has 3 ranks, but the job has 4; 2x2x1 would fit"},
        Refusal{"nekbone", {{"grid", "4x1x1"}, {"line", ""}}, 4, "grid", "with --line elements stand in one row"},
        Refusal{"comd",
                {{"ny", "5"}},
                8,
                "ny",
                "--ny: 5 cells of 3.615 A on 2 ranks have no two link cells of 4.95 A each; at least 6"},
        Refusal{"npb", {}, 6, "benchmark", "CG runs on a power of two of ranks, but the job has 6; 4 would fit"},
        Refusal{"npb", {{"benchmark", "ft"}, {"class", "W"}}, 2048, "class", "pencils for 1024 ranks at most"},
        Refusal{"npb", {{"benchmark", "mg"}, {"class", "S"}}, 65536, "class", "32768 would fit"},
        Refusal{"npb", {{"benchmark", "lu"}}, 8 * 3 - 1, "benchmark", "23 make 23x1; 20 would fit"},
        Refusal{
            "npb", {{"benchmark", "lu"}, {"class", "S"}}, 25, "class", "12 points along 5 ranks are fewer than 3 each"},
        Refusal{"npb", {{"class", "G"}}, 4, "class", "one of S, W, A, B, C, D, E, F"},
        Refusal{"halo3d",
                {{"rows", "3"}, {"depth", "2"}},
                8,
                "rows",
                "3 cells in 2 blocks are fewer than the halo is deep (2); at least 4"},
        Refusal{"halo3d", {{"points", "9"}}, 8, "points", "one of 7, 19, 27"},
        Refusal{"amg", {{"grid", "2x2x2"}}, 4, "grid", "2x2x2 has 8 ranks, but the job has 4; 2x2x1 would fit"},
        Refusal{"amg", {{"points", "auto"}}, 4, "points", "must be sides: 16x16x16"},
        Refusal{"amg", {{"levels", "/none/levels.txt"}}, 4, "levels", "'/none/levels.txt' cannot be read"},
        Refusal{"traffic", {}, 1, "", "needs 2 ranks or more, but the job has 1"},
        Refusal{"traffic",
                {{"like", "charon"}, {"smallest", "2KiB"}},
                4,
                "largest",
                "1024 bytes are fewer than the smallest, 2048"},
        Refusal{"compute", {{"mean", "0"}}, 1, "mean", "greater than 0"},
        Refusal{"compute", {{"distribution", "normal"}}, 1, "deviation", "normal needs one greater than 0"},
        Refusal{"compute", {{"deviation", "5us"}}, 1, "deviation", "constant has none to choose"},
        Refusal{"compute", {{"imbalance", "1.5"}}, 2, "imbalance", "at most 1 with --imbalance-shape linear"},
        Refusal{"mpiio", {{"ranks", "255"}}, 256, "ranks", "--ranks: 255, but the job has 256"},
        Refusal{"mpiio", {{"size", "0"}}, 2, "size", "greater than 0"},
        Refusal{"mpiio", {{"file", ""}}, 2, "file", "not empty"},
        Refusal{"mpiio", {{"call", "MPI_File_writ_all"}}, 2, "call", "did you mean 'MPI_File_write_all'?"}));

TEST(MotifRules, AcceptTheLargestThatFits) {
  EXPECT_NO_THROW(configure_and_check({"alltoall", {{"size", "536870911"}, {"call", "alltoallv"}}, 4, "", ""}, 4));
  EXPECT_NO_THROW(configure_and_check({"halo2d", {{"columns", "20"}, {"depth", "5"}}, 16, "", ""}, 16));
  EXPECT_NO_THROW(configure_and_check({"halo2d", {{"columns", "4"}, {"rows", "2"}}, 8, "", ""}, 8));
  EXPECT_NO_THROW(configure_and_check({"incast", {{"size", "715827882"}, {"call", "gatherv"}}, 4, "", ""}, 4));
  EXPECT_NO_THROW(configure_and_check({"compute", {{"imbalance", "7"}, {"imbalance-shape", "single"}}, 2, "", ""}, 2));
  EXPECT_NO_THROW(configure_and_check({"mpiio", {{"ranks", "256"}}, 256, "", ""}, 256));
}

TEST(MotifRules, ASweepOverSizesFindsTheCountForASize) {
  const auto motif = MotifCatalogue::instance().make("AllReduce");
  EXPECT_EQ(motif->size_text(Bytes{64}), "8");
  EXPECT_EQ(motif->size_text(Bytes{0}), "0");
  EXPECT_THROW(motif->size_text(Bytes{7}), UserMistake);
  motif->find("type")->parse("char");
  EXPECT_EQ(motif->size_text(Bytes{7}), "7");
}

TEST(MotifRules, TrafficDoesNotOverflowWhereManyLargeMessagesAreSent) {
  const auto motif = MotifCatalogue::instance().make("alltoall");
  motif->find("size")->parse("2147483647");
  EXPECT_EQ(motif->traffic(65'536).collective_bytes, 2147483647LL * 65'536 * 65'536);
}

TEST(Catalogue, ListsItsMotifsInOrderOfFamilyAndName) {
  std::vector<std::pair<Family, std::string>> listed;
  for (const auto& entry : MotifCatalogue::instance().entries()) listed.emplace_back(entry.family, entry.name);
  EXPECT_TRUE(std::ranges::is_sorted(listed));
  EXPECT_THAT(listed, testing::IsSupersetOf({std::pair<Family, std::string>{Family::point_to_point, "incast"},
                                             {Family::collective, "alltoall"},
                                             {Family::application, "halo2d"},
                                             {Family::storage, "mpiio"}}));
}

TEST(Catalogue, FindsANameInAnyCaseAndNothingElse) {
  EXPECT_NE(MotifCatalogue::instance().make("Halo2D"), nullptr);
  EXPECT_EQ(MotifCatalogue::instance().make("halo4d"), nullptr);
}

}  // namespace
}  // namespace stressbench
