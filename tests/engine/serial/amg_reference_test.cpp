// The levels that the amg motif computes are those of the application, message by message.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "core/input_file.hpp"
#include "motifs/application/amg/computed.hpp"
#include "motifs/application/amg/lattice.hpp"
#include "motifs/application/amg/table.hpp"

namespace stressbench::test {
namespace {

// Written by `stressbench trace levels` from captures; described in tests/reference/README.md.
const auto reference_folder = std::filesystem::path(STRESSBENCH_CHECKOUT) / "tests" / "reference" / "levels";

struct Case {
  std::string file;
  Dims<3> points;
  Dims<3> ranks;
  double diagonal;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.file; }

// "0<8>16 2<24>32": bytes received from and sent to each rank.
std::string written(const std::vector<amg::Exchange>& exchanges) {
  std::string text;
  for (const auto& [peer, sent, received] : exchanges) {
    text += std::to_string(peer) + "<" + std::to_string(received) + ">" + std::to_string(sent) + " ";
  }
  return text;
}

class AmgReference : public testing::TestWithParam<Case> {};

TEST_P(AmgReference, HasTheMessagesThatAreComputed) {
  const Case& c = GetParam();
  const int ranks = static_cast<int>(c.ranks.ranks());
  const std::string file = (reference_folder / c.file).string();
  const amg::Table captured(read_file(file, 1 << 20), file, ranks, amg::Lattice(c.points, c.ranks));

  const amg::ComputedHierarchy computed(c.points, c.ranks, c.diagonal);

  ASSERT_EQ(computed.levels(), captured.levels());
  EXPECT_EQ(computed.coarsest(), captured.coarsest());
  const int matrices = captured.levels() + (captured.coarsest().empty() ? 1 : 0);
  for (int rank = 0; rank < ranks; ++rank) {
    for (int level = 0; level < matrices; ++level) {
      EXPECT_EQ(written(computed.matrix(level, rank)), written(captured.matrix(level, rank)))
          << "matrix of level " << level << " on rank " << rank;
    }
    for (int level = 0; level < captured.levels(); ++level) {
      EXPECT_EQ(written(computed.interpolation(level, rank)), written(captured.interpolation(level, rank)))
          << "interpolation to level " << level << " on rank " << rank;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Captured, AmgReference,
                         testing::Values(Case{"amg_p1_8_p16.levels", {{8, 8, 8}}, {{4, 2, 2}}, 26},
                                         Case{"amg_p1_8_p27.levels", {{8, 8, 8}}, {{3, 3, 3}}, 26},
                                         Case{"amg_p1_10x10x1_p4.levels", {{10, 10, 1}}, {{2, 2, 1}}, 8},
                                         Case{"amg_p1_16_p12.levels", {{16, 16, 16}}, {{3, 2, 2}}, 26},
                                         Case{"amg_p1_32_p2.levels", {{32, 32, 32}}, {{2, 1, 1}}, 26},
                                         Case{"amg_p1_33x17x9_p6.levels", {{33, 17, 9}}, {{1, 3, 2}}, 26},
                                         Case{"amg_p2_8_p12_step5.levels", {{8, 8, 8}}, {{3, 2, 2}}, 26.1},
                                         Case{"amg_p2_24_p4_step6.levels", {{24, 24, 24}}, {{2, 2, 1}}, 26.0}));

TEST(AmgReferences, AreAllCompared) {
  const auto files = std::distance(std::filesystem::directory_iterator(reference_folder), {});
  EXPECT_EQ(files, 8);
}

}  // namespace
}  // namespace stressbench::test
