// Fault records in the run file: who may append one, and what remains of a line that did not fit.
#include "output/run_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "folder_test.hpp"
#include "output/json.hpp"
#include "output/written_file.hpp"

namespace stressbench::output {
namespace {

const std::string header = R"({"type":"header","schema_version":1,"launch":0,"run_id":"run-7","ranks":2})"
                           "\n";

scheduler::Fault fault() {
  scheduler::Fault fault;
  fault.rank = 1;
  fault.cause = "pwrite: no space left on device";
  return fault;
}

class RunFileFaults : public test::FolderTest {
 protected:
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  std::string content() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::string path_ = path("run.jsonl");
};

TEST_F(RunFileFaults, AreAppendedAsALine) {
  write(header);
  append_fault(path_, "run-7", fault());
  EXPECT_EQ(content(), header + R"({"type":"fault","round":null,"job":null,"motif":null,"rank":1,"host":null,)" +
                           R"("cause":"pwrite: no space left on device"})" + "\n");
}

TEST_F(RunFileFaults, HaveAllThatIsKnown) {
  scheduler::Fault known = fault();
  known.round = 4;
  known.job = 0;
  known.motif = "posix";
  known.host = "h1";
  EXPECT_EQ(to_json(known).dump(), R"({"type":"fault","round":4,"job":0,"motif":"posix","rank":1,"host":"h1",)"
                                   R"("cause":"pwrite: no space left on device"})");
}

TEST_F(RunFileFaults, AreNotWrittenToAFileOfAnotherRun) {
  write(header);
  append_fault(path_, "run-8", fault());
  EXPECT_EQ(content(), header);
}

TEST_F(RunFileFaults, AreNotWrittenWhereThereIsNoFile) {
  append_fault(path_, "run-7", fault());
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(RunFileFaults, AreNotWrittenIntoALine) {
  const std::string incomplete = header + R"({"type":"sam)";
  write(incomplete);
  append_fault(path_, "run-7", fault());
  EXPECT_EQ(content(), incomplete);
}

class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(RunFileFaults, NothingStaysOfALineThatDoesNotFit) {
  WrittenFile file(path_, ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(file.write(header), 0);
  {
    const FileSizeLimit limit(header.size() + 10);
    EXPECT_EQ(file.write(header), EFBIG);
  }
  EXPECT_EQ(content(), header);
  EXPECT_EQ(file.change(), "");
}

}  // namespace
}  // namespace stressbench::output
