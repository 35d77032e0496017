// Pages of a file that stay in the page cache.
#include "io/page_cache.hpp"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "backend_bench.hpp"

namespace stressbench::io {
namespace {

bool in_memory(const char* folder) {
  struct statfs system {};
  return ::statfs(folder, &system) == 0 && system.f_type == TMPFS_MAGIC;
}

class PageCache : public StorageTest {
 protected:
  void write_pages(const std::string& name, std::size_t pages) const {
    std::ofstream(name) << std::string(pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), 'x');
  }
};

TEST_F(PageCache, LosesAFileThatWasJustWritten) {
  if (in_memory(folder_.c_str())) GTEST_SKIP() << folder_ << " is in memory";
  write_pages(path(), 300);
  const auto dropped = drop_cache(path());
  ASSERT_TRUE(dropped);
  EXPECT_EQ(dropped->pages_before, 300);
  EXPECT_EQ(dropped->pages_left, 0);
  EXPECT_EQ(dropped->page_bytes, ::sysconf(_SC_PAGESIZE));
}

TEST_F(PageCache, CountsPagesOfAFileThatEndsWithinOne) {
  std::ofstream(path()) << "x";
  EXPECT_EQ(drop_cache(path())->pages_before, 1);
}

TEST_F(PageCache, SeesThatAHoleHasNoPages) {
  std::ofstream(path()) << "x";
  std::filesystem::resize_file(path(), std::uintmax_t{3} << 30);  // several windows
  EXPECT_EQ(drop_cache(path())->pages_before, 1);
}

TEST_F(PageCache, OfAnEmptyFileIsEmpty) {
  const std::ofstream made(path());
  EXPECT_EQ(drop_cache(path())->pages_before, 0);
}

TEST_F(PageCache, KeepsAFileThatLivesInMemory) {
  if (!in_memory("/dev/shm")) GTEST_SKIP() << "/dev/shm is no tmpfs";
  const test::TemporaryFolder folder("/dev/shm");
  const std::string name = folder.path() / "out";
  write_pages(name, 5);
  const auto dropped = drop_cache(name);
  EXPECT_EQ(dropped->pages_before, 5);
  EXPECT_EQ(dropped->pages_left, 5);
}

TEST_F(PageCache, IsUnknownOfAFileThatMayOnlyBeRead) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to be somebody else";
  write_pages(path("out"), 5);
  ::chmod(folder_.c_str(), 0755);
  ::chmod(path("out").c_str(), 0644);
  const pid_t child = ::fork();
  if (child == 0) {  // from within, since folders above may be closed to others
    ::_exit(::chdir(folder_.c_str()) == 0 && ::seteuid(65534) == 0 && !drop_cache("out") ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(PageCache, NamesTheFileThatIsNotThere) {
  EXPECT_EQ(fault_of([&] { drop_cache(path()); }), "open '" + path() + "': No such file or directory");
}

}  // namespace
}  // namespace stressbench::io
