// Drawn sizes of files: the same on all ranks, read by one rank, rejected with a message.
#include "motifs/storage/drawn_size.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "motif_bench.hpp"

namespace stressbench::test {
namespace {

namespace fs = std::filesystem;
using io::DrawnSize;
using testing::AllOf;
using testing::HasSubstr;

struct Sizes : ParameterSet {
  explicit Sizes(const Options& options = {}) {
    for (const auto& [option, text] : options) find(option)->parse(text);
  }
  DrawnSize drawn{this};
};

class DrawnSizes : public testing::Test {
 protected:
  void SetUp() override {
    world_ = mpi::Group::view(MPI_COMM_WORLD).duplicate();
    if (world_rank() == 0) std::ofstream(table_) << "size,weight\n100,1\n2000,2\n30000,1\n";
    world_.barrier();
  }
  void TearDown() override {
    world_.barrier();
    if (world_rank() == 0) fs::remove(table_);
    world_.barrier();
  }
  // Position as the engine provides it, with the rank of this process.
  static Draw draws() { return {.seed = 5, .stream = 8, .rank = static_cast<std::uint32_t>(world_rank())}; }
  std::string refusal_to_load(const std::string& from) const {
    Sizes sizes(Options{{"sizes-from", from}});
    try {
      sizes.drawn.load(world_, draws());
      ADD_FAILURE() << "was not refused";
    } catch (const ParameterMistake& mistake) {
      EXPECT_EQ(mistake.parameter(), "sizes-from");
      return mistake.what();
    }
    return "";
  }
  static std::string rejection(const Options& options, int ranks = 1) {
    const Sizes sizes(options);
    try {
      sizes.drawn.check(ranks);
      ADD_FAILURE() << "was not refused";
    } catch (const ParameterMistake& mistake) {
      return mistake.what();
    }
    return "";
  }

  std::string table_ = fs::absolute("sizes.csv").string();
  mpi::Group world_;
};

TEST_F(DrawnSizes, AreNotDrawnUnlessAskedFor) {
  const Sizes sizes;
  EXPECT_FALSE(sizes.drawn.enabled());
  EXPECT_NO_THROW(sizes.drawn.check(world_size()));
}

TEST_F(DrawnSizes, OfAFileAreTheSameOnAllRanks) {
  Sizes sizes(Options{{"sizes-from", table_}});
  sizes.drawn.check(world_size());
  sizes.drawn.load(world_, draws());
  for (int file = 0; file < 50; ++file) {
    std::array<std::int64_t, 2> limits{sizes.drawn.of(file, 3), -sizes.drawn.of(file, 3)};
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, limits.data(), 2, MPI_INT64_T, MPI_MAX, world_.handle()), "MPI_Allreduce");
    EXPECT_EQ(limits[0], -limits[1]) << "file " << file;
  }
}

TEST_F(DrawnSizes, AreTheSameWhateverTheNumberOfRanks) {
  Sizes on_all_ranks(Options{{"sizes-from", "lognormal:1MiB:4MiB"}});
  on_all_ranks.drawn.load(world_, draws());
  Sizes on_one_rank(Options{{"sizes-from", "lognormal:1MiB:4MiB"}});
  on_one_rank.drawn.load(world_.split(world_rank(), 0), draws());
  std::set<std::int64_t> different;
  for (int file = 0; file < 10; ++file) {
    for (std::uint64_t execution = 0; execution < 10; ++execution) {
      EXPECT_EQ(on_all_ranks.drawn.of(file, execution), on_one_rank.drawn.of(file, execution));
      different.insert(on_all_ranks.drawn.of(file, execution));
    }
  }
  EXPECT_EQ(different.size(), 100u);  // each file and each execution has its own
}

TEST_F(DrawnSizes, AreSpreadAsTheTableSays) {
  Sizes sizes(Options{{"sizes-from", table_}});
  sizes.drawn.load(world_, draws());
  constexpr int count = 10'000;
  int middle = 0;
  for (int i = 0; i < count; ++i) middle += sizes.drawn.of(i % 100, static_cast<std::uint64_t>(i / 100)) == 2000;
  EXPECT_NEAR(middle, count / 2, 4.5 * std::sqrt(count / 4.0));
}

TEST_F(DrawnSizes, AverageToWhatTheySay) {
  for (const char* from :
       {"exponential:1MB", "gamma:1MB:500kB", "uniform:1MB:100kB", "constant:1MB", "normal:1MB:1MB"}) {
    Sizes sizes(Options{{"sizes-from", from}, {"size-scale", "0.5"}});
    const double mean = sizes.drawn.mean();
    sizes.drawn.load(world_, draws());
    EXPECT_EQ(sizes.drawn.mean(), mean);
    EXPECT_FALSE(sizes.drawn.largest());
    double sum = 0;
    constexpr int count = 10'000;
    for (int i = 0; i < count; ++i) sum += static_cast<double>(sizes.drawn.of(i, 0));
    EXPECT_NEAR(sum / count / mean, 1, 0.05) << from;
  }
}

TEST_F(DrawnSizes, AreScaled) {
  Sizes sizes(Options{{"sizes-from", table_}, {"size-scale", "0.1"}});
  EXPECT_DOUBLE_EQ(sizes.drawn.mean(), 0.1 * (25 + 1000 + 7500));
  EXPECT_EQ(sizes.drawn.largest(), 3000);
  sizes.drawn.load(world_, draws());
  for (int file = 0; file < 100; ++file) {
    EXPECT_THAT(sizes.drawn.of(file, 0), testing::AnyOf(10, 200, 3000));
  }
}

