#include "core/suggest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stressbench {
namespace {

const std::vector<std::string> motifs = {"pingpong", "allreduce", "alltoall", "halo2d", "compute", "incast", "mpiio"};

TEST(Suggest, TheNearestNameIsFoundWhateverItsCase) {
  EXPECT_EQ(nearest("halo", motifs), "halo2d");
  EXPECT_EQ(nearest("HALO3D", motifs), "halo2d");
  EXPECT_EQ(nearest("AllReduc", motifs), "allreduce");
  EXPECT_EQ(nearest("mpi-io", motifs), "mpiio");
}

TEST(Suggest, ASwapOfNeighboursIsOneEdit) {
  EXPECT_EQ(nearest("abdc", {"abxx", "abcd"}), "abcd");
  EXPECT_EQ(nearest("badc", {"abcd"}), "abcd");  // two swaps; four edits without them
  EXPECT_EQ(nearest("badcfe", {"abcdef"}), std::nullopt);
}

TEST(Suggest, WhatIsFarOffGetsNoSuggestion) {
  EXPECT_EQ(nearest("lulesh", motifs), std::nullopt);
  EXPECT_EQ(nearest("q", {"x", "y"}), std::nullopt);
  EXPECT_EQ(nearest("", motifs), std::nullopt);
  EXPECT_EQ(nearest("halo2d", {}), std::nullopt);
}

TEST(Suggest, LongNamesForgiveAThirdOfTheirLetters) {
  EXPECT_EQ(nearest("pingpongalllat", {"pingpongalllatencies"}), "pingpongalllatencies");
  EXPECT_EQ(nearest("pingpongalll", {"pingpongalllatencies"}), std::nullopt);
}

TEST(Suggest, AMegabyteOfNonsenseCostsNothing) { EXPECT_EQ(nearest(std::string(1 << 20, 'a'), motifs), std::nullopt); }

TEST(Suggest, LowerCaseTouchesLettersOnly) { EXPECT_EQ(lower_case("MPI_File-2D\xC3\x84"), "mpi_file-2d\xC3\x84"); }

}  // namespace
}  // namespace stressbench
