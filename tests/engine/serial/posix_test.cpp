// posix: every call puts bytes in their place, completely or with the reason for the failure.
#include <linux/magic.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include <array>
#include <cstdlib>
#include <optional>

#include "backend_bench.hpp"
#include "faulty_calls.hpp"
#include "io/direct.hpp"
#include "io/page_cache.hpp"

namespace stressbench::io {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Limits the size of files until the end of the scope.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit lower{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &lower);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

std::size_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// Number of bytes of a file that are mapped.
std::int64_t mapped_bytes(const std::string& path) {
  std::ifstream maps("/proc/self/maps");
  std::int64_t sum = 0;
  for (std::string line; std::getline(maps, line);) {
    char* dash = nullptr;
    const unsigned long begin = std::strtoul(line.c_str(), &dash, 16);
    if (line.ends_with(path)) sum += static_cast<std::int64_t>(std::strtoul(dash + 1, nullptr, 16) - begin);
  }
  return sum;
}

// The message of the fault that `action` throws while `folder` is a file system of 64 KiB; none if that cannot be
// mounted.
template <class Action>
std::optional<std::string> fault_on_small_disk(const std::string& folder, Action action) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return std::nullopt;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=64k") != 0) {
      ::_exit(1);
    }
    const std::string words = fault_of(action);
    ::_exit(::write(ends[1], words.data(), words.size()) < 0);
  }
  ::close(ends[1]);
  std::array<char, 1000> words{};
  const ssize_t length = ::read(ends[0], words.data(), words.size());
  ::close(ends[0]);
  int status = -1;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 1) return std::nullopt;
  return std::string(words.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
}

class Posix : public StorageTest {};
class PosixByEachCall : public StorageTest, public testing::WithParamInterface<const char*> {
 protected:
  BackendBench bench_{"posix", {{"call", GetParam()}}};
};
class PosixByCopyingCalls : public PosixByEachCall {};
const auto spelt = [](const auto& tested) { return std::string(tested.param); };
INSTANTIATE_TEST_SUITE_P(Calls, PosixByEachCall, testing::Values("pwrite", "write", "mmap"), spelt);
INSTANTIATE_TEST_SUITE_P(Calls, PosixByCopyingCalls, testing::Values("pwrite", "write"), spelt);

TEST_P(PosixByEachCall, PutsEachByteAtItsPlaceAndFindsItThere) {
  bench_->prepare(opening(Access::write, 6000));
  bench_->open(opening(Access::write, 6000));
  bench_->write(5000, bytes(1000, 3));
  bench_->write(0, bytes(10));
  bench_->sync();
  bench_->close();
  auto expected = bytes(10);
  expected.resize(5000);
  for (const std::byte byte : bytes(1000, 3)) expected.push_back(byte);
  EXPECT_EQ(content(), expected);

  std::vector<std::byte> found(500);
  bench_->open(opening(Access::read, 6000));
  bench_->read(4800, found);
  bench_->close();
  EXPECT_TRUE(std::ranges::equal(found, std::span(expected).subspan(4800, 500)));
}

TEST_P(PosixByEachCall, ReadsWhatItWroteWithoutClosing) {
  bench_->open(opening(Access::both, 4096));
  bench_->write(96, bytes(4000));
  std::vector<std::byte> found(4000);
  bench_->read(96, found);
  bench_->close();
  EXPECT_EQ(found, bytes(4000));
}

TEST_P(PosixByEachCall, KeepsWhatIsInTheFile) {
  std::ofstream(path()) << "0123456789";
  bench_->open(opening(Access::write, 8));
  bench_->write(4, std::as_bytes(std::span("ab", 2)));
  bench_->close();
  std::string found;
  std::ifstream(path()) >> found;
  EXPECT_EQ(found, "0123ab6789");
}

TEST_P(PosixByEachCall, NeverReadsPastTheEnd) {
  std::ofstream(path()) << "0123456789";
  bench_->open(opening(Access::read));
  std::vector<std::byte> found(8);
  EXPECT_THAT(fault_of([&] { bench_->read(4, found); }),
              AllOf(HasSubstr("'" + path() + "': read "), HasSubstr(" of 8 bytes at offset 4: the file ends there")));
}

TEST_P(PosixByEachCall, NamesThePathThatCannotBeOpened) {
  Opening nowhere = opening(Access::write);
  nowhere.path = path("no/such/folder");
  EXPECT_EQ(fault_of([&] { bench_->open(nowhere); }), "open '" + nowhere.path + "': No such file or directory");
}

TEST_P(PosixByEachCall, ClosesItsFileWhenItIsDestroyed) {
  const std::size_t before = open_files();
  {
    BackendBench bench("posix", {{"call", GetParam()}});
    bench->open(opening(Access::write));
    bench->write(0, bytes(100));
    EXPECT_EQ(open_files(), before + 1);
  }
  EXPECT_EQ(open_files(), before);
  EXPECT_EQ(mapped_bytes(path()), 0);
}