TEST_F(DrawnSizes, EndWhereFilesDo) {
  Sizes long_tail(Options{{"sizes-from", "lognormal:100TiB:9000TiB"}, {"size-scale", "1000"}});
  long_tail.drawn.load(world_, draws());
  std::int64_t most = 0;
  for (int file = 0; file < 1000; ++file) most = std::max(most, long_tail.drawn.of(file, 0));
  EXPECT_EQ(most, std::min(SizeTable::max_size, (std::int64_t{1} << 62) / world_size()));
}

TEST_F(DrawnSizes, OfAJobAreCountable) {
  EXPECT_THAT(rejection({{"sizes-from", "constant:1048576TiB"}}, 3),
              HasSubstr("'constant:1048576TiB': a mean of 1 EiB in each of 3 ranks, more than any file system holds"));
  EXPECT_THAT(rejection({{"sizes-from", "exponential:1024TiB"}, {"size-scale", "1e9"}}),
              HasSubstr("a mean of 9.77e+05 EiB"));
  EXPECT_NO_THROW(Sizes(Options{{"sizes-from", "constant:1048576TiB"}}).drawn.check(2));
  if (world_rank() == 0) std::ofstream(table_) << "size,weight\n1,1000\n524288TiB,1\n";
  world_.barrier();
  EXPECT_NO_THROW(Sizes(Options{{"sizes-from", table_}}).drawn.check(4));
  const Sizes of_table(Options{{"sizes-from", table_}});
  if (world_rank() == 0) {
    EXPECT_THAT(rejection({{"sizes-from", table_}}, 5), HasSubstr("up to 0.5 EiB in each of 5 ranks"));
  } else {
    EXPECT_NO_THROW(of_table.drawn.check(5));  // it does not read the table
  }
}

TEST_F(DrawnSizes, ThatAreTooManyForTheJobAreRefusedOnEveryRank) {
  const int ranks = world_size();
  if (ranks < 3) GTEST_SKIP() << "two ranks may have as many bytes as a table may say";
  if (world_rank() == 0) std::ofstream(table_) << "size,weight\n1048576TiB,1\n";
  world_.barrier();
  EXPECT_THAT(refusal_to_load(table_), HasSubstr("up to 1 EiB in each of " + std::to_string(ranks) + " ranks"));
}

TEST_F(DrawnSizes, OfExtremeDistributionsAreDrawnAllTheSame) {
  for (const char* shape : {"normal", "gamma", "lognormal", "uniform"}) {
    for (const char* rest : {":1MB:1kB", ":1kB:100kB"}) {
      Sizes sizes(Options{{"sizes-from", std::string(shape) + rest}});
      ASSERT_NO_THROW(sizes.drawn.check(world_size()));
      sizes.drawn.load(world_, draws());
      for (int file = 0; file < 1000; ++file) ASSERT_GE(sizes.drawn.of(file, 0), 0);
    }
  }
}

TEST_F(DrawnSizes, AreReadByTheFirstRankAlone) {
  // The other ranks name a table that only the first rank has.
  Sizes sizes(Options{{"sizes-from", world_rank() == 0 ? table_ : "only-on-the-first-node.csv"}});
  ASSERT_NO_THROW(sizes.drawn.load(world_, draws()));
  EXPECT_EQ(sizes.drawn.largest(), 30000);
}

TEST_F(DrawnSizes, OfAMissingOrWrongTableAreRefusedOnEveryRank) {
  EXPECT_THAT(refusal_to_load("no-such.csv"),
              AllOf(HasSubstr("--sizes-from: cannot read 'no-such.csv': there is no such file"),
                    HasSubstr("SHAPE:MEAN:DEVIATION")));
  EXPECT_THAT(refusal_to_load("."), HasSubstr("cannot read '.': it is a directory"));
  world_.barrier();
  if (world_rank() == 0) std::ofstream(table_) << "size,weight\n1,1\n2\n";
  world_.barrier();
  EXPECT_THAT(refusal_to_load(table_), HasSubstr("sizes.csv:3: '2' does not have the 2 columns"));
}

TEST_F(DrawnSizes, ThatMakeNoSenseAreRefused) {
  EXPECT_THAT(rejection({{"size-scale", "2"}}), HasSubstr("--size-scale: requires --sizes-from"));
  EXPECT_THAT(rejection({{"sizes-from", "lognormal"}}),
              HasSubstr("'lognormal': lognormal takes a mean and a deviation"));
  EXPECT_THAT(rejection({{"sizes-from", "gamma:1MB"}}), HasSubstr("such as gamma:64MiB:16MiB"));
  EXPECT_THAT(rejection({{"sizes-from", "constant:1MB:2"}}), HasSubstr("constant takes a mean only"));
  EXPECT_THAT(rejection({{"sizes-from", "normal:x:1"}}), HasSubstr("'x' must be a size"));
  EXPECT_THAT(rejection({{"sizes-from", "normal:0:1"}}), HasSubstr("'0' must be greater than 0"));
  EXPECT_THAT(rejection({{"sizes-from", "normal:1MB:101MB"}}), HasSubstr("between 0.001 and 100 times the mean"));
}

}  // namespace
}  // namespace stressbench::test
