// Options that motifs refuse before anything starts, and the messages. Without MPI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "rejection.hpp"

namespace stressbench {
namespace {

class Refusals : public testing::TestWithParam<Rejection> {};

TEST_P(Refusals, NameTheValueAndWhatWouldFit) { expect_rejection(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    OfMotifs, Refusals,
    testing::Values(
        Rejection{"allreduce", {{"count", "3000000000"}}, 2, "count", "'3000000000': must be at most 2147483647"},
        Rejection{"allreduce", {{"op", "average"}}, 2, "op", "one of sum, min, max, prod"},
        Rejection{"alltoall", {{"size", "3GiB"}}, 2, "size", "at most 2147483647 bytes"},
        Rejection{"alltoall", {{"size", "1GiB"}, {"call", "alltoallv"}}, 4, "size", "at most 536870911 bytes"},
        Rejection{"alltoall", {{"in-place", ""}, {"call", "pairwise"}}, 2, "in-place", "--call alltoall or alltoallv"},
        Rejection{"pingpong", {}, 1, "", "needs 2 ranks or more, but the job has 1"},
        Rejection{"pingpong", {{"size", "2147483648"}}, 2, "size", "at most 2147483647 bytes"},
        Rejection{"pingpong", {{"stride", "0"}}, 2, "stride", "greater than 0"},
        Rejection{"pingpong", {{"block", "4"}}, 2, "block", "--block: a contiguous message has no gaps"},
        Rejection{"pingpong",
                  {{"layout", "vector"}, {"size", "12"}},
                  2,
                  "block",
                  "--block: 8 does not divide a message of 12"},
        Rejection{"exchange",
                  {{"layout", "vector"}, {"stride", "7"}},
                  2,
                  "stride",
                  "blocks of 8 bytes overlap at 7; at least 8"},
        Rejection{"sendrecv",
                  {{"layout", "vector"}, {"size", "2147483640"}},
                  2,
                  "stride",
                  "take 4294967280 bytes of memory, at most"},
        Rejection{"sendrecv", {}, 1, "", "sendrecv needs 2 ranks or more, but the job has 1"},
        Rejection{"exchange", {}, 1, "", "exchange needs 2 ranks or more, but the job has 1"},
        Rejection{"pingping", {}, 1, "", "pingping needs 2 ranks or more, but the job has 1"},
        Rejection{"bandwidth", {}, 1, "", "bandwidth needs 2 ranks or more, but the job has 1"},
        Rejection{"bandwidth", {{"window", "0"}}, 2, "window", "greater than 0"},
        Rejection{"pingpong", {{"pairs", "random"}}, 2, "pairs", "random:SEED"},
        Rejection{"pingpongalllatencies", {}, 1, "", "needs 2 ranks or more"},
        Rejection{"pingpongalllatencies", {{"sizes", "8,,16"}}, 2, "sizes", "an item of the list is empty"},
        Rejection{"pingpongalllatencies", {{"sizes", "8,4GiB"}}, 2, "sizes", "each at most 2147483647 bytes"},
        Rejection{"incast", {}, 1, "", "needs 2 ranks or more, but the job has 1"},
        Rejection{"incast", {{"root", "4"}}, 4, "root", "--root: 4, but the job's ranks are 0 to 3"},
        Rejection{"incast", {{"senders", "4"}}, 4, "senders", "--senders: 4, but beside the root the job has 3 ranks"},
        Rejection{"incast", {{"senders", "3"}, {"roots", "2"}}, 4, "senders", "beside the roots the job has 2 ranks"},
        Rejection{"incast", {{"roots", "4"}}, 4, "roots", "--roots: 4 of 4 ranks leave no sender; at most 3"},
        Rejection{"incast", {{"roots", "2"}, {"call", "gather"}}, 4, "roots", "a gather has one root; use --call send"},
        Rejection{"b_eff", {}, 1, "", "b_eff needs 2 ranks or more, but the job has 1"},
        Rejection{"b_eff", {{"rings", "1,7"}}, 2, "rings", "--rings: 7: expected numbers from 1 to 6"},
        Rejection{"b_eff", {{"memory", "64KiB"}}, 2, "lmax", "the longest message would have 512 bytes"},
        Rejection{"b_eff", {{"sizes", "1,0"}}, 2, "sizes", "--sizes: 0: expected 1 to 2147483647 bytes"},
        Rejection{"b_eff", {{"sizes", "8,1,8"}}, 2, "sizes", "--sizes: 8: expected each size once"},
        Rejection{"b_eff", {{"buffered", "1"}}, 2, "buffered", "2 or more"},
        Rejection{"b_eff", {{"iterations", "2"}}, 2, "iterations", "use 1 iteration and more repetitions"},
        Rejection{"b_eff_io", {{"iterations", "2"}}, 2, "iterations", "use 1 iteration and more repetitions"},
        Rejection{"b_eff_io", {{"partitions", "2,5"}}, 4, "partitions", "--partitions: 5: expected 1 to 4 ranks"},
        Rejection{"b_eff_io", {{"partitions", "0"}}, 4, "partitions", "--partitions: 0: expected 1 to 4 ranks"},
        Rejection{"b_eff_io", {{"types", "0,5"}}, 2, "types", "--types: 5: expected numbers from 0 to 4, each once"},
        Rejection{"b_eff_io", {{"types", "1,1"}}, 2, "types", "--types: 1: expected numbers from 0 to 4, each once"},
        Rejection{"b_eff_io", {{"types", "3,4"}}, 2, "types", "follows from types 0 to 2; add one of them"},
        Rejection{"b_eff_io", {{"mpart", "1000"}}, 2, "mpart", "--mpart: 1000: expected 1 MiB or more"},
        Rejection{"b_eff_io", {{"mpart", "2097153"}}, 2, "mpart", "in multiples of 8 bytes"},
        Rejection{"b_eff_io", {{"release", "3"}}, 2, "release", "1 or 2"},
        Rejection{"b_eff_io", {{"hint", "a=1,a=2"}}, 2, "hint", "a is given twice"},
        Rejection{"all_pairs", {}, 1, "", "all_pairs needs 2 ranks or more, but the job has 1"},
        Rejection{"all_pairs",
                  {{"iterations", "2"}},
                  2,
                  "iterations",
                  "use 1 iteration, and --rounds for longer measurements"},
        Rejection{
            "threads", {{"threads", "3"}}, 2, "threads", "--threads: 3 does not divide a message of 1048576 bytes"},
        Rejection{"put", {}, 1, "", "needs 2 ranks or more, but the job has 1"},
        Rejection{"put", {{"sync", "pscw"}, {"flush", ""}}, 2, "flush", "--flush: --sync pscw has no locks to hold"},
        Rejection{"get",
                  {{"pattern", "exchange"}, {"pairs", "halves"}},
                  2,
                  "pairs",
                  "--pairs: --pattern exchange has no pairs"},
        Rejection{"accumulate", {{"size", "12"}}, 2, "size", "a multiple of 8 bytes"},
        Rejection{"atomic", {{"operations", "0"}}, 2, "operations", "greater than 0"},
        Rejection{"outcast", {{"roots", "4"}}, 4, "roots", "--roots: 4 of 4 ranks leave no receiver; at most 3"},
        Rejection{"outcast", {{"root", "4"}}, 4, "root", "--root: 4, but the job's ranks are 0 to 3"},
        Rejection{"shift", {{"distance", "4"}}, 4, "distance", "--distance: 4, but 4 ranks are at most 3 apart"},
        Rejection{"tornado", {}, 2, "", "tornado needs 3 ranks or more, but the job has 2"},
        Rejection{"compression", {}, 1, "", "compression needs 2 ranks or more, but the job has 1"},
        Rejection{"compression", {{"partners", "4"}}, 4, "partners", "--partners: 4, but each of 4 ranks has 3 others"},
        Rejection{"compression", {{"pause", "0s"}}, 4, "pause", "greater than 0"},
        Rejection{"permutation", {}, 1, "", "permutation needs 2 ranks or more"},
        Rejection{"bisection", {}, 1, "", "bisection needs 2 ranks or more"},
        Rejection{"bisection", {{"cut", "best"}}, 2, "", "bisection --cut best needs 3 ranks or more"},
        Rejection{"hotspot", {{"hot", "4"}}, 4, "hot", "--hot: 4, but the job's ranks are 0 to 3"},
        Rejection{"hotspot", {{"fraction", "1.1"}}, 4, "fraction", "at most 1"},
        Rejection{"incast", {{"spread", "0.5"}, {"call", "gather"}}, 4, "spread", "use --call send or gatherv"},
        Rejection{"incast", {{"spread", "1.5"}}, 4, "spread", "at most 1"},
        Rejection{
            "incast", {{"size", "2GB"}, {"spread", "0.5"}}, 4, "spread", "has 3000000000 bytes, at most 2147483647"},
        Rejection{"incast", {{"size", "1GB"}, {"call", "gatherv"}}, 4, "size", "3 senders give 3000000000 bytes"},
        Rejection{"tealeaf",
                  {{"columns", "7"}, {"depth", "4"}},
                  4,
                  "columns",
                  "7 cells in 2 blocks are fewer than the depth of the halo (4)"},
        Rejection{
            "tealeaf", {{"distribution", "normal"}}, 4, "deviation", "normal requires a deviation greater than 0"},
        Rejection{"tealeaf", {{"deviation", "0.1"}}, 4, "deviation", "constant has no deviation"},
        Rejection{"tealeaf",
                  {{"columns", "2147483647"}, {"depth", "200"}, {"step", ""}},
                  1 + 3,
                  "",
                  "longer than MPI's counts allow"},
        Rejection{"data_parallel", {{"algorithm", "ring"}}, 4, "blocking", "ring cannot run in the background"},
        Rejection{"tensor_parallel", {{"degree", "3"}}, 4, "degree", "3 does not divide 4 ranks"},
        Rejection{"tensor_parallel",
                  {{"tokens", "10"}, {"sequence-parallel", ""}},
                  4,
                  "tokens",
                  "10 are not divided by a group of 4"},
        Rejection{"tensor_parallel", {{"model", "resnet-50"}}, 4, "hidden", "resnet-50 has no single width"},
        Rejection{"pipeline_parallel", {{"layers", "3"}}, 4, "layers", "3 layers are too few for 4 ranks"},
        Rejection{"pipeline_parallel", {{"micro-batches", "7"}}, 4, "micro-batches", "7 does not divide 8192 tokens"},
        Rejection{"parameter_server", {{"servers", "4"}}, 4, "servers", "at most 3"},
        Rejection{"halo2d", {{"grid", "3x2"}}, 8, "grid", "--grid: 3x2 has 6 ranks, but the job has 8; 4x2 would fit"},
        Rejection{"halo2d", {{"columns", "3"}}, 16, "columns", "--columns: 3 cells are too few for 4 ranks"},
        Rejection{"halo2d", {{"rows", "1"}}, 4, "rows", "--rows: 1 cells are too few for 2 ranks"},
        Rejection{"halo2d",
                  {{"columns", "20"}, {"depth", "6"}},
                  16,
                  "depth",
                  "--depth: 6, but the smallest block has 5 columns; at most 5"},
        Rejection{"halo2d", {{"rows", "2147483647"}, {"fields", "2"}}, 1, "fields", "more than 2147483647 doubles"},
        Rejection{"halo2d",
                  {{"rows", "2147483647"}, {"columns", "2147483647"}, {"depth", "2147483647"}, {"fields", "1000"}},
                  1,
                  "fields",
                  "more than 2147483647 doubles"},
        Rejection{"sweep3d", {{"grid", "3x2"}}, 8, "grid", "--grid: 3x2 has 6 ranks, but the job has 8; 4x2 would fit"},
        Rejection{"sweep3d", {{"jt-g", "3"}}, 16, "jt-g", "--jt-g: 3 cells are too few for 4 ranks in that direction"},
        Rejection{"sweep3d", {{"mmi", "4"}}, 4, "mmi", "--mmi: 4 does not divide 6 angles; 3 would"},
        Rejection{"sweep3d",
                  {{"it-g", "1000000"}, {"kt", "500"}, {"mk", "500"}, {"mmi", "6"}, {"grid", "1x2"}},
                  2,
                  "",
                  "longer than MPI's counts allow"},
        Rejection{"lulesh", {}, 20, "", "lulesh needs a cube of ranks, but the job has 20; 8 or 27 would fit"},
        Rejection{"lulesh", {}, 26, "", "but the job has 26; 8 or 27 would fit"},
        Rejection{"lulesh", {{"elements", "1291"}}, 8, "elements", "at most 1290"},
        Rejection{"cloverleaf",
                  {{"-x", "7"}, {"grid", "4x4"}},
                  16,
                  "columns",
                  "7 cells in 4 blocks are fewer than the depth of the halo (2); 8 would fit"},
        Rejection{"cloverleaf", {{"grid", "5x3"}}, 16, "grid", "but the job has 16; 4x4 would fit"},
        Rejection{"swfft", {{"ngx", "100"}}, 12, "ngx", "12 ranks; 102 in each direction would fit"},
        Rejection{
            "swfft", {{"ngz", "81"}}, 8, "ngx", "--ngx: 160 x 160 x 81 points do not divide into cubes and pencils"},
        Rejection{"swfft", {{"grid", "2x2x1"}}, 8, "grid", "but the job has 8; 2x2x2 would fit"},
        Rejection{"fft2d", {{"ny", "2001"}, {"call", "alltoall"}}, 4, "call", "use alltoallv"},
        Rejection{"fft2d", {{"nx", "1000000"}}, 2, "", "longer than MPI's counts allow"},
        Rejection{"fft3d", {{"nx", "162"}, {"call", "alltoall"}}, 4, "call", "use alltoallv"},
        Rejection{"fft3d", {{"grid", "2x2"}}, 4, "grid", "--grid: slabs have no grid; use --decomposition pencils"},
        Rejection{"fft3d", {{"decomposition", "pencils"}, {"grid", "3x2"}}, 8, "grid", "4x2 would fit"},
        Rejection{"fft3d", {{"decomposition", "pencils"}, {"nz", "3"}}, 16, "nz", "3 points are too few for 4 ranks"},
        Rejection{
            "milc", {{"nx", "9"}}, 2, "nx", "--nx: 9 is odd, but sites of two parities need even sides, such as 10"},
        Rejection{"milc", {}, 3, "grid", "factor 3 divides; a multiple of 3 as a side would do"},
        Rejection{"milc", {{"nx", "118"}}, 59, "grid", "factor 59 divides; factors up to 53 would do"},
        Rejection{"milc",
                  {{"nx", "4"}, {"ny", "4"}, {"nz", "4"}, {"nt", "4"}},
                  2,
                  "nx",
                  "--nx: 4 sites on 2 ranks are fewer than 3 each"},
        Rejection{"milc", {{"grid", "3x1x1x1"}}, 3, "grid", "--grid: 3 ranks do not divide --nx 8"},
        Rejection{
            "milc", {{"grid", "2x2x1x1"}}, 8, "grid", "2x2x1x1 has 4 ranks, but the job has 8; 2x2x2x1 would fit"},
        Rejection{"minife", {{"nx", "2"}, {"ny", "2"}, {"nz", "2"}}, 9, "nx", "would get no elements of 2 x 2 x 2"},
        Rejection{"nekbone", {{"brick", "3x3x3"}}, 4, "brick", "3x3x3 has 27 elements, but --elements is 32; 4x4x2"},
        Rejection{"nekbone", {{"grid", "3x1x1"}}, 4, "grid", "3x1x1 has 3 ranks, but the job has 4; 2x2x1 would fit"},
        Rejection{"nekbone", {{"grid", "4x1x1"}, {"line", ""}}, 4, "grid", "with --line the elements are in one row"},
        Rejection{"comd",
                  {{"ny", "5"}},
                  8,
                  "ny",
                  "--ny: 5 cells of 3.615 A on 2 ranks have no two link cells of 4.95 A each; at least 6"},
        Rejection{"npb", {}, 6, "benchmark", "CG runs on a power of two of ranks, but the job has 6; 4 would fit"},
        Rejection{"npb", {{"benchmark", "ft"}, {"class", "W"}}, 2048, "class", "pencils for 1024 ranks at most"},
        Rejection{"npb", {{"benchmark", "mg"}, {"class", "S"}}, 65536, "class", "32768 would fit"},
        Rejection{"npb", {{"benchmark", "lu"}}, 8 * 3 - 1, "benchmark", "23 make 23x1; 20 would fit"},
        Rejection{
            "npb", {{"benchmark", "lu"}, {"class", "S"}}, 25, "class", "12 points along 5 ranks are fewer than 3 each"},
        Rejection{"npb", {{"class", "G"}}, 4, "class", "one of S, W, A, B, C, D, E, F"},
        Rejection{"halo3d",
                  {{"rows", "3"}, {"depth", "2"}},
                  8,
                  "rows",
                  "3 cells in 2 blocks are fewer than the depth of the halo (2); at least 4"},
        Rejection{"halo3d", {{"points", "9"}}, 8, "points", "one of 7, 19, 27"},
        Rejection{"amg", {{"grid", "2x2x2"}}, 4, "grid", "2x2x2 has 8 ranks, but the job has 4; 2x2x1 would fit"},
        Rejection{"amg", {{"points", "auto"}}, 4, "points", "must be sides: 16x16x16"},
        Rejection{"amg", {{"basis", "3"}}, 4, "basis", "requires --solver gmres"},
        Rejection{"amg", {{"time-step", "2"}}, 4, "time-step", "requires --solver gmres"},
        Rejection{"amg", {{"solver", "gmres"}, {"time-step", "7"}}, 4, "time-step", "at most 6"},
        Rejection{"amg",
                  {{"levels", "/none/levels.txt"}},
                  4,
                  "levels",
                  "cannot read '/none/levels.txt': there is no such file"},
        Rejection{"traffic", {}, 1, "", "needs 2 ranks or more, but the job has 1"},
        Rejection{"traffic",
                  {{"like", "charon"}, {"smallest", "2KiB"}},
                  4,
                  "largest",
                  "1024 bytes are fewer than the smallest, 2048"},
        Rejection{"compute", {{"mean", "0"}}, 1, "mean", "greater than 0"},
        Rejection{
            "compute", {{"distribution", "normal"}}, 1, "deviation", "normal requires a deviation greater than 0"},
        Rejection{"compute", {{"deviation", "5us"}}, 1, "deviation", "constant has no deviation"},
        Rejection{"compute", {{"imbalance", "1.5"}}, 2, "imbalance", "at most 1 with --imbalance-shape linear"},
        Rejection{"mpiio", {{"ranks", "255"}}, 256, "ranks", "--ranks: 255, but the job has 256"},
        Rejection{"mpiio", {{"size", "0"}}, 2, "size", "greater than 0"},
        Rejection{"mpiio", {{"file", ""}}, 2, "file", "not empty"},
        Rejection{"mpiio", {{"call", "MPI_File_writ_all"}}, 2, "call", "did you mean 'MPI_File_write_all'?"},
        Rejection{"metadata", {{"files", "0"}}, 2, "files", "greater than 0"},
        Rejection{"metadata", {{"files", "2G"}}, 2, "files", "at most 1000000000"},
        Rejection{"metadata", {{"do", "rename"}}, 2, "do", "one of all, create, stat, open, unlink"},
        Rejection{"metadata", {{"shift", "2"}}, 2, "shift", "--shift: 2, but the job has 2 ranks; 0 to 1 would fit"},
        Rejection{"metadata",
                  {{"shift", "1"}, {"do", "create"}},
                  2,
                  "shift",
                  "--shift: each rank only creates its own items"},
        Rejection{"metadata", {{"random", ""}, {"do", "create"}}, 2, "random", "only created, in order"},
        Rejection{"metadata", {{"items", "directories"}, {"size", "1"}}, 2, "size", "use --items files"},
        Rejection{"metadata", {{"items", "directories"}, {"sync", ""}}, 2, "sync", "use --items files"},
        Rejection{"metadata", {{"sync", ""}, {"do", "stat"}}, 2, "sync", "nothing is created with --do stat"},
        Rejection{"metadata", {{"read", ""}, {"do", "stat"}}, 2, "read", "nothing is opened with --do stat"},
        Rejection{"metadata", {{"read", ""}}, 2, "read", "there are no bytes to read; see --size"},
        Rejection{"metadata", {{"keep", ""}}, 2, "keep", "nothing is left with --do all"},
        Rejection{"metadata", {{"keep", ""}, {"do", "unlink"}}, 2, "keep", "nothing is left with --do unlink"},
        Rejection{"metadata",
                  {{"do", "create"}, {"-i", "2"}},
                  2,
                  "iterations",
                  "2, but create can be executed once; use [REPEAT]"},
        Rejection{"metadata", {{"-i", "65537"}}, 2, "iterations", "at most 65536"},
        Rejection{"metadata", {{"size", "2GiB"}}, 2, "size", "at most 1GiB"},
        Rejection{"metadata", {{"size", "1GiB"}, {"files", "1G"}}, 4, "size", "is more than any file system holds"}));

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