TEST_P(PosixByCopyingCalls, GoesOnUntilATransferIsWhole) {
  const FaultyCalls faulty({.max_bytes = 999});
  std::vector<std::byte> found(4096);
  bench_->open(opening(Access::both));
  bench_->write(100, bytes(4096));
  bench_->read(100, found);
  bench_->close();
  EXPECT_EQ(found, bytes(4096));
}

TEST_P(PosixByCopyingCalls, RepeatsWhatASignalInterrupted) {
  std::vector<std::byte> found(4096);
  bench_->open(opening(Access::both));
  {
    const FaultyCalls faulty({.interrupted_calls = 3});
    bench_->write(0, bytes(4096));
  }
  const FaultyCalls faulty({.interrupted_calls = 2});
  bench_->read(0, found);
  EXPECT_EQ(found, bytes(4096));
}

TEST_P(PosixByCopyingCalls, GivesUpWhereNothingMoves) {
  bench_->open(opening(Access::write));
  const FaultyCalls faulty({.max_bytes = 0});
  EXPECT_EQ(fault_of([&] { bench_->write(7, bytes(64)); }),
            std::string(GetParam()) + " '" + path() + "': wrote 0 of 64 bytes at offset 7: no progress");
}

TEST_P(PosixByCopyingCalls, SaysThatTheDiskIsFull) {
  bench_->open({.path = "/dev/full"});
  EXPECT_EQ(fault_of([&] { bench_->write(4096, bytes(64)); }),
            std::string(GetParam()) + " '/dev/full': wrote 0 of 64 bytes at offset 4096: No space left on device");
}

TEST_P(PosixByCopyingCalls, SaysHowMuchWasWrittenUntilItFailed) {
  bench_->prepare(opening(Access::write));
  bench_->open(opening(Access::write));
  const FileSizeLimit limit(3000);
  EXPECT_EQ(fault_of([&] { bench_->write(1000, bytes(4096)); }),
            std::string(GetParam()) + " '" + path() + "': wrote 2000 of 4096 bytes at offset 1000: File too large");
}

TEST_P(PosixByEachCall, SaysThatASmallDiskIsFull) {
  const auto words = fault_on_small_disk(folder_, [&] {
    bench_->open(opening(Access::write));
    for (std::int64_t at = 0;; at += 40'000) bench_->write(at, bytes(40'000));
  });
  if (!words) GTEST_SKIP() << "a small file system cannot be mounted here (needs root)";
  const bool mapped = std::string(GetParam()) == "mmap";
  EXPECT_EQ(*words,
            GetParam() + (" '" + path() + "': wrote ") +
                (mapped ? "0 of 40000 bytes at offset 40000: the storage has no page for them (SIGBUS): it is full or "
                          "failed"
                        : "25536 of 40000 bytes at offset 40000: No space left on device"));
}

TEST_F(Posix, SaysThatSyncFailed) {
  const BackendBench bench("posix");
  bench->open({.path = "/dev/full"});
  EXPECT_EQ(fault_of([&] { bench->sync(); }), "fsync '/dev/full': Invalid argument");
}

TEST_F(Posix, SurvivesAPageThatTheStorageDoesNotGive) {
  const BackendBench bench("posix", {{"call", "mmap"}});
  bench->open(opening(Access::both, 65536));
  ASSERT_EQ(::truncate(path().c_str(), 0), 0);
  std::vector<std::byte> found(64);
  for (int again = 0; again < 2; ++again) {
    EXPECT_THAT(fault_of([&] { bench->write(8192, bytes(64)); }),
                AllOf(StartsWith("mmap '" + path() + "': wrote 0 of 64 bytes at offset 8192: "), HasSubstr("SIGBUS")));
    EXPECT_THAT(fault_of([&] { bench->read(8192, found); }), HasSubstr("SIGBUS"));
  }
}

TEST_F(Posix, MapsLittleOfALongFileAtATime) {
  const BackendBench bench("posix", {{"call", "mmap"}});
  constexpr std::int64_t step = 3'000'001;
  constexpr std::int64_t length = 40 * step;
  bench->open(opening(Access::both, length));
  std::int64_t most = 0;
  for (std::int64_t at = 0; at < length; at += step) {
    bench->write(at, bytes(4096, static_cast<int>(at / step)));
    most = std::max(most, mapped_bytes(path()));
  }
  EXPECT_GT(most, 0);
  EXPECT_LE(most, 9 << 20);
  std::vector<std::byte> found(4096);
  for (std::int64_t at = length - step; at >= 0; at -= step) {
    bench->read(at, found);
    EXPECT_EQ(found, bytes(4096, static_cast<int>(at / step)));
  }
}

TEST_F(Posix, AllocatesTheWholeFileWhenAsked) {
  const BackendBench bench("posix", {{"preallocate", ""}});
  bench->open(opening(Access::write, 1 << 20));
  struct stat found {};
  ASSERT_EQ(::stat(path().c_str(), &found), 0);
  EXPECT_EQ(found.st_size, 1 << 20);
  EXPECT_GE(found.st_blocks * 512, 1 << 20);
  EXPECT_THAT(bench->notes(), IsEmpty());
}

