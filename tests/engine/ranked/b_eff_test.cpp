// b_eff sends the messages of its definition, and its results follow from its protocol.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "core/payload.hpp"
#include "expected_calls.hpp"
#include "stepping_clock.hpp"
#include "suites/rings.hpp"

namespace stressbench::test {
namespace {

const Options short_run{{"sizes", "5"}, {"best-of", "1"}, {"loops", "2"}};

Options with(Options options, const Options& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

// Ring pattern 2 on four ranks is one ring of all ranks: to the left and from the right, then to the right and from the
// left.
TEST(BEff, SendsAroundARingByThreeMethods) {
  if (world_size() < 4) GTEST_SKIP() << "needs 4 ranks";
  const mpi::Group group = first_ranks(4);
  if (!group) return;
  MotifBench bench(group, "b_eff", with(short_run, {{"rings", "2"}, {"polygons", "0"}}));
  capture::start();
  bench.perform();
  const capture::Record record = capture::stop();

  const int left = (group.rank() + 3) % 4, right = (group.rank() + 1) % 4;
  std::vector<std::string> sent;
  for (const std::string& token : record.tokens) {
    if (token.find(">") != std::string::npos) sent.push_back(token);
  }
  const auto towards = [](int rank) { return ">" + std::to_string(rank) + ":"; };
  const auto count = [&](int rank) {
    return std::ranges::count_if(sent, [&](const std::string& token) {
      return token.find(towards(rank)) != std::string::npos && token.find(":5") != std::string::npos;
    });
  };
  EXPECT_EQ(count(left), 2 * 3) << capture::joined(record.tokens);  // two methods; one iteration untimed, two timed
  EXPECT_EQ(count(right), 2 * 3) << capture::joined(record.tokens);
  EXPECT_EQ(record.sent.messages, 2 * 2 * 3);
  EXPECT_EQ(record.sent.message_bytes, 2 * 2 * 3 * 5);
}

std::map<std::string, double> metrics_of(MotifBench& bench) {
  bench->reduce_metrics();
  std::map<std::string, double> metrics;
  for (Metric* metric : bench->measured()) metrics[metric->name()] = metric->take();
  return metrics;
}

// With this clock each loop takes a second, whatever it contains.
TEST(BEff, IsTheMeanOverSizesAndTheLogarithmicMeanOverPatterns) {
  if (world_size() < 4) GTEST_SKIP() << "needs 4 ranks";
  const mpi::Group group = first_ranks(4);
  if (!group) return;
  MotifBench bench(group, "b_eff",
                   {{"rings", "1,6"}, {"polygons", "1"}, {"sizes", "1,1024,4096"}, {"best-of", "1"}, {"loops", "1"}});
  const Ticking clock;
  Recorder recorder{clock};
  bench->perform(recorder);
  std::map<std::string, double> metrics = metrics_of(bench);

  // Four messages per iteration in rings of two, eight in the others.
  const double mean_bytes = (1.0 + 1024 + 4096) / 3;
  const double rings = mean_bytes * std::sqrt(4.0 * 8), polygons = mean_bytes * 8;
  EXPECT_NEAR(metrics["rings_bytes_per_s"] / rings, 1, 1e-12);
  EXPECT_NEAR(metrics["polygons_bytes_per_s"] / polygons, 1, 1e-12);
  EXPECT_NEAR(metrics["b_eff_bytes_per_s"] / std::sqrt(rings * polygons), 1, 1e-12);
  EXPECT_NEAR(metrics["b_eff_per_rank_bytes_per_s"] * 4 / std::sqrt(rings * polygons), 1, 1e-12);
  EXPECT_NEAR(metrics["rings_at_lmax_bytes_per_s"] / (4096 * std::sqrt(4.0 * 8)), 1, 1e-12);
  EXPECT_EQ(metrics.count("pingpong_at_lmax_bytes_per_s"), 0U);
}

TEST(BEff, KeepsEveryLoopInItsProtocol) {
  if (world_size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const mpi::Group group = first_ranks(2);
  if (!group) return;
  const std::string path = "b_eff_protocol.jsonl";
  MotifBench bench(group, "b_eff", with(short_run, {{"protocol", path}, {"polygons", "1"}, {"extra", ""}}));
  bench.perform();
  const std::map<std::string, double> metrics = metrics_of(bench);
  bench->finish(group, 3);
  EXPECT_EQ(metrics.count("pingpong_at_lmax_bytes_per_s"), 1U);
  if (group.rank() != 0) return;

  std::ifstream file(path);
  std::map<std::string, int> types;
  for (std::string line; std::getline(file, line);) ++types[line.substr(0, line.find(','))];
  EXPECT_EQ(types[R"({"type":"b_eff")"], 1);
  // Six rings, a polygon, worst cycle, two bisections, 2-D and 3-D each along one direction and together; a ping-pong.
  EXPECT_EQ(types[R"({"type":"loop")"], 3 * (6 + 1 + 3 + 4) + 1);
  EXPECT_EQ(types[R"({"type":"end")"], 1);
}

TEST(BEff, NoticesAWrongByteWhenAllIsDone) {
  if (world_size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const mpi::Group group = first_ranks(2);
  if (!group) return;
  MotifBench bench(group, "b_eff", with(short_run, {{"rings", "1"}, {"polygons", "0"}}));
  if (group.rank() == 1) capture::corrupt_receive(1, 4);
  bench.perform();
  if (group.rank() == 1) {
    EXPECT_THROW(bench->reduce_metrics(), WrongByte);
  } else {
    EXPECT_NO_THROW(bench->reduce_metrics());
  }
}

TEST(BEff, SaysWhatMakesItsNumberAnother) {
  if (world_size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const mpi::Group group = first_ranks(2);
  if (!group) return;
  MotifBench bench(group, "b_eff", {{"quick", ""}, {"lmax", "8KiB"}});
  EXPECT_THAT(bench->notes(), testing::Contains(testing::HasSubstr("not comparable with published b_eff")));
}

}  // namespace
}  // namespace stressbench::test
