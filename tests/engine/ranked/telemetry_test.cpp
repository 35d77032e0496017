// Telemetry of the hosts: who reads, what a round has counted, and what becomes of sources that fail. All ranks are on
// one host, so that one rank reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <map>
#include <memory>
#include <string>

#include "core/error.hpp"
#include "scheduler/host_telemetry.hpp"

namespace {
int created_operations = 0;
}  // namespace

extern "C" int MPI_Op_create(MPI_User_function* function, int commutes, MPI_Op* operation) {
  ++created_operations;
  return PMPI_Op_create(function, commutes, operation);
}

namespace stressbench::scheduler {
namespace {

using telemetry::CounterUnit;
using testing::ElementsAre;
using testing::IsEmpty;
constexpr std::chrono::hours limit{1};

// Counters of a test, which it changes between readings.
struct Counters {
  telemetry::Reading reading;
  std::string fault;
  int readings = 0;
};

class Given final : public telemetry::Source {
 public:
  explicit Given(std::shared_ptr<Counters> counters) : counters_(std::move(counters)) {}
  telemetry::Reading read() override {
    ++counters_->readings;
    if (!counters_->fault.empty()) throw MachineFault(counters_->fault);
    return counters_->reading;
  }

 private:
  std::shared_ptr<Counters> counters_;
};

class Telemetry : public testing::Test {
 protected:
  HostTelemetry start(const std::vector<std::string>& names = {"test"}) {
    std::vector<telemetry::SourceEntry> sources;
    for (const std::string& name : names) {
      auto& own = counters_[name];
      if (!own) own = std::make_shared<Counters>();
      sources.push_back({name, "", "", [own](const telemetry::FileTree&) { return std::make_unique<Given>(own); }});
    }
    return HostTelemetry(world_, machine_, sources, telemetry::FileTree("/"), limit);
  }
  Counters& of(const std::string& name = "test") {
    auto& own = counters_[name];
    if (!own) own = std::make_shared<Counters>();
    return *own;
  }
  bool is_root() const { return world_.rank() == 0; }

  const mpi::Group world_ = mpi::Group::view(MPI_COMM_WORLD);
  const Machine machine_ = discover(world_, workload::NodeSizes::parse("1"));  // a node for each rank, but one host
  std::map<std::string, std::shared_ptr<Counters>> counters_;
};

TEST_F(Telemetry, IsReadByOneRankOfAHostWhateverItsNodes) {
  HostTelemetry telemetry = start();
  telemetry.begin_round();
  (void)telemetry.end_round();
  EXPECT_EQ(of().readings, is_root() ? 3 : 0);
}

TEST_F(Telemetry, IsTheIncreaseOfEachDeviceDuringTheRound) {
  of().reading = {{"sent", "a", CounterUnit::bytes, 1000}, {"sent", "b", CounterUnit::bytes, 5}};
  HostTelemetry telemetry = start();
  telemetry.begin_round();
  of().reading = {{"sent", "a", CounterUnit::bytes, 1700}, {"sent", "b", CounterUnit::bytes, 8}};
  const TelemetryCounters found = telemetry.end_round();
  if (!is_root()) {
    EXPECT_THAT(found, IsEmpty());
    return;
  }
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].source, "test");
  EXPECT_EQ(found[0].name, "sent");
  EXPECT_EQ(found[0].unit, CounterUnit::bytes);
  EXPECT_EQ(found[0].hosts, 1);
  EXPECT_EQ(found[0].devices, 2);
  EXPECT_EQ(found[0].unknown, 0);
  EXPECT_EQ(found[0].values->sum, 703U);
  EXPECT_EQ(found[0].values->min, 3U);
  EXPECT_EQ(found[0].values->max, 700U);
  ASSERT_EQ(found[0].largest.size(), 2U);
  EXPECT_EQ(found[0].largest[0].device, "a");
  EXPECT_EQ(found[0].largest[0].node, 0);
}

TEST_F(Telemetry, IsUnknownOfACounterThatWasResetOrDisappeared) {
  of().reading = {{"sent", "a", CounterUnit::bytes, 1000}, {"sent", "b", CounterUnit::bytes, 5}};
  HostTelemetry telemetry = start();
  telemetry.begin_round();
  of().reading = {{"sent", "a", CounterUnit::bytes, 999}, {"sent", "new", CounterUnit::bytes, 7}};
  const TelemetryCounters found = telemetry.end_round();
  if (!is_root()) return;
  EXPECT_EQ(found[0].unknown, 2);
  EXPECT_EQ(found[0].devices, 0);
  EXPECT_EQ(found[0].hosts, 0);
  EXPECT_FALSE(found[0].values);
  EXPECT_THAT(found[0].largest, IsEmpty());
  EXPECT_THAT(telemetry.take_faults(), IsEmpty()) << "the source works";
}

TEST_F(Telemetry, KnowsOnEveryRankWhichSourcesHaveNoCounters) {
  of("there").reading = {{"sent", "", CounterUnit::bytes, 1}};
  const HostTelemetry telemetry = start({"here", "there"});
  EXPECT_THAT(telemetry.absent(), ElementsAre("here"));
}

TEST_F(Telemetry, ReportsASourceThatFailsOnceAndReadsTheOthers) {
  of("good").reading = of("bad").reading = {{"sent", "", CounterUnit::bytes, 1}};
  HostTelemetry telemetry = start({"bad", "good"});
  for (int round = 0; round < 3; ++round) {
    telemetry.begin_round();
    of("good").reading[0].total += 10;
    if (round == 1) of("bad").fault = "is broken";
    const TelemetryCounters found = telemetry.end_round();
    const auto faults = telemetry.take_faults();
    if (!is_root()) continue;
    EXPECT_EQ(found[1].values->sum, 10U);
    EXPECT_EQ(found[0].values.has_value(), round == 0);
    EXPECT_EQ(found[0].unknown, round == 1 ? 1 : 0);
    ASSERT_EQ(faults.size(), round == 1 ? 1U : 0U);
    if (round != 1) continue;
    EXPECT_EQ(faults[0].source, "bad");
    EXPECT_EQ(faults[0].hosts, 1);
    EXPECT_EQ(faults[0].reason, "is broken");
  }
  EXPECT_EQ(of("bad").readings, is_root() ? 5 : 0) << "the first, and two in each of two rounds";
}

TEST_F(Telemetry, CreatesItsOperationsOnceAndNotInEachRound) {
  of().reading = {{"sent", "", CounterUnit::bytes, 1}};
  const int before = created_operations;
  HostTelemetry telemetry = start();
  const int at_start = created_operations;
  for (int round = 0; round < 3; ++round) {
    telemetry.begin_round();
    (void)telemetry.end_round();
  }
  EXPECT_EQ(at_start > before, is_root()) << "the operations are counted";
  EXPECT_EQ(created_operations, at_start);
}

TEST_F(Telemetry, KeepsALimitedNumberOfCountersAndSaysSo) {
  for (int i = 0; i <= HostTelemetry::max_counters; ++i)
    of().reading.push_back({"counter" + std::to_string(1000 + i), "", CounterUnit::events, 1});
  HostTelemetry telemetry = start();
  telemetry.begin_round();
  const TelemetryCounters found = telemetry.end_round();
  if (!is_root()) return;
  EXPECT_TRUE(telemetry.is_truncated());
  EXPECT_EQ(found.size(), static_cast<std::size_t>(HostTelemetry::max_counters));
  EXPECT_EQ(found.front().name, "counter1000");
}

}  // namespace
}  // namespace stressbench::scheduler
