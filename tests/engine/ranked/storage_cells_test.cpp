// Every combination of backend and call x number of files x location of a rank's bytes x operation: either it works and
// every byte is in its place, or it is refused before any rank starts, for a reason listed here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "io/backend.hpp"
#include "io/load.hpp"
#include "motif_bench.hpp"

namespace stressbench::test {
namespace {

namespace fs = std::filesystem;

struct Call {
  std::string backend;
  std::string option;  // option of the backend; empty: it has no choice of calls
  std::string name;
};

std::vector<Call> calls() {
  io::load_backends();
  std::vector<Call> all;
  for (const auto& entry : io::backends()) {
    if (entry.name == "posix") {
      for (const char* call : {"pwrite", "write", "mmap"}) all.push_back({"posix", "call", call});
    } else if (entry.name == "mpiio") {
      for (const char* call : {"write", "write_at", "write_all", "write_at_all", "write_shared", "write_ordered",
                               "iwrite", "iwrite_at", "iwrite_all", "iwrite_at_all"}) {
        all.push_back({"mpiio", "call", std::string("MPI_File_") + call});
      }
    } else if (entry.name == "memory") {
      all.push_back({"memory", "", ""});
    } else {
      for (const char* mode : {"independent", "collective"}) all.push_back({entry.name, "transfer-mode", mode});
    }
  }
  return all;
}

struct Cell {
  Call call;
  std::string files;
  std::string order;  // whole: one block; strided: blocks of ranks alternate; random
  std::string work;
};

std::string words_of(const Cell& cell) {
  return cell.call.backend + ' ' + cell.call.name + ", files " + cell.files + ", " + cell.order + ", " + cell.work;
}

// Why a combination is not possible; empty if it is.
std::string reason_against(const Cell& cell) {
  const bool shared_pointer = cell.call.name == "MPI_File_write_shared" || cell.call.name == "MPI_File_write_ordered";
  const bool collective =
      cell.call.name == "collective" || cell.call.name.ends_with("_all") || cell.call.name == "MPI_File_write_ordered";
  const bool data_set = cell.call.option == "transfer-mode";
  if (shared_pointer && cell.order == "random") return "only moves forward";
  if (shared_pointer && cell.work == "append") return "beginning of a file";
  if (shared_pointer && cell.work == "mixed") return "the same file pointer";
  if (data_set && cell.work == "append") return "fixed at creation";
  if (collective && cell.work == "mixed") return "differ in number or length";
  return "";
}

// MPICH spins while it waits: with more ranks than cores a collective takes 10 ms, and all combinations take 10
// minutes. Then only one call of each backend and one order are tested, unless STRESSBENCH_ALL_CELLS is set in the
// environment.
bool waits_long() {
#ifdef MPICH
  return world_size() > 2 && std::getenv("STRESSBENCH_ALL_CELLS") == nullptr;
#else
  return false;
#endif
}
bool stands_for_others(const Cell& cell) {
  const std::string& call_name = cell.call.name;
  return cell.order == "strided" && (call_name.empty() || call_name == "pwrite" ||
                                     call_name == "MPI_File_write_at_all" || call_name == "collective");
}

class StorageCells : public testing::Test {
 protected:
  void SetUp() override { group_ = mpi::Group::view(MPI_COMM_WORLD).duplicate(); }
  void TearDown() override { group_.barrier(); }

  // The message against a combination; empty if it worked.
  std::string outcome_of(const Cell& cell) {
    Options options{{"file", (fs::current_path() / "cell").string()},
                    {"size", "1800"},
                    {"transfer", "250"},
                    {"files", cell.files},
                    {"do", cell.work}};
    if (!cell.call.option.empty()) options.emplace_back(cell.call.option, cell.call.name);
    if (cell.order != "whole") options.emplace_back("segments", "3");
    if (cell.order == "random") options.emplace_back("random", "");
    try {
      MotifBench bench(group_, cell.call.backend, options);
      for (const std::uint64_t pass : {0, 1}) {
        if (pass > 0) bench->prepare(pass);
        bench->fill_payload(pass);
        bench.perform();
        bench->reduce_metrics();
        bench->verify(pass);
      }
      bench->finish(group_, 1);
    } catch (const ParameterMistake& mistake) {
      return mistake.what();
    }
    return "";
  }

  mpi::Group group_;
};

TEST_F(StorageCells, WorkAndVerifyOrAreRefused) {
  int worked = 0;
  int refused = 0;
  for (const Call& call : calls()) {
    for (const char* files : {"one", "rank", "node", "every:2"}) {
      for (const char* order : {"whole", "strided", "random"}) {
        for (const char* work : {"write", "rewrite", "append", "read", "write_read", "mixed"}) {
          const Cell cell{call, files, order, work};
          if (waits_long() && !stands_for_others(cell)) continue;
          SCOPED_TRACE(words_of(cell));
          const std::string reason = reason_against(cell);
          const std::string outcome = outcome_of(cell);
          if (reason.empty()) {
            ASSERT_EQ(outcome, "");
            ++worked;
          } else {
            ASSERT_THAT(outcome, testing::HasSubstr(reason));
            ++refused;
          }
        }
      }
    }
  }
  EXPECT_GT(worked, waits_long() ? 2 * 6 * 4 : 12 * 6 * 4);
  if (world_rank() == 0) std::printf("%d cells worked and were verified, %d were refused\n", worked, refused);
}

TEST_F(StorageCells, LeaveNothingBehind) {
  for (const Call& call : calls()) {
    const Cell cell{call, "every:2", "strided", "write"};
    if (!waits_long() || stands_for_others(cell)) outcome_of(cell);
  }
  group_.barrier();
  for (const auto& entry : fs::directory_iterator(fs::current_path())) {
    EXPECT_FALSE(entry.path().filename().string().starts_with("cell")) << entry.path();
  }
  group_.barrier();
}

}  // namespace
}  // namespace stressbench::test
