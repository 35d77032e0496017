// Sources of telemetry on trees of /sys and /proc, which follow the documentation of each driver's files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/enum_names.hpp"
#include "core/error.hpp"
#include "folder_test.hpp"
#include "telemetry/selection.hpp"
#include "telemetry/source.hpp"

namespace stressbench::telemetry {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;
using testing::StartsWith;
using testing::UnorderedElementsAre;

const std::filesystem::path trees = std::filesystem::path(STRESSBENCH_CHECKOUT) / "tests/corpus/telemetry";

Reading read(const std::string& source, const std::filesystem::path& root) {
  for (const SourceEntry& entry : source_entries()) {
    if (entry.name == source) return entry.make(FileTree(root))->read();
  }
  throw UserMistake("no source {}", source);
}

// "eth0 rx_bytes [bytes]" and its total.
std::map<std::string, std::uint64_t> totals(const std::string& source, const std::string& tree) {
  std::map<std::string, std::uint64_t> found;
  for (const Counter& one : read(source, trees / tree)) {
    const std::string name = one.device + " " + one.name + " [" + std::string(name_of(one.unit)) + "]";
    EXPECT_TRUE(found.emplace(name, one.total).second) << name << " twice";
  }
  return found;
}

TEST(TelemetrySources, CountDataOfInfiniBandInWordsOfFourBytes) {
  const auto found = totals("infiniband", "mlx5");
  EXPECT_EQ(found.at("mlx5_0:1 tx_bytes [bytes]"), 10'000'000'000U);
  EXPECT_EQ(found.at("mlx5_0:1 rx_bytes [bytes]"), 5'000'000'004U);
  EXPECT_EQ(found.at("mlx5_0:1 tx_frames [frames]"), 4'890'625U);
  EXPECT_EQ(found.at("mlx5_0:1 rx_frames [frames]"), 2'445'313U);
}

TEST(TelemetrySources, CountWaitingErrorsAndCongestionOfMlx5) {
  const auto found = totals("infiniband", "mlx5");
  EXPECT_THAT(found, Contains(Pair("mlx5_0:1 tx_wait [ticks]", 88'120'004U)));
  EXPECT_THAT(found, Contains(Pair("mlx5_0:1 symbol_errors [events]", 17U)));
  EXPECT_THAT(found, Contains(Pair("mlx5_0:1 link_recoveries [events]", 2U)));
  EXPECT_THAT(found, Contains(Pair("mlx5_0:1 link_downs [events]", 1U)));
  EXPECT_THAT(found, Contains(Pair("mlx5_0:1 link_integrity_errors [events]", 9U)));
  EXPECT_THAT(found, Contains(Pair("mlx5_0:1 tx_drops [frames]", 5U)));
  EXPECT_THAT(found, Contains(Pair("mlx5_0:1 out_of_sequence [frames]", 47U)));
  EXPECT_THAT(found, Contains(Pair("mlx5_0:1 sequence_naks [events]", 48U)));
  EXPECT_THAT(found, Contains(Pair("mlx5_0:1 ack_timeouts [events]", 8U)));
  EXPECT_THAT(found, Contains(Pair("mlx5_0:1 receiver_not_ready [events]", 12U)));
  EXPECT_THAT(found, Contains(Pair("mlx5_1:1 ecn_marked [frames]", 441'882U)));
  EXPECT_THAT(found, Contains(Pair("mlx5_1:1 cnp_sent [frames]", 12'884U)));
  EXPECT_THAT(found, Contains(Pair("mlx5_1:1 cnp_handled [frames]", 12'701U)));
  EXPECT_THAT(found, Contains(Pair("mlx5_1:1 retransmissions [events]", 17U)));
  EXPECT_THAT(found, Not(Contains(Key(HasSubstr("lifespan"))))) << "is a setting, not a counter";
}

TEST(TelemetrySources, CountOmniPathOnceWhereBothDirectoriesHaveACounter) {
  const auto found = totals("infiniband", "hfi1");
  EXPECT_THAT(found, Contains(Pair("hfi1_0:1 tx_bytes [bytes]", 36'000'000'000U)));
  EXPECT_THAT(found, Contains(Pair("hfi1_0:1 rx_bytes [bytes]", 32'000'000'000U)));
  EXPECT_THAT(found, Contains(Pair("hfi1_0:1 tx_wait [ticks]", 123'456U)));
  EXPECT_THAT(found, Contains(Pair("hfi1_0:1 tx_drops [frames]", 2U)));
  EXPECT_THAT(found, Contains(Pair("hfi1_0:1 tx_flow_stalls [events]", 77U)));
}

TEST(TelemetrySources, AddUpTheTrafficClassesOfSlingshot) {
  const auto found = totals("cxi", "cxi");
  EXPECT_THAT(found, Contains(Pair("cxi0 tx_bytes [bytes]", 5'000'000'000U)));
  EXPECT_THAT(found, Contains(Pair("cxi0 rx_bytes [bytes]", 4'000'000'000U)));
  EXPECT_THAT(found, Contains(Pair("cxi0 tx_frames [frames]", 36'000U)));
  EXPECT_THAT(found, Contains(Pair("cxi0 rx_frames [frames]", 3'600U)));
  EXPECT_THAT(found, Contains(Pair("cxi0 tx_paused [ns]", 6'000'500U)));
  EXPECT_THAT(found, Contains(Pair("cxi0 rx_paused [ns]", 42U)));
  EXPECT_THAT(found, Contains(Pair("cxi0 timeouts [events]", 7U)));
  EXPECT_THAT(found, Contains(Pair("cxi0 no_resource_naks [events]", 11U)));
  EXPECT_THAT(found, Contains(Pair("cxi0 pcie_blocked [ns]", 2'000'000U)));
  EXPECT_THAT(found, Contains(Pair("cxi1 tx_bytes [bytes]", 123'456'789U)));
  EXPECT_THAT(found, Contains(Pair("cxi1 tx_paused [ns]", 0U)));
}

TEST(TelemetrySources, CountEthernetInterfacesThatAreUpAndNotThoseOnTopOfOthers) {
  const auto found = totals("ethernet", "ethernet");
  EXPECT_THAT(found, Each(Key(testing::AnyOf(StartsWith("eth0 "), StartsWith("enp1s0f0 ")))));
  EXPECT_THAT(found, Contains(Pair("eth0 rx_bytes [bytes]", 1'529'100'158U)));
  EXPECT_THAT(found, Contains(Pair("eth0 tx_bytes [bytes]", 1'895'307U)));
  EXPECT_THAT(found, Contains(Pair("eth0 rx_drops [frames]", 4U)));
  EXPECT_THAT(found, Contains(Pair("enp1s0f0 rx_bytes [bytes]", 18'446'744'073'709'551'615U)));
  EXPECT_THAT(found, Contains(Pair("enp1s0f0 rx_missed [frames]", 8U)));
  EXPECT_THAT(found, Contains(Pair("enp1s0f0 tx_drops [frames]", 11U)));
}

TEST(TelemetrySources, CountBytesAndCallsOfLustreMounts) {
  EXPECT_THAT(totals("lustre", "lustre"),
              UnorderedElementsAre(Pair("scratch-ffff8803ce5fb800 read_bytes [bytes]", 5'242'880U),
                                   Pair("scratch-ffff8803ce5fb800 written_bytes [bytes]", 41'943'040U),
                                   Pair("scratch-ffff8803ce5fb800 metadata_calls [events]", 53U),
                                   Pair("home-ffff8803ce5fb900 read_bytes [bytes]", 0U),
                                   Pair("home-ffff8803ce5fb900 written_bytes [bytes]", 0U),
                                   Pair("home-ffff8803ce5fb900 metadata_calls [events]", 0U)));
}

TEST(TelemetrySources, CountTheRequestsOfNfsMountsAndTheirWaiting) {
  const auto found = totals("nfs", "nfs");
  EXPECT_THAT(found, Each(Key(testing::AnyOf(StartsWith("/home "), StartsWith("/old ")))));
  EXPECT_THAT(found, Contains(Pair("/home read_bytes [bytes]", 3000U)));
  EXPECT_THAT(found, Contains(Pair("/home written_bytes [bytes]", 4000U)));
  EXPECT_THAT(found, Contains(Pair("/home requests [events]", 100U)));
  EXPECT_THAT(found, Contains(Pair("/home retransmissions [events]", 2U)));
  EXPECT_THAT(found, Contains(Pair("/home timeouts [events]", 1U)));
  EXPECT_THAT(found, Contains(Pair("/home queue_time [ns]", 45'000'000U)));
  EXPECT_THAT(found, Contains(Pair("/home response_time [ns]", 381'000'000U)));
}

TEST(TelemetrySources, CountStealThrottlingAndQuotaOfProcessors) {
  EXPECT_THAT(totals("cpu", "cpu"),
              UnorderedElementsAre(
                  Pair(" steal_time [ns]", 51'050'000'000U), Pair(" interrupt_time [ns]", 433'500'000'000U),
                  Pair("package0 core_throttling [events]", 11U), Pair("package0 package_throttling [events]", 8U),
                  Pair("package0 throttled_time [ns]", 900'000'000U), Pair("package1 core_throttling [events]", 2U),
                  Pair("package1 package_throttling [events]", 3U), Pair("package1 throttled_time [ns]", 40'000'000U),
                  Pair(" quota_throttling [events]", 12U), Pair(" quota_throttled_time [ns]", 345'678'000U)));
}

TEST(TelemetrySources, AreEmptyWithoutTheirFiles) {
  const test::TemporaryFolder empty;
  for (const SourceEntry& entry : source_entries())
    EXPECT_THAT(entry.make(FileTree(empty.path()))->read(), IsEmpty()) << entry.name;
}

// What a kernel or a driver may answer, or another program may have written.
TEST(TelemetrySources, LeaveOutWhatIsNoNumber) {
  const std::vector<std::string> contents{"",
                                          "\n",
                                          "-1\n",
                                          "N/A (no PMA)\n",
                                          "18446744073709551616\n",
                                          "12x\n",
                                          "0x12\n",
                                          std::string("\0\xff\n", 3),
                                          std::string(100'000, '7')};
  for (const auto& [source, tree] : std::map<std::string, std::string>{
           {"infiniband", "mlx5"}, {"cxi", "cxi"}, {"lustre", "lustre"}, {"nfs", "nfs"}, {"cpu", "cpu"}}) {
    const test::TemporaryFolder folder;
    const std::filesystem::path root = folder.path() / tree;
    std::filesystem::copy(trees / tree, root, std::filesystem::copy_options::recursive);
    for (const std::string& content : contents) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.is_regular_file()) std::ofstream(entry.path(), std::ios::binary) << content;
      }
      EXPECT_THAT(read(source, root), IsEmpty()) << source << ": " << content.substr(0, 30);
    }
  }
}

TEST(TelemetrySources, AddUpNfsMountsOnTheSameDirectory) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "proc/self");
  std::ofstream file(folder.path() / "proc/self/mountstats");
  for (int mount = 0; mount < 2; ++mount) {
    file << "device s:/e mounted on /home with fstype nfs4\n bytes: 0 0 0 0 100 7\n per-op statistics\n READ: 3 3 0\n";
  }
  file.close();
  std::map<std::string, std::uint64_t> found;
  for (const Counter& one : read("nfs", folder.path()))
    EXPECT_TRUE(found.emplace(one.name, one.total).second) << one.name;
  EXPECT_EQ(found.at("read_bytes"), 200U);
  EXPECT_EQ(found.at("written_bytes"), 14U);
  EXPECT_EQ(found.at("requests"), 6U);
}

TEST(TelemetrySources, CountTheQuotaOfOneGroupOnce) {
  const test::TemporaryFolder folder;
  for (const char* name : {"proc/self", "sys/fs/cgroup/a", "sys/fs/cgroup/b"})
    std::filesystem::create_directories(folder.path() / name);
  std::ofstream(folder.path() / "proc/self/cgroup") << "0::/a\n0::/b\n";
  std::ofstream(folder.path() / "sys/fs/cgroup/a/cpu.stat") << "nr_throttled 1\nnr_throttled 2\n";
  std::ofstream(folder.path() / "sys/fs/cgroup/b/cpu.stat") << "nr_throttled 5\n";
  const Reading reading = read("cpu", folder.path());
  ASSERT_EQ(reading.size(), 1U);
  EXPECT_EQ(reading[0].name, "quota_throttling");
  EXPECT_EQ(reading[0].total, 2U);
}

TEST(TelemetrySources, ReadFilesThatEndAnywhere) {
  for (const auto& [source, file] :
       std::map<std::string, std::string>{{"nfs", "nfs/proc/self/mountstats"},
                                          {"lustre", "lustre/proc/fs/lustre/llite/scratch-ffff8803ce5fb800/stats"},
                                          {"cpu", "cpu/proc/stat"}}) {
    const test::TemporaryFolder folder;
    const std::filesystem::path tree = file.substr(0, file.find('/'));
    std::filesystem::copy(trees / tree, folder.path() / tree, std::filesystem::copy_options::recursive);
    for (auto size = std::filesystem::file_size(trees / file); size > 0; --size) {
      std::filesystem::resize_file(folder.path() / file, size - 1);
      for (const Counter& one : read(source, folder.path() / tree))
        EXPECT_LT(one.total, 1'000'000'000'000U) << one.name;
    }
  }
}

TEST(TelemetrySelection, TakesAllSourcesOrNoneOrThoseThatAreNamed) {
  EXPECT_EQ(selected_sources("auto").sources.size(), source_entries().size());
  EXPECT_FALSE(selected_sources("auto").is_named);
  EXPECT_THAT(selected_sources("off").sources, IsEmpty());
  const Selection two = selected_sources("cpu,ethernet");
  EXPECT_TRUE(two.is_named);
  ASSERT_EQ(two.sources.size(), 2U);
  EXPECT_EQ(two.sources[0].name, "cpu");
  EXPECT_EQ(two.sources[1].name, "ethernet");
}

std::string rejection(const std::string& text) {
  try {
    (void)selected_sources(text);
  } catch (const UserMistake& mistake) {
    return mistake.what();
  }
  return "";
}

TEST(TelemetrySelection, RefusesWhatIsNoSource) {
  EXPECT_EQ(rejection("ehternet"),
            "--telemetry: 'ehternet' is not a source, did you mean 'ethernet'?; give auto, off, or some of "
            "cpu,cxi,ethernet,infiniband,lustre,nfs");
  EXPECT_THAT(rejection("cpu,"), StartsWith("--telemetry: '' is not a source; give"));
  EXPECT_THAT(rejection("cpu,auto"), StartsWith("--telemetry: 'auto' is not a source; give"));
  EXPECT_EQ(rejection("cpu,nfs,cpu"), "--telemetry: 'cpu' is given twice");
}

}  // namespace
}  // namespace stressbench::telemetry
