#include "io/storage_error.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>

namespace stressbench::test {
namespace {

// Files cannot grow beyond `bytes` in this scope, as on a full disk.
class ShortFiles {
 public:
  explicit ShortFiles(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit less{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &less);
  }
  ~ShortFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  ShortFiles(const ShortFiles&) = delete;
  ShortFiles& operator=(const ShortFiles&) = delete;

 private:
  rlimit before_{};
  sighandler_t handler_;
};

class StorageErrors : public testing::Test {
 protected:
  void SetUp() override { number_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666); }
  void TearDown() override {
    ::close(number_);
    std::filesystem::remove(path_);
  }
  std::string path_ = testing::UnitTest::GetInstance()->current_test_info()->name();
  int number_ = -1;
};

TEST_F(StorageErrors, OfAByteIsWhatTheSystemSays) {
  const ShortFiles limit(4096);
  EXPECT_EQ(io::explain_write_failure(path_, 4095, std::byte{1}), "");
  EXPECT_EQ(io::explain_write_failure(path_, 4096, std::byte{1}), ::strerror(EFBIG));
}

TEST_F(StorageErrors, IsStillKnownWhenAnotherRankHasRemovedTheFile) {
  std::filesystem::remove(path_);
  const ShortFiles limit(4096);
  EXPECT_EQ(io::explain_write_failure(path_, 4096, std::byte{1}), ::strerror(EFBIG));
  EXPECT_EQ(io::explain_growth_failure(path_), "");
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(StorageErrors, ToOpenIsNotExcusedByARemovedFileOfThatName) {
  std::filesystem::remove(path_);
  EXPECT_EQ(io::explain_open_failure(path_, io::Access::read), ::strerror(ENOENT));
  EXPECT_EQ(io::length_of(path_), std::nullopt);
}

TEST_F(StorageErrors, OfAFileThatIsNotThereIsItsAbsence) {
  EXPECT_EQ(io::explain_write_failure("nowhere", 0, std::byte{1}), ::strerror(ENOENT));
  EXPECT_EQ(io::explain_read_failure("nowhere", 0), ::strerror(ENOENT));
}

}  // namespace
}  // namespace stressbench::test
