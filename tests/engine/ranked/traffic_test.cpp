// The announced traffic of a motif is the traffic that it sends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture.hpp"
#include "motif_bench.hpp"

namespace stressbench::test {
namespace {

struct Case {
  std::string motif;
  Options options;
  friend void PrintTo(const Case& c, std::ostream* out) {
    *out << c.motif;
    for (const auto& [option, text] : c.options) *out << ' ' << option << '=' << text;
  }
};

std::vector<Case> cases() {
  const std::string file = "traffic_test.out";
  return {
      {"allreduce", {}},
      {"allreduce", {{"count", "1000"}, {"type", "float"}, {"op", "max"}}},
      {"allreduce", {{"count", "3"}, {"in-place", ""}}},
      {"alltoall", {}},
      {"alltoall", {{"size", "0"}}},
      {"alltoall", {{"size", "1000"}, {"in-place", ""}}},
      {"alltoall", {{"size", "1001"}, {"call", "alltoallv"}}},
      {"alltoall", {{"size", "1001"}, {"call", "alltoallv"}, {"in-place", ""}}},
      {"alltoall", {{"size", "1001"}, {"call", "pairwise"}}},
      {"barrier", {}},
      {"barrier", {{"nonblocking", ""}}},
      {"allreduce", {{"nonblocking", ""}}},
      {"alltoall", {{"nonblocking", ""}}},
      {"alltoallv", {{"size", "1001"}, {"skew", "0.3"}}},
      {"alltoallv", {{"size", "1001"}, {"in-place", ""}, {"nonblocking", ""}}},
      {"alltoallw", {{"size", "1000"}, {"skew", "1"}, {"type", "double"}}},
      {"alltoallw", {{"size", "1001"}, {"in-place", ""}}},
      {"alltoallw", {{"size", "1001"}, {"nonblocking", ""}}},
      {"bcast", {{"root", "1"}}},
      {"bcast", {{"root", "rotate"}, {"nonblocking", ""}, {"size", "0"}}},
      {"bcast_storm", {}},
      {"bcast_storm", {{"roots", "2"}, {"size", "1001"}}},
      {"gather", {{"size", "0"}}},
      {"gather", {{"root", "rotate"}, {"in-place", ""}}},
      {"gather", {{"nonblocking", ""}, {"type", "short"}}},
      {"gatherv", {{"skew", "0.7"}, {"size", "1001"}, {"root", "rotate"}}},
      {"gatherv", {{"skew", "0.7"}, {"root", "1"}, {"in-place", ""}, {"nonblocking", ""}}},
      {"scatter", {{"root", "rotate"}}},
      {"scatter", {{"in-place", ""}, {"nonblocking", ""}}},
      {"scatterv", {{"skew", "0.7"}, {"size", "1001"}}},
      {"scatterv", {{"skew", "1"}, {"in-place", ""}, {"nonblocking", ""}}},
      {"allgather", {{"size", "0"}}},
      {"allgather", {{"in-place", ""}, {"nonblocking", ""}}},
      {"allgatherv", {{"skew", "0.7"}, {"size", "1001"}}},
      {"allgatherv", {{"skew", "0.7"}, {"in-place", ""}, {"nonblocking", ""}}},
      {"reduce", {{"root", "rotate"}, {"count", "10"}}},
      {"reduce", {{"in-place", ""}, {"nonblocking", ""}}},
      {"reduce_scatter", {{"count", "11"}, {"skew", "0.5"}}},
      {"reduce_scatter", {{"count", "0"}, {"nonblocking", ""}}},
      {"reduce_scatter_block", {{"count", "11"}, {"type", "char"}}},
      {"reduce_scatter_block", {{"in-place", ""}, {"nonblocking", ""}}},
      {"scan", {{"count", "11"}}},
      {"scan", {{"in-place", ""}, {"nonblocking", ""}}},
      {"exscan", {{"count", "11"}}},
      {"exscan", {{"in-place", ""}, {"nonblocking", ""}}},
      {"neighbor_allgather", {}},
      {"neighbor_allgather", {{"periodic", ""}, {"nonblocking", ""}}},
      {"neighbor_allgatherv", {{"topology", "box"}, {"skew", "0.5"}}},
      {"neighbor_allgatherv", {{"topology", "ring"}, {"nonblocking", ""}}},
      {"neighbor_alltoall", {{"dimensions", "1"}}},
      {"neighbor_alltoall", {{"topology", "nearest"}, {"nonblocking", ""}}},
      {"neighbor_alltoallv", {{"skew", "0.5"}}},
      {"neighbor_alltoallv", {{"skew", "0.5"}, {"periodic", ""}, {"nonblocking", ""}}},
      {"neighbor_alltoallw", {{"topology", "box"}, {"dimensions", "1"}}},
      {"neighbor_alltoallw", {{"skew", "1"}, {"nonblocking", ""}}},
      {"pingpong", {}},
      {"pingpong", {{"size", "0"}}},
      {"pingpong", {{"size", "100KiB"}, {"pairs", "halves"}}},
      {"pingpong", {{"size", "3000"}, {"layout", "vector"}, {"block", "100"}, {"stride", "128"}}},
      {"bandwidth", {{"pairs", "random:5"}, {"window", "7"}, {"size", "3000"}}},
      {"bandwidth", {{"window", "7"}, {"size", "0"}, {"direction", "both"}}},
      {"sendrecv", {{"size", "100"}}},
      {"exchange", {}},
      {"exchange", {{"size", "1000"}, {"layout", "subarray"}}},
      {"pingping", {{"size", "100"}, {"pairs", "halves"}}},
      {"one_way_delay", {{"size", "100"}, {"clocks", "raw"}}},
      {"incast", {}},
      {"incast", {{"size", "500"}, {"senders", "1"}, {"root", "1"}}},
      {"incast", {{"size", "1000"}, {"senders", "2"}, {"spread", "0.3"}}},
      {"incast", {{"size", "1000"}, {"roots", "2"}, {"root", "1"}, {"spread", "0.3"}}},
      {"all_pairs", {{"size", "100"}, {"rounds", "3"}}},
      {"b_eff", {{"sizes", "1,100"}, {"best-of", "2"}, {"loops", "3"}, {"polygons", "2"}}},
      {"threads", {{"size", "1000"}}},
      {"outcast", {}},
      {"outcast", {{"size", "1000"}, {"roots", "2"}, {"root", "1"}}},
      {"shift", {}},
      {"shift", {{"size", "1000"}, {"distance", "3"}}},
      {"tornado", {{"size", "1000"}}},
      {"compression", {{"size", "1000"}, {"messages", "3"}, {"pause", "10us"}}},
      {"compression", {{"size", "1000"}, {"messages", "3"}, {"pause", "10us"}, {"pause-after", "round"}}},
      {"permutation", {{"size", "1000"}}},
      {"permutation", {{"size", "0"}, {"draw", "iteration"}}},
      {"bisection", {{"size", "1000"}}},
      {"bisection", {{"size", "1000"}, {"cut", "best"}}},
      {"hotspot", {{"size", "1000"}}},
      {"hotspot", {{"messages", "3"}, {"hot", "1"}, {"draw", "iteration"}}},
      {"incast", {{"size", "1000"}, {"call", "gather"}, {"root", "1"}}},
      {"incast", {{"size", "1000"}, {"call", "gather"}, {"senders", "2"}}},
      {"incast", {{"size", "1001"}, {"call", "gatherv"}, {"spread", "50%"}}},
      {"halo2d", {}},
      {"halo2d", {{"columns", "101"}, {"rows", "57"}, {"depth", "2"}, {"fields", "3"}}},
      {"halo2d", {{"columns", "101"}, {"rows", "57"}, {"grid", "1x4"}}},
      {"halo2d", {{"columns", "101"}, {"rows", "57"}, {"grid", "3x1"}}},
      {"tealeaf", {{"columns", "101"}, {"rows", "57"}, {"compute", "off"}}},
      {"tealeaf", {{"columns", "101"}, {"rows", "57"}, {"solver", "chebyshev"}, {"-n", "25"}, {"compute", "off"}}},
      {"tealeaf",
       {{"columns", "101"}, {"rows", "57"}, {"solver", "ppcg"}, {"-d", "3"}, {"step", ""}, {"compute", "off"}}},
      {"tealeaf",
       {{"columns", "101"}, {"rows", "57"}, {"solver", "chebyshev"}, {"-n", "25"}, {"step", ""}, {"compute", "off"}}},
      {"tealeaf", {{"columns", "101"}, {"rows", "57"}, {"grid", "1x4"}, {"step", ""}, {"compute", "off"}}},
      {"data_parallel", {{"parameters", "100001"}, {"bucket", "30000"}, {"compute", "off"}}},
      {"data_parallel",
       {{"parameters", "100001"}, {"bucket", "30000"}, {"blocking", ""}, {"algorithm", "ring"}, {"compute", "off"}}},
      {"data_parallel",
       {{"parameters", "10001"}, {"precision", "fp32"}, {"blocking", ""}, {"algorithm", "tree"}, {"compute", "off"}}},
      {"data_parallel",
       {{"parameters", "10001"}, {"blocking", ""}, {"algorithm", "reduce-scatter"}, {"compute", "off"}}},
      {"fsdp", {{"parameters", "10001"}, {"layers", "5"}, {"compute", "off"}}},
      {"fsdp", {{"parameters", "10001"}, {"layers", "1"}, {"stage", "2"}, {"compute", "off"}}},
      {"fsdp", {{"parameters", "10001"}, {"layers", "2"}, {"stage", "1"}, {"compute", "off"}}},
      {"tensor_parallel", {{"layers", "3"}, {"hidden", "16"}, {"tokens", "12"}, {"compute", "off"}}},
      {"tensor_parallel",
       {{"layers", "3"}, {"hidden", "16"}, {"tokens", "12"}, {"sequence-parallel", ""}, {"compute", "off"}}},
      {"tensor_parallel", {{"layers", "3"}, {"hidden", "16"}, {"tokens", "12"}, {"degree", "2"}, {"compute", "off"}}},
      {"pipeline_parallel", {{"layers", "5"}, {"hidden", "16"}, {"tokens", "16"}, {"compute", "off"}}},
      {"pipeline_parallel",
       {{"layers", "5"}, {"hidden", "16"}, {"tokens", "16"}, {"schedule", "gpipe"}, {"compute", "off"}}},
      {"moe", {{"layers", "3"}, {"hidden", "16"}, {"tokens", "17"}, {"compute", "off"}}},
      {"moe",
       {{"layers", "3"}, {"hidden", "16"}, {"tokens", "17"}, {"skew", "1.1"}, {"capacity", "1.2"}, {"compute", "off"}}},
      {"parameter_server", {{"parameters", "10001"}, {"bucket", "5000"}, {"compute", "off"}}},
      {"parameter_server", {{"parameters", "10001"}, {"servers", "2"}, {"compute", "off"}}},
      {"sweep3d", {{"it-g", "11"}, {"jt-g", "7"}, {"kt", "5"}, {"mk", "2"}, {"compute", "off"}, {"-n", "2"}}},
      {"sweep3d", {{"grid", "1x3"}, {"mmi", "6"}, {"compute", "off"}}},
      {"lulesh", {{"-s", "3"}, {"compute", "off"}}},
      {"cloverleaf", {{"-x", "31"}, {"-y", "13"}, {"compute", "off"}}},
      {"cloverleaf", {{"-x", "31"}, {"-y", "13"}, {"grid", "1x4"}, {"compute", "off"}}},
      {"swfft", {{"ngx", "12"}, {"compute", "off"}}},
      {"swfft", {{"ngx", "12"}, {"dfft-timing", "1"}, {"compute", "off"}}},
      {"swfft", {{"ngx", "12"}, {"ngy", "24"}, {"driver", ""}, {"compute", "off"}}},
      {"fft2d", {{"nx", "20"}, {"ny", "17"}, {"compute", "off"}}},
      {"fft2d", {{"nx", "5"}, {"call", "alltoallv"}, {"barrier", ""}, {"compute", "off"}}},
      {"fft2d", {{"nx", "12"}, {"call", "alltoall"}, {"compute", "off"}}},
      {"fft2d", {{"nx", "20"}, {"ny", "17"}, {"transposed-in", ""}, {"compute", "off"}}},
      {"fft3d", {{"nx", "10"}, {"ny", "7"}, {"nz", "4"}, {"compute", "off"}}},
      {"fft3d", {{"nx", "10"}, {"ny", "7"}, {"nz", "4"}, {"transposed-out", ""}, {"compute", "off"}}},
      {"fft3d", {{"nx", "10"}, {"ny", "7"}, {"decomposition", "pencils"}, {"compute", "off"}}},
      {"fft3d", {{"nx", "11"}, {"decomposition", "pencils"}, {"call", "alltoallv"}, {"compute", "off"}}},
      {"fft3d", {{"nx", "8"}, {"decomposition", "pencils"}, {"grid", "1x4"}, {"call", "alltoall"}}},
      {"fft2d", {{"nx", "24"}, {"call", "staged"}, {"compute", "off"}}},
      {"vpfft", {{"nx", "6"}, {"ny", "5"}, {"nz", "4"}, {"-n", "2"}, {"compute", "off"}}},
      {"vpfft", {{"nx", "9"}, {"ny", "8"}, {"call", "recursive,pairwise"}, {"compute", "off"}}},
      {"ptrans", {{"matrix", "50"}, {"block", "7"}, {"positions", "random:5"}, {"compute", "off"}}},
      {"milc", {{"nt", "12"}, {"compute", "off"}}},
      {"minife", {{"nx", "9"}, {"ny", "8"}, {"nz", "7"}, {"compute", "off"}}},
      {"nekbone", {{"elements", "6"}, {"compute", "off"}}},
      {"comd", {{"nx", "9"}, {"ny", "10"}, {"nz", "11"}, {"energies", ""}, {"-n", "2"}, {"compute", "off"}}},
      {"mcb", {{"zones-x", "9"}, {"zones-y", "7"}, {"-n", "2"}, {"compute", "off"}}},
      {"npb", {{"benchmark", "cg"}, {"class", "S"}, {"run", ""}, {"compute", "off"}}},
      {"npb", {{"benchmark", "ft"}, {"class", "S"}, {"compute", "off"}}},
      {"npb", {{"benchmark", "mg"}, {"class", "S"}, {"run", ""}, {"compute", "off"}}},
      {"npb", {{"benchmark", "lu"}, {"class", "S"}, {"compute", "off"}}},
      {"npb", {{"benchmark", "bt"}, {"class", "S"}, {"compute", "off"}}},
      {"npb", {{"benchmark", "sp"}, {"class", "S"}, {"run", ""}, {"compute", "off"}}},
      {"npb", {{"benchmark", "is"}, {"class", "S"}, {"run", ""}, {"compute", "off"}}},
      {"halo3d", {{"columns", "20"}, {"rows", "21"}, {"planes", "22"}, {"points", "27"}, {"compute", "off"}}},
      {"amg", {{"points", "6x5x4"}, {"compute", "off"}}},
      {"amg", {{"points", "40x3x3"}, {"compute", "off"}}},  // on 4 ranks, the coarsest level is relaxed
      {"amg", {{"points", "6x5x4"}, {"solver", "gmres"}, {"compute", "off"}}},
      {"umt", {{"zones", "2x3x1"}, {"groups", "2"}, {"order", "4"}, {"sweeps", "all/all,3478"}, {"compute", "off"}}},
      {"umt", {{"zones", "1x1x2"}, {"grid", "1x2x2"}, {"polar", "1"}, {"azimuthal", "2"}, {"compute", "off"}}},
      {"stencil", {{"null-calls", ""}, {"periodic", "x"}, {"compute", "off"}}},
      {"stencil",
       {{"calls", "repeat 3; sendrecv +x 8*y -x 8*y; allreduce 8*x along y; end"},
        {"mesh", "9x8"},
        {"compute", "off"}}},
      {"stencil",
       {{"calls",
         "stages down; irecv parent 8*y; wait; isend child 8*y; wait; end; stages; recv child 4; send parent 4; "
         "end"},
        {"compute", "off"}}},
      {"traffic", {{"like", "xnobel"}, {"compute", "off"}}},
      {"traffic", {{"like", "sage"}, {"smallest", "100"}, {"largest", "900"}, {"compute", "off"}}},
      {"compute", {{"mean", "10"}}},
      {"mpiio", {{"size", "1000"}, {"file", file}}},
      {"mpiio", {{"size", "10000"}, {"file", file}, {"call", "mpi_file_WRITE"}, {"sync", ""}}}};
}

class Traffics : public testing::TestWithParam<Case> {};

Traffic summed(const Traffic& own, MPI_Comm communicator) {
  std::array<std::int64_t, 5> values{own.messages, own.message_bytes, own.collectives, own.collective_bytes,
                                     own.file_bytes};
  PMPI_Allreduce(MPI_IN_PLACE, values.data(), 5, MPI_INT64_T, MPI_SUM, communicator);
  return {.messages = values[0],
          .message_bytes = values[1],
          .collectives = values[2],
          .collective_bytes = values[3],
          .file_bytes = values[4]};
}

TEST_P(Traffics, AreWhatIsSentForEveryNumberOfRanks) {
  int tried = 0;
  for (int n = 1; n <= world_size(); ++n) {
    const mpi::Group group = first_ranks(n);
    if (!fits(*make_motif(GetParam().motif, GetParam().options), n)) continue;
    ++tried;
    if (!group) continue;
    MotifBench bench(group, GetParam().motif, GetParam().options);
    capture::start();
    bench.perform();
    const Traffic sent = summed(capture::stop().sent, group.handle());
    const Traffic announced = bench->traffic(n);
    EXPECT_EQ(sent.messages, announced.messages) << n << " ranks";
    EXPECT_EQ(sent.message_bytes, announced.message_bytes) << n << " ranks";
    EXPECT_EQ(sent.collectives, announced.collectives) << n << " ranks";
    EXPECT_EQ(sent.collective_bytes, announced.collective_bytes) << n << " ranks";
    EXPECT_EQ(sent.file_bytes, announced.file_bytes) << n << " ranks";
  }
  if (tried == 0 && world_size() < 4) GTEST_SKIP() << "fits none of up to " << world_size() << " ranks";
  EXPECT_GT(tried, 0);
}

INSTANTIATE_TEST_SUITE_P(OfMotifs, Traffics, testing::ValuesIn(cases()));

TEST(PingPongAllLatencies, IsAPingPongForEachSize) {
  const auto motif = make_motif("pingpongalllatencies", {{"pairs", "halves"}, {"timer", "loop"}});
  const auto parts = motif->parts();
  ASSERT_EQ(parts.size(), 24u);
  EXPECT_EQ(parts[0]->message_size(), Bytes{0});
  EXPECT_EQ(parts[1]->message_size(), Bytes{1});
  EXPECT_EQ(parts[23]->message_size(), Bytes{4 << 20});
  EXPECT_EQ(parts[14]->message_size(), Bytes{8192});
  EXPECT_EQ(parts[14]->iterations(), 10'000);  // as in the OSU benchmarks
  EXPECT_EQ(parts[15]->iterations(), 1'000);
  for (const auto& part : parts) {
    EXPECT_EQ(part->find("pairs")->text(), "halves");
    EXPECT_EQ(part->timer(), Timer::loop);
  }
}

TEST(PingPongAllLatencies, TakesItsIterationsForAllSizesWhereTheyAreGiven) {
  const auto motif = make_motif("pingpongalllatencies", {{"sizes", "8,64KiB"}, {"-i", "5"}});
  for (const auto& part : motif->parts()) EXPECT_EQ(part->iterations(), 5);
  EXPECT_EQ(motif->traffic(2).messages, 4);  // one pass; the engine knows of the 5 iterations
  EXPECT_EQ(make_motif("pingpongalllatencies", {{"sizes", "8,64KiB"}})->traffic(2).messages, 2 * 11'000);
}

}  // namespace
}  // namespace stressbench::test
