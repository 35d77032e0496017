// Verification: no report if all is well, and the exact ranks and offset if one byte is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "capture.hpp"
#include "motif_bench.hpp"

namespace stressbench::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Case {
  std::string motif;
  Options options;
  int ranks;
  int receiver;         // rank of the corrupted receive
  int receive;          // number of the receive
  std::size_t offset;   // in that receive's memory
  std::string message;  // message of the verification
  friend void PrintTo(const Case& c, std::ostream* out) {
    *out << c.motif;
    for (const auto& [option, text] : c.options) *out << ' ' << option << '=' << text;
  }
};

const std::string scratch = "verify_test.out";

// Calls of motif stencil of every kind, on 2 x 2 ranks.
const std::vector<std::pair<std::string, std::string>> stencil_calls{
    {"mesh", "5x3"},
    {"periodic", "y"},
    {"null-calls", ""},
    {"calls",
     "irecv -x 8*y tag 1; isend +x 8*y tag 1; wait; wait; sendrecv +y 8*x -y 8*x tag 2; irecv +x 20; isend -x 20; "
     "waitall; send +x 4*X; recv -x 4*X; bcast 16 root 1 along x; allgather 12 along y; allreduce 12 min; alltoall 8; "
     "reduce 24 max root 3 along xy; barrier along x"},
    {"compute", "off"}};

// Stages of every kind, on 4 ranks.
const std::vector<std::pair<std::string, std::string>> stages{
    {"calls",
     "stages; sendrecv ^ 8*S ^ 8*S tag k; end; stages down; irecv ^ 20 tag 3; isend ^ 20 tag 3; waitall; end; "
     "stages down root 1; recv parent 24; send child 24; end; stages; send +^ 12; recv -^ 12; end"},
    {"compute", "off"}};

std::string from_to(int sender, int receiver, int offset) {
  return "rank " + std::to_string(receiver) + " received .* from rank " + std::to_string(sender) + " at offset " +
         std::to_string(offset) + " of the message, expected 0x";
}

