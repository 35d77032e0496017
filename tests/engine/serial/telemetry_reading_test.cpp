// Readings of telemetry that take too long or fail, and commands that print counters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <future>
#include <thread>

#include "core/error.hpp"
#include "folder_test.hpp"
#include "telemetry/bounded_reader.hpp"
#include "telemetry/command.hpp"

namespace stressbench::telemetry {
namespace {

using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
constexpr std::chrono::hours long_time{1};
constexpr std::chrono::milliseconds short_time{50};

// Answers until `hanging`, then waits for `released`.
class Hanging final : public Source {
 public:
  Hanging(int answers, std::shared_future<void> released) : answers_(answers), released_(std::move(released)) {}
  Reading read() override {
    if (--answers_ < 0) released_.wait();
    return {{"readings", "", CounterUnit::events, 1}};
  }

 private:
  int answers_;
  std::shared_future<void> released_;
};

class Failing final : public Source {
 public:
  Reading read() override { throw MachineFault("prints nonsense"); }
};

TEST(BoundedReading, ThatHangsIsGivenUpAndNotWaitedForAgain) {
  std::promise<void> release;
  BoundedReader reader("slow", std::make_unique<Hanging>(1, release.get_future().share()));
  reader.begin();
  ASSERT_TRUE(reader.finish(steady_clock::now() + long_time));
  reader.begin();
  EXPECT_FALSE(reader.finish(steady_clock::now() + short_time));
  EXPECT_EQ(reader.fault(), "does not answer within the limit");
  reader.begin();
  EXPECT_FALSE(reader.finish(steady_clock::now() + long_time)) << "would last an hour";
  release.set_value();
}

TEST(BoundedReading, OfOneSourceIsThereThoughAnotherHangs) {
  std::promise<void> release;
  std::vector<BoundedReader> readers;
  readers.emplace_back("slow", std::make_unique<Hanging>(0, release.get_future().share()));
  readers.emplace_back("quick", std::make_unique<Hanging>(9, std::shared_future<void>{}));
  const auto readings = read_all(readers, std::chrono::seconds(2));
  EXPECT_FALSE(readings[0]);
  ASSERT_TRUE(readings[1]);
  EXPECT_EQ(readings[1]->at(0).total, 1U);
  release.set_value();
}

TEST(BoundedReading, OfASourceThatFailsHasItsReason) {
  BoundedReader reader("wrong", std::make_unique<Failing>());
  reader.begin();
  EXPECT_FALSE(reader.finish(steady_clock::now() + long_time));
  EXPECT_EQ(reader.fault(), "prints nonsense");
}

Reading output_of(const std::string& command, std::chrono::nanoseconds limit = long_time) {
  return Command(command, limit).read();
}
std::string fault_of(const std::string& command, std::chrono::nanoseconds limit = long_time) {
  try {
    (void)output_of(command, limit);
  } catch (const MachineFault& fault) {
    return fault.what();
  }
  return "";
}

TEST(TelemetryCommand, PrintsCountersOfTheHostAndOfDevices) {
  const Reading reading = output_of(R"(echo '{"joins": 3, "pump0": {"water_bytes": 17, "busy_ns": 5}}')");
  ASSERT_EQ(reading.size(), 3U);
  EXPECT_EQ(reading[0].name, "joins");
  EXPECT_THAT(reading[0].device, IsEmpty());
  EXPECT_EQ(reading[0].unit, CounterUnit::events);
  EXPECT_EQ(reading[0].total, 3U);
  EXPECT_EQ(reading[1].device, "pump0");
  EXPECT_EQ(reading[1].unit, CounterUnit::bytes);
  EXPECT_EQ(reading[2].unit, CounterUnit::ns);
  EXPECT_THAT(output_of("echo '{}'"), IsEmpty());
}

TEST(TelemetryCommand, ThatPrintsAnythingElseFailsWithTheReason) {
  EXPECT_EQ(fault_of("echo hello"), "prints output that is not JSON");
  EXPECT_EQ(fault_of("true"), "prints output that is not JSON");
  EXPECT_EQ(fault_of("echo '[1]'"), "prints array instead of a JSON object");
  EXPECT_THAT(fault_of(R"(echo '{"a": 1.5}')"), StartsWith("prints 1.5 instead of a whole number from 0"));
  EXPECT_THAT(fault_of(R"(echo '{"a": -1}')"), StartsWith("prints -1 instead of a whole number from 0"));
  EXPECT_THAT(fault_of(R"(echo '{"a": {"b": {"c": 1}}}')"), HasSubstr("instead of a whole number"));
  EXPECT_THAT(fault_of(R"(echo '{"": 1}')"), HasSubstr("the name \"\" instead of 1 to 40 printable"));
  EXPECT_THAT(fault_of(R"(echo '{"a b": 1}')"), HasSubstr("the name \"a b\" instead of"));
  EXPECT_EQ(fault_of("echo '{\"a\": 1}'; exit 4"), "exits with status 4");
  EXPECT_EQ(fault_of("/no/such/command 2> /dev/null"), "exits with status 127");
  EXPECT_EQ(fault_of("yes"), "prints more than 1 MiB");
}

// A pipeline, whose processes are not children of this one.
TEST(TelemetryCommand, ThatHangsIsKilledWithAllItsProcesses) {
  const test::TemporaryFolder folder;
  const std::string numbers = folder.path() / "numbers";
  const std::string fault = fault_of("sleep 1000 & echo $! > " + numbers + "; sleep 1000 | cat", short_time * 10);
  EXPECT_THAT(fault, testing::AnyOf("exits with status 137", "does not end"));
  std::ifstream file(numbers);
  pid_t process = 0;
  ASSERT_TRUE(file >> process);
  bool is_running = true;
  for (int i = 0; i < 1000 && is_running; ++i) {
    is_running =
        ::kill(process, 0) == 0 && std::ifstream("/proc/" + std::to_string(process) + "/cmdline").peek() != EOF;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(is_running) << process;
}

}  // namespace
}  // namespace stressbench::telemetry
