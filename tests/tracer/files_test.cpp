#include "files.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "folder_test.hpp"

namespace stressbench::trace {
namespace {

namespace fs = std::filesystem;

class Files : public test::FolderTest {
 protected:
  void SetUp() override { put("precious", "mine"); }

  std::string precious() const { return content_of("precious"); }
};

TEST_F(Files, a_new_file_is_created) {
  for (auto* const create : {create_file, create_or_empty_file}) {
    const int file = create(path("new").c_str());
    ASSERT_GE(file, 0);
    close(file);
    fs::remove(path("new"));
  }
}

TEST_F(Files, links_are_not_followed) {
  fs::create_symlink(path("precious"), path("link"));
  fs::create_symlink(path("nothing"), path("dangling"));
  for (auto* const create : {create_file, create_or_empty_file}) {
    for (const char* name : {"link", "dangling"}) {
      EXPECT_EQ(create(path(name).c_str()), -1);
      EXPECT_EQ(errno, EEXIST) << name;
    }
  }
  EXPECT_EQ(precious(), "mine");
  EXPECT_FALSE(fs::exists(path("nothing")));
}

TEST_F(Files, only_a_file_of_this_user_without_other_names_is_emptied) {
  EXPECT_EQ(create_file(path("precious").c_str()), -1);
  fs::create_hard_link(path("precious"), path("other"));
  EXPECT_EQ(create_or_empty_file(path("other").c_str()), -1);
  EXPECT_EQ(precious(), "mine");
  fs::remove(path("other"));

  const int file = create_or_empty_file(path("precious").c_str());
  ASSERT_GE(file, 0);
  close(file);
  EXPECT_EQ(precious(), "");
}

TEST_F(Files, a_fifo_blocks_neither_who_reads_nor_who_writes) {
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(open_regular_file(path("fifo").c_str()), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(create_or_empty_file(path("fifo").c_str()), -1);
  EXPECT_EQ(errno, EEXIST);
}

TEST_F(Files, an_output_belongs_to_the_first_program_that_creates_it) {
  EXPECT_TRUE(claim_output(path("new").c_str()));
  EXPECT_TRUE(fs::is_empty(path("new")));
  EXPECT_FALSE(claim_output(path("new").c_str()));
  EXPECT_FALSE(claim_output(path("precious").c_str()));
  EXPECT_EQ(precious(), "mine");
}

TEST_F(Files, a_name_that_cannot_be_written_belongs_to_no_program) {
  fs::create_symlink(path("nothing"), path("dangling"));
  EXPECT_TRUE(claim_output(path("dangling").c_str()));
  EXPECT_TRUE(claim_output(path("nowhere/new").c_str()));
  EXPECT_FALSE(fs::exists(path("nothing")));
}

TEST_F(Files, only_regular_files_are_read) {
  EXPECT_EQ(open_regular_file("/dev/zero"), -1);
  EXPECT_EQ(open_regular_file(path(".").c_str()), -1);
  EXPECT_EQ(open_regular_file(path("nothing").c_str()), -1);
  EXPECT_EQ(errno, ENOENT);
  const int file = open_regular_file(path("precious").c_str());
  EXPECT_GE(file, 0);
  close(file);
}

// The limit on file sizes, as `ulimit -f` sets it, until the end of a block.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const struct rlimit limit { bytes, before_.rlim_max };
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;
  ~SizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  struct rlimit before_ {};
};

TEST_F(Files, what_exceeds_the_size_limit_is_a_failed_write_and_no_signal) {
  const int file = create_file(path("new").c_str());
  ASSERT_GE(file, 0);
  {
    const SizeLimit limit{1000};
    EXPECT_TRUE(write_at(file, std::string(600, 'a'), 0));
    EXPECT_FALSE(write_at(file, std::string(600, 'b'), 600));
    EXPECT_EQ(errno, EFBIG);
    EXPECT_FALSE(write_at(file, "c", 2000));
    EXPECT_EQ(errno, EFBIG);
    EXPECT_TRUE(is_within_size_limit(1000));
    EXPECT_FALSE(is_within_size_limit(1001));
  }
  EXPECT_EQ(fs::file_size(path("new")), 1000U);
  EXPECT_TRUE(write_at(file, "dd", 1000));
  EXPECT_EQ(fs::file_size(path("new")), 1002U);
  close(file);
}

}  // namespace
}  // namespace stressbench::trace