std::vector<Case> cases() {
  return {
      {"allreduce", {{"count", "20"}}, 2, 1, 0, 8 * 13 + 6, "rank 1 got .* as element 13 \\(offset 104\\), expected"},
      {"allreduce",
       {{"count", "9"}, {"type", "int"}, {"op", "min"}},
       3,
       2,
       0,
       17,
       "rank 2 got .* as element 4 \\(offset 16\\)"},
      {"allreduce",
       {{"count", "9"}, {"type", "char"}, {"op", "prod"}},
       4,
       0,
       0,
       8,
       "rank 0 got .* as element 8 \\(offset 8\\)"},
      {"allreduce",
       {{"count", "9"}, {"type", "float"}, {"op", "max"}, {"in-place", ""}},
       4,
       3,
       0,
       34,
       "rank 3 got .* as element 8 \\(offset 32\\)"},
      {"tealeaf",
       {{"columns", "40"}, {"rows", "40"}, {"compute", "off"}},
       2,
       1,
       0,
       3,
       "rank 1 got another result than 2"},
      {"tealeaf", {{"columns", "40"}, {"rows", "40"}, {"compute", "off"}}, 2, 1, 2, 9, from_to(0, 1, 9)},
      {"sweep3d", {{"kt", "4"}, {"mmi", "6"}, {"compute", "off"}}, 4, 0, 1, 5, from_to(2, 0, 5)},
      {"sweep3d", {{"kt", "4"}, {"mmi", "6"}, {"compute", "off"}}, 2, 1, 4, 2, "rank 1 got another result than 2"},
      {"cloverleaf", {{"-x", "31"}, {"-y", "13"}, {"compute", "off"}}, 4, 0, 1, 30, from_to(2, 0, 30)},
      {"swfft", {{"ngx", "12"}, {"compute", "off"}}, 4, 0, 1, 33, from_to(2, 0, 33)},
      {"fft2d", {{"nx", "20"}, {"call", "alltoallv"}, {"compute", "off"}}, 2, 1, 2, 7, from_to(0, 1, 7)},
      {"fft3d", {{"nx", "8"}, {"decomposition", "pencils"}, {"compute", "off"}}, 4, 0, 0, 9, from_to(1, 0, 9)},
      {"fft2d", {{"nx", "8"}, {"call", "staged"}, {"compute", "off"}}, 4, 3, 5, 9, from_to(1, 3, 9)},  // second stage
      {"vpfft", {{"nx", "8"}, {"-n", "1"}, {"compute", "off"}}, 4, 0, 151, 9, from_to(3, 0, 9)},  // the last transform
      {"ptrans", {{"matrix", "40"}, {"block", "5"}, {"compute", "off"}}, 4, 2, 2, 7, from_to(1, 2, 7)},
      {"ptrans", {{"matrix", "40"}, {"compute", "off"}}, 2, 1, 3, 1, "rank 1 got another result than 1"},  // user's
      {"milc", {{"compute", "off"}}, 2, 1, 1, 100, from_to(0, 1, 100)},
      {"milc", {{"nx", "12"}, {"compute", "off"}}, 3, 0, 0, 9, from_to(1, 0, 9)},  // any source: the neighbour in +x
      {"minife", {{"nx", "9"}, {"ny", "8"}, {"nz", "7"}, {"compute", "off"}}, 4, 3, 2, 9, from_to(1, 3, 9)},
      {"minife",
       {{"nx", "9"}, {"phase", "setup"}, {"compute", "off"}},
       4,
       3,
       10,
       2,
       "rank 3 received .* from rank [012] at offset 2 of the message, expected 0x"},  // the first from any source
      {"nekbone", {{"elements", "4"}, {"compute", "off"}}, 4, 2, 4, 7, from_to(1, 2, 7)},
      {"nekbone", {{"elements", "4"}, {"phase", "setup"}, {"compute", "off"}}, 4, 0, 1, 9, from_to(3, 0, 9)},
      {"comd", {{"nx", "8"}, {"ny", "8"}, {"nz", "8"}, {"compute", "off"}}, 2, 1, 1, 5, from_to(0, 1, 5)},
      {"mcb", {{"particles", "100k"}, {"-n", "2"}, {"compute", "off"}}, 2, 1, 5, 130, from_to(0, 1, 130)},  // photons
      {"npb", {{"benchmark", "cg"}, {"class", "S"}, {"compute", "off"}}, 4, 3, 1, 5, from_to(2, 3, 5)},
      {"npb", {{"benchmark", "ft"}, {"class", "S"}, {"compute", "off"}}, 2, 1, 0, 3, from_to(0, 1, 3)},
      {"npb", {{"benchmark", "mg"}, {"class", "S"}, {"compute", "off"}}, 4, 2, 8, 6, from_to(3, 2, 6)},
      {"npb", {{"benchmark", "lu"}, {"class", "S"}, {"compute", "off"}}, 4, 3, 19, 6, from_to(1, 3, 6)},  // last plane
      {"npb", {{"benchmark", "bt"}, {"class", "S"}, {"compute", "off"}}, 4, 3, 8, 7, from_to(1, 3, 7)},   // down y
      {"npb", {{"benchmark", "sp"}, {"class", "S"}, {"compute", "off"}}, 4, 3, 11, 4, from_to(0, 3, 4)},  // back in z
      {"npb", {{"benchmark", "is"}, {"class", "S"}, {"compute", "off"}}, 2, 1, 2, 5, from_to(0, 1, 5)},   // keys
      {"npb",
       {{"benchmark", "is"}, {"class", "S"}, {"compute", "off"}},
       2,
       1,
       0,
       2,
       "rank 1 got another result than 2"},
      {"halo3d",
       {{"points", "27"}, {"periodic", ""}, {"columns", "9"}, {"rows", "8"}, {"planes", "7"}, {"compute", "off"}},
       4,
       2,
       0,
       6,
       from_to(0, 2, 6)},
      {"amg", {{"compute", "off"}}, 4, 1, 13, 6, from_to(0, 1, 6)},  // the first restriction
      {"umt",
       {{"zones", "1x2x1"}, {"order", "2"}, {"temperature-iterations", "1"}, {"sweeps", "all"}, {"compute", "off"}},
       2,
       0,
       2,
       17,
       from_to(1, 0, 17)},  // signs of the second quadrature set
      {"umt",
       {{"zones", "1x2x1"}, {"order", "2"}, {"temperature-iterations", "1"}, {"sweeps", "all"}, {"compute", "off"}},
       2,
       1,
       9,
       5,
       from_to(0, 1, 5)},  // fluxes of the only sweep
      {"traffic", {{"like", "charon"}, {"compute", "off"}}, 4, 1, 5, 8, from_to(2, 1, 8)},
      {"stencil", stencil_calls, 4, 2, 0, 9, from_to(0, 2, 9)},
      {"stencil", stencil_calls, 4, 2, 1, 5, from_to(3, 2, 5)},                          // round the periodic dimension
      {"stencil", stencil_calls, 4, 3, 3, 17, from_to(1, 3, 17)},                        // after a receive from nobody
      {"stencil", stencil_calls, 4, 0, 4, 8, "from rank 1 at offset 8 of the message"},  // the root along x
      {"stencil", stencil_calls, 4, 2, 4, 13, "from rank 1 at offset 1 of the message"},  // gathered along y
      {"stencil", stencil_calls, 4, 3, 7, 3, "rank 3 got another result than 1"},
      {"stencil", stages, 4, 3, 1, 15, from_to(1, 3, 15)},  // two doubles in stage 1
      {"stencil", stages, 4, 0, 3, 19, from_to(1, 0, 19)},  // the nearest partner last
      {"stencil", stages, 4, 0, 4, 23, from_to(3, 0, 23)},  // its parent in the tree with root 1
      {"stencil", stages, 4, 3, 6, 11, from_to(1, 3, 11)},
      {"alltoall", {{"size", "100"}}, 3, 1, 0, 250, from_to(2, 1, 50)},
      {"alltoall", {{"size", "100"}, {"in-place", ""}}, 3, 2, 0, 100, from_to(1, 2, 0)},
      {"alltoall", {{"size", "100"}, {"call", "alltoallv"}}, 2, 0, 0, 0, from_to(0, 0, 0)},
      {"alltoall", {{"size", "100"}, {"call", "alltoallv"}, {"in-place", ""}}, 2, 0, 0, 199, from_to(1, 0, 99)},
      {"alltoall", {{"size", "100"}, {"call", "pairwise"}}, 4, 0, 2, 7, from_to(1, 0, 7)},
      {"alltoallv", {{"size", "100"}, {"skew", "0.5"}}, 3, 1, 0, 151, from_to(2, 1, 1)},
      {"alltoallw", {{"size", "104"}, {"type", "double"}, {"skew", "0.5"}}, 3, 0, 0, 60, from_to(1, 0, 4)},
      {"alltoallw", {{"size", "100"}, {"in-place", ""}, {"nonblocking", ""}}, 3, 0, 0, 250, from_to(2, 0, 50)},
      {"alltoall", {{"size", "100"}, {"nonblocking", ""}}, 3, 1, 0, 250, from_to(2, 1, 50)},
      {"bcast", {{"size", "100"}, {"root", "1"}}, 3, 0, 0, 99, from_to(1, 0, 99)},
      {"bcast", {{"size", "100"}, {"nonblocking", ""}}, 4, 3, 0, 5, from_to(0, 3, 5)},
      {"bcast_storm", {{"size", "100"}}, 3, 2, 1, 40, from_to(1, 2, 40)},
      {"gather", {{"size", "100"}, {"root", "2"}}, 3, 2, 0, 150, from_to(1, 2, 50)},
      {"gather", {{"size", "100"}, {"in-place", ""}, {"nonblocking", ""}}, 3, 0, 0, 250, from_to(2, 0, 50)},
      {"gatherv", {{"size", "100"}, {"skew", "0.5"}}, 3, 0, 0, 155, from_to(2, 0, 5)},
      {"scatter", {{"size", "100"}, {"root", "1"}}, 4, 3, 0, 7, from_to(1, 3, 7)},
      {"scatter", {{"size", "100"}, {"nonblocking", ""}}, 2, 0, 0, 7, from_to(0, 0, 7)},
      {"scatterv", {{"size", "100"}, {"skew", "0.5"}, {"in-place", ""}}, 3, 2, 0, 149, from_to(0, 2, 149)},
      {"allgather", {{"size", "100"}}, 3, 1, 0, 250, from_to(2, 1, 50)},
      {"allgather", {{"size", "100"}, {"in-place", ""}, {"nonblocking", ""}}, 4, 3, 0, 0, from_to(0, 3, 0)},
      {"allgatherv", {{"size", "100"}, {"skew", "0.5"}}, 3, 0, 0, 49, from_to(0, 0, 49)},
      {"neighbor_allgather", {{"size", "100"}}, 4, 1, 0, 220, from_to(0, 1, 20)},
      {"neighbor_allgatherv",
       {{"size", "100"}, {"skew", "0.5"}, {"topology", "ring"}},
       4,
       0,
       0,
       160,
       from_to(1, 0, 10)},
      {"neighbor_alltoall", {{"size", "100"}, {"periodic", ""}, {"dimensions", "1"}}, 4, 2, 0, 120, from_to(3, 2, 20)},
      {"neighbor_alltoallv",
       {{"size", "100"}, {"skew", "0.5"}, {"topology", "nearest"}, {"reach", "1"}},
       4,
       0,
       0,
       149,
       from_to(3, 0, 149)},
      {"neighbor_alltoallw", {{"size", "100"}, {"skew", "0.5"}, {"topology", "box"}}, 4, 3, 0, 49, from_to(0, 3, 49)},
      {"neighbor_alltoallw", {{"size", "100"}, {"nonblocking", ""}}, 4, 1, 0, 0, from_to(3, 1, 0)},
      {"reduce", {{"count", "20"}, {"root", "1"}}, 2, 1, 0, 110, "rank 1 got .* from MPI_Reduce as element 13"},
      {"reduce",
       {{"count", "20"}, {"in-place", ""}, {"nonblocking", ""}},
       4,
       0,
       0,
       110,
       "rank 0 got .* from MPI_Ireduce as element 13"},
      {"allreduce", {{"count", "20"}, {"nonblocking", ""}}, 3, 2, 0, 110, "rank 2 got .* from MPI_Iallreduce as"},
      {"reduce_scatter",
       {{"count", "10"}, {"skew", "0.5"}},
       3,
       2,
       0,
       115,
       "rank 2 got .* as element 14 \\(offset 112\\)"},
      {"reduce_scatter_block", {{"count", "10"}, {"op", "max"}}, 4, 3, 0, 6, "rank 3 got .* as element 0 "},
      {"scan", {{"count", "10"}, {"type", "int"}}, 3, 1, 0, 38, "rank 1 got .* from MPI_Scan as element 9 "},
      {"exscan", {{"count", "10"}, {"op", "min"}}, 3, 2, 0, 6, "rank 2 got .* from MPI_Exscan as element 0 "},
      {"pingpong", {{"size", "1000"}}, 2, 0, 0, 999, from_to(1, 0, 999)},
      {"pingpong", {{"size", "1000"}, {"pairs", "halves"}}, 4, 3, 0, 1, from_to(1, 3, 1)},
      {"pingpong", {{"size", "24"}, {"layout", "vector"}}, 2, 1, 0, 17, from_to(0, 1, 9)},
      {"pingpong",
       {{"size", "90"}, {"layout", "subarray"}, {"block", "30"}, {"stride", "40"}},
       2,
       0,
       0,
       41,
       from_to(1, 0, 31)},
      {"pingpong",
       {{"size", "90"}, {"layout", "indexed"}, {"block", "30"}, {"stride", "31"}},
       2,
       0,
       0,
       63,
       from_to(1, 0, 61)},
      {"bandwidth", {{"size", "1000"}, {"window", "4"}}, 2, 1, 3, 500, from_to(0, 1, 500)},
      {"bandwidth", {{"size", "1000"}, {"window", "4"}}, 2, 0, 0, 3, from_to(1, 0, 3)},  // the acknowledgement
      {"bandwidth", {{"size", "1000"}, {"window", "4"}, {"direction", "both"}}, 2, 0, 3, 999, from_to(1, 0, 999)},
      {"sendrecv", {{"size", "100"}}, 3, 0, 0, 99, from_to(2, 0, 99)},
      {"sendrecv",
       {{"size", "96"}, {"layout", "vector"}, {"block", "32"}, {"stride", "48"}},
       3,
       1,
       0,
       50,
       from_to(0, 1, 34)},
      {"exchange", {{"size", "100"}}, 3, 0, 0, 7, from_to(2, 0, 7)},
      {"exchange", {{"size", "100"}}, 3, 0, 1, 8, from_to(1, 0, 8)},
      {"exchange", {{"size", "64"}, {"layout", "indexed"}}, 4, 3, 1, 18, from_to(0, 3, 10)},
      {"pingping", {{"size", "1000"}}, 2, 1, 0, 500, from_to(0, 1, 500)},
      {"one_way_delay", {{"size", "1000"}}, 2, 1, 0, 500, from_to(0, 1, 500)},
      {"incast", {{"size", "100"}, {"root", "1"}}, 4, 1, 2, 40, from_to(0, 1, 40)},
      {"incast", {{"size", "100"}, {"root", "3"}, {"roots", "2"}}, 4, 0, 1, 40, from_to(2, 0, 40)},
      {"all_pairs", {{"size", "100"}, {"rounds", "1"}}, 3, 2, 1, 40, from_to(1, 2, 40)},
      {"threads", {{"size", "100"}}, 2, 1, 0, 40, from_to(0, 1, 40)},
      {"b_eff", {{"sizes", "100"}, {"rings", "1"}, {"polygons", "0"}, {"loops", "1"}}, 2, 0, 1, 40, from_to(1, 0, 40)},
      {"outcast", {{"size", "100"}, {"root", "3"}, {"roots", "2"}}, 4, 2, 1, 40, from_to(0, 2, 40)},
      {"shift", {{"size", "100"}, {"distance", "2"}}, 3, 0, 0, 40, from_to(1, 0, 40)},
      {"tornado", {{"size", "100"}}, 4, 0, 0, 40, from_to(3, 0, 40)},
      {"compression", {{"size", "100"}, {"partners", "2"}}, 3, 0, 1, 40, from_to(2, 0, 40)},
      {"permutation", {{"size", "100"}}, 2, 0, 0, 40, from_to(1, 0, 40)},
      {"permutation", {{"size", "100"}, {"draw", "iteration"}}, 2, 1, 0, 40, from_to(0, 1, 40)},
      {"bisection", {{"size", "100"}}, 4, 3, 0, 40, from_to(1, 3, 40)},
      {"bisection", {{"size", "100"}, {"cut", "best"}}, 4, 3, 0, 40, from_to(2, 3, 40)},
      {"hotspot",
       {{"size", "100"}, {"fraction", "1"}, {"hot", "2"}, {"messages", "3"}},
       3,
       2,
       5,
       40,
       from_to(1, 2, 40)},
      {"incast", {{"size", "100"}, {"call", "gather"}}, 3, 0, 0, 205, from_to(2, 0, 5)},
      {"incast", {{"size", "100"}, {"call", "gatherv"}, {"spread", "0.5"}}, 3, 0, 0, 55, from_to(2, 0, 5)},
      {"halo2d", {{"columns", "20"}, {"rows", "20"}}, 4, 0, 0, 30, from_to(2, 0, 30)},
      {"halo2d", {{"columns", "20"}, {"rows", "20"}}, 4, 0, 1, 95, from_to(1, 0, 95)},
      {"mpiio",
       {{"size", "1000"}, {"file", scratch}},
       2,
       0,
       2,  // after two messages that give owner and number of the bytes
       10,
       "'verify_test.out' has .* at offset 1010, where rank 1 wrote .* \\(read by rank 0\\)"},
  };
}