TEST_F(Posix, SaysThatTheFileCannotBeAllocated) {
  const BackendBench bench("posix", {{"preallocate", ""}});
  bench->prepare(opening(Access::write));
  const FileSizeLimit limit(4096);
  EXPECT_EQ(fault_of([&] { bench->open(opening(Access::write)); }), "fallocate '" + path() + "': File too large");
}

TEST_F(Posix, RemarksThatAFileSystemCannotAllocate) {
  const FaultyCalls faulty({.without_fallocate = true});
  const BackendBench bench("posix", {{"preallocate", ""}});
  bench->open(opening(Access::write));
  EXPECT_THAT(bench->notes(), ElementsAre("--preallocate: the file system of '" + path() + "' does not support it"));
  EXPECT_THAT(bench->notes(), IsEmpty());
}

class Direct : public StorageTest {
 protected:
  void SetUp() override {
    access_ = direct_access(path());
    if (access_.support != DirectAccess::Support::aligned) {
      GTEST_SKIP() << "the file system of " << folder_ << " does not say what O_DIRECT takes";
    }
  }
  DirectAccess access_;
  BackendBench bench_{"posix", {{"direct", ""}}};
};

TEST_F(Direct, GoesPastThePageCache) {
  const auto multiple = static_cast<std::size_t>(access_.multiple);
  void* const memory = std::aligned_alloc(4096, 8192);
  const std::span aligned(static_cast<std::byte*>(memory), std::max(multiple, std::size_t{4096}));
  std::ranges::copy(bytes(aligned.size()), aligned.begin());
  bench_->prepare(opening(Access::write));
  bench_->open(opening(Access::both));
  bench_->write(0, aligned);
  std::ranges::fill(aligned, std::byte{0});
  bench_->read(0, aligned);
  bench_->close();
  EXPECT_TRUE(std::ranges::equal(aligned, bytes(aligned.size())));
  EXPECT_EQ(drop_cache(path())->pages_before, 0);
  EXPECT_THAT(bench_->notes(), IsEmpty());
  std::free(memory);
}

TEST_F(Direct, RefusesLengthsThatItCannotMoveAndSaysWhichFit) {
  Opening odd = opening(Access::write);
  odd.transfer_bytes = access_.multiple + 1;
  const auto multiple = std::to_string(access_.multiple);
  const auto [parameter, words] = mistake_of([&] { bench_->prepare(odd); });
  EXPECT_EQ(parameter, "direct");
  EXPECT_EQ(words, "--direct: a transfer of " + std::to_string(access_.multiple + 1) +
                       " bytes: O_DIRECT requires multiples of " + multiple + " bytes for '" + path() + "'; " +
                       multiple + " or " + std::to_string(2 * access_.multiple) + " would fit");
  odd.transfer_bytes = access_.multiple;
  odd.file_bytes = 1;
  EXPECT_THAT(mistake_of([&] { bench_->prepare(odd); }).second,
              AllOf(HasSubstr("a file of 1 bytes"), EndsWith("; " + multiple + " would fit")));
}

TEST_F(Direct, SaysWhatTheSystemTakesWhereAnOffsetIsOdd) {
  bench_->prepare(opening(Access::write));
  bench_->open(opening(Access::write));
  EXPECT_THAT(fault_of([&] { bench_->write(1, bytes(1)); }),
              EndsWith("Invalid argument (O_DIRECT requires multiples of " + std::to_string(access_.multiple) +
                       " bytes there)"));
}

TEST_F(Posix, RefusesDirectAccessThroughMappedMemory) {
  const BackendBench bench("posix", {{"direct", ""}, {"call", "mmap"}});
  const auto [parameter, words] = mistake_of([&] { bench->check({}); });
  EXPECT_EQ(parameter, "direct");
  EXPECT_THAT(words, HasSubstr("pwrite and write"));
}

TEST_F(Posix, RemarksThatMemoryIgnoresDirectAccess) {
  struct statfs system {};
  if (::statfs("/dev/shm", &system) != 0 || system.f_type != TMPFS_MAGIC) GTEST_SKIP() << "/dev/shm is no tmpfs";
  const BackendBench bench("posix", {{"direct", ""}});
  const test::TemporaryFolder folder("/dev/shm");
  Opening in_memory = opening(Access::write);
  in_memory.path = folder.path() / "out";
  bench->prepare(in_memory);
  EXPECT_THAT(bench->notes(), ElementsAre(HasSubstr("ignores O_DIRECT")));
  EXPECT_FALSE(std::filesystem::exists(in_memory.path));
}

TEST_F(Posix, RemovesAFileByItsPath) {
  std::ofstream(path()) << "x";
  const BackendBench bench("posix");
  EXPECT_TRUE(bench->remove(path()));
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_FALSE(bench->remove(path()));
}

}  // namespace
}  // namespace stressbench::io
