// Counters reduced over devices and hosts, in constant memory.
#include "scheduler/counter_cell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace stressbench::scheduler {
namespace {

CounterCell cell_of(const std::vector<std::uint64_t>& values, int node = 0) {
  CounterCell cell;
  int device = 0;
  for (const std::uint64_t value : values) cell.add(value, node, "eth" + std::to_string(device++));
  cell.hosts = 1;
  return cell;
}

std::vector<std::uint64_t> largest_of(const CounterCell& cell) {
  std::vector<std::uint64_t> values;
  for (const auto& one : cell.largest) {
    if (one.node >= 0) values.push_back(one.value);
  }
  return values;
}

TEST(CounterCells, HaveBucketsThatFollowEachOtherUpToTheLargestNumber) {
  EXPECT_EQ(CounterBuckets::bucket_of(0), 0U);
  EXPECT_EQ(CounterBuckets::bucket_of(~std::uint64_t{0}), CounterBuckets::count - 1);
  for (std::size_t bucket = 0; bucket < CounterBuckets::count; ++bucket) {
    const std::uint64_t lower = CounterBuckets::lower(bucket);
    EXPECT_EQ(CounterBuckets::bucket_of(lower), bucket);
    if (bucket == 0) continue;
    EXPECT_EQ(CounterBuckets::bucket_of(lower - 1), bucket - 1);
    EXPECT_LE(CounterBuckets::middle(bucket), static_cast<double>(lower) * (1 + 1.0 / 16) + 0.5);
  }
}

TEST(CounterCells, HaveExtremesSumAndQuantiles) {
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 1; i <= 1000; ++i) values.push_back(i * 1000);
  const auto found = cell_of(values).quantiles();
  EXPECT_EQ(found.min, 1000U);
  EXPECT_EQ(found.max, 1'000'000U);
  EXPECT_EQ(found.sum, 500'500'000U);
  EXPECT_NEAR(found.p25, 250'000, 250'000 * 0.07);
  EXPECT_NEAR(found.median, 500'000, 500'000 * 0.07);
  EXPECT_NEAR(found.p75, 750'000, 750'000 * 0.07);
}

TEST(CounterCells, OfOneDeviceAreExact) {
  const auto found = cell_of({1'234'567}).quantiles();
  EXPECT_EQ(found.median, 1'234'567);
  EXPECT_EQ(found.p25, 1'234'567);
  EXPECT_EQ(found.sum, 1'234'567U);
}

TEST(CounterCells, NameTheDevicesWithTheLargestValuesTheLowestNodeFirst) {
  CounterCell cell = cell_of({5, 9, 7, 9}, 3);
  cell.merge(cell_of({9}, 1));
  EXPECT_THAT(largest_of(cell), testing::ElementsAre(9, 9, 9));
  EXPECT_EQ(cell.largest[0].node, 1);
  EXPECT_STREQ(cell.largest[1].device.data(), "eth1");
  EXPECT_STREQ(cell.largest[2].device.data(), "eth3");
  EXPECT_THAT(largest_of(cell_of({2, 4})), testing::ElementsAre(4, 2));
}

TEST(CounterCells, KeepTheEndOfLongNames) {
  CounterCell cell;
  cell.add(1, 0, std::string(100, 'x') + "/scratch");
  EXPECT_THAT(cell.largest[0].device.data(), testing::EndsWith("x/scratch"));
  EXPECT_EQ(std::strlen(cell.largest[0].device.data()), cell.largest[0].device.size() - 1);
}

TEST(CounterCells, AreTheSameInWhateverOrderTheyAreMerged) {
  std::vector<CounterCell> hosts{cell_of({5, 9}, 0), cell_of({9, 100'000}, 1), cell_of({}, 2), cell_of({9}, 3)};
  hosts[2].hosts = 0;
  hosts[2].unknown = 2;
  std::vector<int> order{0, 1, 2, 3};
  CounterCell first;
  for (const int i : order) first.merge(hosts[static_cast<std::size_t>(i)]);
  EXPECT_EQ(first.hosts, 3);
  EXPECT_EQ(first.devices, 5);
  EXPECT_EQ(first.unknown, 2);
  while (std::ranges::next_permutation(order).found) {
    CounterCell left = hosts[static_cast<std::size_t>(order[0])];
    left.merge(hosts[static_cast<std::size_t>(order[1])]);
    CounterCell right = hosts[static_cast<std::size_t>(order[2])];
    right.merge(hosts[static_cast<std::size_t>(order[3])]);
    left.merge(right);
    EXPECT_EQ(left.quantiles().sum, first.quantiles().sum);
    EXPECT_EQ(left.quantiles().median, first.quantiles().median);
    EXPECT_EQ(left.buckets, first.buckets);
    for (std::size_t i = 0; i < left.largest.size(); ++i) {
      EXPECT_EQ(left.largest[i].node, first.largest[i].node);
      EXPECT_EQ(left.largest[i].device, first.largest[i].device);
    }
  }
}

// As MPI_Reduce does: the hosts of a later half are merged into those of an earlier one, level by level.
TEST(CounterCells, Of131072HostsAreAsLargeAsThatOfOne) {
  constexpr int hosts = 1 << 17;
  const auto merged = [](auto& self, int first, int count) -> CounterCell {
    if (count == 1) return cell_of({static_cast<std::uint64_t>(first) * 1000}, first);
    CounterCell cell = self(self, first, count / 2);
    cell.merge(self(self, first + count / 2, count / 2));
    return cell;
  };
  const CounterCell all = merged(merged, 0, hosts);
  const auto found = all.quantiles();
  EXPECT_EQ(all.hosts, hosts);
  EXPECT_EQ(found.min, 0U);
  EXPECT_EQ(found.max, 131'071'000U);
  EXPECT_EQ(found.sum, std::uint64_t{hosts} * (hosts - 1) / 2 * 1000);
  EXPECT_NEAR(found.median, 65'536'000, 65'536'000 * 0.07);
  EXPECT_EQ(all.largest[0].node, hosts - 1);
  EXPECT_EQ(all.largest[2].node, hosts - 3);
}

TEST(CounterCells, DoNotExceedTheLargestNumberOfARunFile) {
  const std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  const auto found = cell_of({~std::uint64_t{0}, most, 5}).quantiles();
  EXPECT_EQ(found.max, most);
  EXPECT_EQ(found.sum, most);
}

}  // namespace
}  // namespace stressbench::scheduler