bool reduces_in_place(const Case& c) {
  const auto given = [&](const std::string& option) {
    return std::ranges::any_of(c.options, [&](const auto& entry) { return entry.first == option; });
  };
  return given("count") && given("in-place");
}

class Verification : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (world_size() < GetParam().ranks) GTEST_SKIP() << "needs " << GetParam().ranks << " ranks";
    group_ = first_ranks(GetParam().ranks);
  }
  mpi::Group group_;
};

TEST_P(Verification, IsSilentWhenEveryByteIsRight) {
  if (!group_) return;
  MotifBench bench(group_, GetParam().motif, GetParam().options);
  for (std::uint64_t pass = 0; pass < 4; ++pass) {
    bench->fill_payload(pass);
    bench.perform();
    EXPECT_NO_THROW(bench->verify(pass));
  }
}

TEST_P(Verification, NamesTheOneWrongByte) {
  if (!group_) return;
  const Case& wrong = GetParam();
  MotifBench bench(group_, wrong.motif, wrong.options);
  bench->fill_payload(7);
  if (group_.rank() == wrong.receiver) capture::corrupt_receive(wrong.receive, wrong.offset);
  bench.perform();
  std::string said;
  try {
    bench->verify(7);
  } catch (const MachineFault& fault) {
    said = fault.what();
  }
  EXPECT_FALSE(capture::corruption_pending());
  if (group_.rank() == wrong.receiver) {
    EXPECT_THAT(said, testing::ContainsRegex(wrong.message));
  } else {
    EXPECT_EQ(said, "");
  }
}

TEST_P(Verification, NoticesThatNothingCame) {
  if (!group_ || GetParam().motif == "mpiio" || reduces_in_place(GetParam())) {
    GTEST_SKIP() << "what was written or given before is still there, and right";
  }
  MotifBench bench(group_, GetParam().motif, GetParam().options);
  bench->fill_payload(7);  // without perform
  if (group_.rank() == GetParam().receiver) {
    EXPECT_THROW(bench->verify(7), MachineFault);
  }
}

TEST_P(Verification, NoticesWhatIsLeftFromThePassBefore) {
  if (!group_) return;
  MotifBench bench(group_, GetParam().motif, GetParam().options);
  bench->fill_payload(7);
  bench.perform();
  bool noticed = false;
  try {
    bench->verify(8);
  } catch (const MachineFault&) {
    noticed = true;
  }
  if (group_.rank() == GetParam().receiver) {
    EXPECT_TRUE(noticed);
  }
}

INSTANTIATE_TEST_SUITE_P(OfMotifs, Verification, testing::ValuesIn(cases()));

}  // namespace
}  // namespace stressbench::test
