// Records that are read back, and fault records: who may append one, and what remains of a line that did not fit.
#include "output/run_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

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
  std::string content() const { return content_of("run.jsonl"); }

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

// What a reader of the file gets.
Json as_read(const Json& record) { return Json::parse(record.dump()); }

scheduler::Header header_of(const scheduler::Machine& machine) {
  scheduler::Header record;
  record.launch = 2;
  record.run_id = "run-7";
  record.seed = ~std::uint64_t{0};
  record.machine = &machine;
  record.workload_path = "demo.sb";
  record.workload_text = "[JOB_NAME] a\n";
  record.plan = {{3, 4}, 5, scheduler::Finish::once, 0.05, 1.5, "random:7", true};
  return record;
}

class RunFileReplaced : public test::FolderTest {
 protected:
  static std::string refusal_of(const std::string& path) {
    try {
      const RunFile file(path, Existing::replace);
    } catch (const UserMistake& mistake) {
      return mistake.what();
    }
    return "no refusal";
  }
};

TEST_F(RunFileReplaced, IsNotMadeWhereALinkLeadsToNoFile) {
  std::filesystem::create_symlink("nowhere", path("link"));
  EXPECT_EQ(refusal_of(path("link")),
            "--output: '" + path("link") + "' is a symbolic link to a missing file; give the name of the file itself");
  EXPECT_FALSE(std::filesystem::exists(path("nowhere")));
}

TEST_F(RunFileReplaced, IsNotFoundByALinkOfSomebodyElse) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  put("file", "");
  std::filesystem::create_symlink("file", path("link"));
  EXPECT_EQ(refusal_of(path("link")), "no refusal");
  ASSERT_EQ(::lchown(path("link").c_str(), 65534, 65534), 0);
  EXPECT_EQ(refusal_of(path("link")),
            "--output: '" + path("link") + "' is a symbolic link that user 65534 made; name the file itself");
}

TEST(RecordsReadBack, HeaderHasTheSettingsOfTheRun) {
  scheduler::Machine machine;
  machine.ranks = 4;
  machine.ranks_per_node = workload::NodeSizes::parse("2");
  const scheduler::Header written = header_of(machine);
  scheduler::Machine read_machine;
  const scheduler::Header read = header_from_json(as_read(to_json(written)), read_machine);
  EXPECT_EQ(read_machine.ranks, 4);
  EXPECT_EQ(read_machine.ranks_per_node, workload::NodeSizes::parse("2"));
  EXPECT_EQ(read.launch, 2);
  EXPECT_EQ(read.run_id, "run-7");
  EXPECT_EQ(read.seed, written.seed);
  EXPECT_EQ(read.workload_path, "demo.sb");
  EXPECT_EQ(read.workload_text, "[JOB_NAME] a\n");
  EXPECT_EQ(read.plan.counts.isolated, 3);
  EXPECT_EQ(read.plan.counts.contended, 4);
  EXPECT_EQ(read.plan.warmup, 5);
  EXPECT_EQ(read.plan.finish, scheduler::Finish::once);
  EXPECT_EQ(read.plan.until_interval, 0.05);
  EXPECT_EQ(read.plan.time_limit_s, 1.5);
  EXPECT_EQ(read.plan.placement, "random:7");
  EXPECT_TRUE(read.plan.verify);
}

TEST(RecordsReadBack, TheFileBeginsWithTheHeaderOfTheRun) {
  const scheduler::Machine machine;
  const std::string line = to_json(header_of(machine)).dump();
  EXPECT_THAT(line, testing::StartsWith(beginning_of_header()));
  EXPECT_THAT(line, testing::HasSubstr(run_id_member("run-7")));
}

TEST(RecordsReadBack, SampleHasJobStepPhaseAndTime) {
  scheduler::Machine machine;
  machine.table = {{"h1", std::nullopt, 1}};
  machine.node_of_rank = {0};
  scheduler::Sample sample;
  sample.job = 3;
  sample.step = 1;
  sample.head.phase = scheduler::Phase::extra;
  sample.time.max = 0.25;
  sample.time.slowest_rank = 0;
  const scheduler::Sample read = sample_from_json(as_read(to_json(sample, machine)));
  EXPECT_EQ(read.job, 3);
  EXPECT_EQ(read.step, 1);
  EXPECT_EQ(read.head.phase, scheduler::Phase::extra);
  EXPECT_EQ(read.time.max, 0.25);
  sample.time.slowest_rank = -1;
  EXPECT_EQ(sample_from_json(as_read(to_json(sample, machine))).time.slowest_rank, -1) << "measured on no rank";
}

TEST(RecordsReadBack, RoundAndEnd) {
  scheduler::RoundRecord round;
  round.round = {7, 2, scheduler::RoundKind::contended, -1};
  const scheduler::RoundRecord read = round_from_json(as_read(to_json(round, scheduler::Machine{})));
  EXPECT_EQ(read.round, round.round);
  EXPECT_TRUE(
      end_from_json(as_read(to_json(scheduler::End{true, scheduler::EndReason::done, 7, 1}, scheduler::Machine{})))
          .complete);
}

// The message about a record of a round of this kind.
std::string refusal_of_kind(const std::string& kind) {
  Json record = to_json(scheduler::RoundRecord{}, scheduler::Machine{});
  record["kind"] = kind;
  try {
    (void)round_from_json(record);
  } catch (const UserMistake& mistake) {
    return mistake.what();
  }
  return "no refusal";
}

TEST(RecordsReadBack, AnUnknownNameIsAMistakeAndNoDefault) {
  EXPECT_EQ(refusal_of_kind("other"), "'other' must be one of isolated, contended");
}

TEST(RecordsReadBack, OfAnUnknownNameOnlyTheBeginningIsShownAndNothingThatATerminalInterprets) {
  EXPECT_EQ(refusal_of_kind(std::string(1 << 20, 'x')),
            "'" + std::string(60, 'x') + "...' must be one of isolated, contended");
  EXPECT_EQ(refusal_of_kind("\x1b[2J\xc3\xa4\n"), R"('\u001b[2J\u00e4\n' must be one of isolated, contended)");
  EXPECT_EQ(refusal_of_kind("\xff"), R"('\ufffd' must be one of isolated, contended)");
}

}  // namespace
}  // namespace stressbench::output
