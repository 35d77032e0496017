// memory: files without a disk, with the given times and faults.
#include "io/memory.hpp"

#include "backend_bench.hpp"

namespace stressbench::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Options = BackendBench::Options;

// A clock that only advances by waiting.
class HandMoved final : public TransferClock {
 public:
  std::int64_t now_ns() const noexcept override { return now_ns_; }
  void wait_until(std::int64_t end_ns) const noexcept override { now_ns_ = end_ns; }

 private:
  mutable std::int64_t now_ns_ = 1000;
};

class MemoryBackend : public StorageTest {
 protected:
  void TearDown() override { bench_->remove(path()); }
  static BackendBench failing(Options options) { return BackendBench("memory", options); }
  BackendBench bench_{"memory"};
};

TEST_F(MemoryBackend, FindsWhatWasWrittenThroughAnotherHold) {
  bench_->open(opening(Access::write));
  bench_->write(65'000, bytes(200'000));
  bench_->close();
  const BackendBench other("memory");
  std::vector<std::byte> found(200'000);
  other->open(opening(Access::read));
  other->read(65'000, found);
  EXPECT_EQ(found, bytes(200'000));
  EXPECT_THAT(other->notes(), IsEmpty());
}

TEST_F(MemoryBackend, MakesNoFileOnDisk) {
  bench_->open(opening(Access::write));
  bench_->write(0, bytes(10));
  bench_->close();
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(MemoryBackend, SaysHowManyBytesOfOthersItReadAsZeros) {
  bench_->open(opening(Access::both, 1000));
  bench_->write(100, bytes(50));
  bench_->write(150, bytes(50));
  bench_->write(300, bytes(100));
  bench_->write(120, bytes(20));
  std::vector<std::byte> found(300, std::byte{9});
  bench_->read(50, found);  // 50 before, 100 between
  EXPECT_EQ(found[0], std::byte{0});
  EXPECT_EQ(found[50], std::byte{1});
  EXPECT_EQ(found[200], std::byte{0});
  EXPECT_EQ(found[250], std::byte{1});
  EXPECT_THAT(bench_->notes(), ElementsAre(HasSubstr("150 bytes that this rank did not write were read as zeros")));
  EXPECT_THAT(bench_->notes(), IsEmpty());
}

TEST_F(MemoryBackend, NeverReadsPastTheEnd) {
  bench_->open(opening(Access::both, 10));
  bench_->write(0, bytes(20));
  std::vector<std::byte> found(16);
  EXPECT_EQ(fault_of([&] { bench_->read(8, found); }),
            "read '" + path() + "': read 12 of 16 bytes at offset 8: the file ends there");
}

TEST_F(MemoryBackend, ForgetsAFileThatIsRemoved) {
  bench_->open(opening(Access::write));
  bench_->write(0, bytes(20));
  bench_->close();
  EXPECT_TRUE(bench_->remove(path()));
  EXPECT_FALSE(bench_->remove(path()));
  std::vector<std::byte> found(20, std::byte{9});
  bench_->open(opening(Access::read, 20));
  bench_->read(0, found);
  EXPECT_EQ(found, std::vector<std::byte>(20));
}

TEST_F(MemoryBackend, TakesTheTimeThatItsBytesNeedAfterItsDelay) {
  const HandMoved timekeeper;
  ParameterSet owner;
  Memory memory(owner, timekeeper);
  owner.find("delay")->parse("10us");
  owner.find("bandwidth")->parse("1000000000");
  memory.open(opening(Access::both));
  memory.write(0, bytes(500));
  EXPECT_EQ(timekeeper.now_ns(), 1000 + 10'000 + 500);
  std::vector<std::byte> found(300);
  memory.read(0, found);
  EXPECT_EQ(timekeeper.now_ns(), 1000 + 10'000 + 500 + 10'000 + 300);
}

TEST_F(MemoryBackend, WaitsForNothingWhereNoneIsAsked) {
  const HandMoved timekeeper;
  ParameterSet owner;
  Memory memory(owner, timekeeper);
  memory.open(opening(Access::write));
  memory.write(0, bytes(500));
  EXPECT_EQ(timekeeper.now_ns(), 1000);
}

TEST_F(MemoryBackend, WaitsUntilTheClockSaysSo) {
  const TransferClock& timekeeper = TransferClock::real();
  for (const std::int64_t wait_ns : {1'000, 300'000}) {
    const std::int64_t end_ns = timekeeper.now_ns() + wait_ns;
    timekeeper.wait_until(end_ns);
    EXPECT_GE(timekeeper.now_ns(), end_ns);
  }
}

TEST_F(MemoryBackend, FailsInTheCallThatItIsToldAndNoOther) {
  const auto bench = failing({{"fail-call", "write"}, {"fail-after", "3"}, {"fail-with", "EDQUOT"}});
  std::vector<std::byte> found(8);
  bench->open(opening(Access::both));
  bench->write(0, bytes(8));
  bench->read(0, found);
  bench->write(8, bytes(8));
  EXPECT_EQ(fault_of([&] { bench->write(16, bytes(8)); }),
            "write '" + path() + "': wrote 0 of 8 bytes at offset 16: Disk quota exceeded");
  EXPECT_NO_THROW(bench->write(16, bytes(8)));
}

TEST_F(MemoryBackend, FailsInEachCallWithEachError) {
  const auto opened = failing({{"fail-call", "open"}, {"fail-with", "EACCES"}});
  EXPECT_EQ(fault_of([&] { opened->open(opening(Access::write)); }), "open '" + path() + "': Permission denied");
  const auto synced = failing({{"fail-call", "sync"}});
  synced->open(opening(Access::write));
  EXPECT_EQ(fault_of([&] { synced->sync(); }), "sync '" + path() + "': Input/output error");
  const auto closed = failing({{"fail-call", "close"}, {"fail-with", "ENOSPC"}});
  closed->open(opening(Access::write));
  EXPECT_EQ(fault_of([&] { closed->close(); }), "close '" + path() + "': No space left on device");
  const auto written = failing({{"fail-call", "write"}, {"fail-with", "EROFS"}});
  written->open(opening(Access::write));
  EXPECT_THAT(fault_of([&] { written->write(0, bytes(8)); }), HasSubstr("Read-only file system"));
}

TEST_F(MemoryBackend, TakesHalfOfAShortTransfer) {
  const auto bench = failing({{"fail-call", "write"}, {"fail-with", "short"}});
  bench->open(opening(Access::both));
  EXPECT_EQ(fault_of([&] { bench->write(0, bytes(8)); }),
            "write '" + path() + "': wrote 4 of 8 bytes at offset 0: No space left on device");
  std::vector<std::byte> found(4);
  bench->read(0, found);
  EXPECT_EQ(found, bytes(4));
  EXPECT_THAT(bench->notes(), IsEmpty());
}

TEST_F(MemoryBackend, FailsOnNoOtherRank) {
  const auto bench = failing({{"fail-call", "open"}, {"fail-rank", "1"}});  // this rank is 0, without a launcher
  EXPECT_NO_THROW(bench->open(opening(Access::write)));
}

TEST_F(MemoryBackend, RefusesAShortCallThatMovesNothing) {
  const auto bench = failing({{"fail-call", "sync"}, {"fail-with", "short"}});
  EXPECT_EQ(mistake_of([&] { bench->check({}); }).first, "fail-with");
}

}  // namespace
}  // namespace stressbench::io
