// Runs the tests on all ranks, in the same order. A failure on any rank fails the program; only rank 0 reports
// successes.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "io/load.hpp"

namespace {

// Reports the rank of a failure; silent otherwise.
class RankedFailures final : public testing::EmptyTestEventListener {
 public:
  explicit RankedFailures(int rank) : rank_(rank) {}

 private:
  void OnTestStart(const testing::TestInfo& test) override {
    name_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  // Must not call the framework, which holds its lock during this call.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "[rank %d] %s: %s:%d: %s\n", rank_, name_.c_str(),
                 result.file_name() ? result.file_name() : "?", result.line_number(), result.message());
  }

  int rank_;
  std::string name_ = "outside of a test";
};

// Reports what was left out and why as lines `SKIPPED NAME: REASON`, which scripts/test.sh prints: for ctest, the whole
// launch is one test. Tests that need another number of ranks are in other launches, and not reported.
class ReportedSkips final : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    for (int k = 0; k < test.result()->total_part_count(); ++k) {
      const testing::TestPartResult& part = test.result()->GetTestPartResult(k);
      const std::string_view reason = part.message();
      if (!part.skipped() || reason.find("rank") != std::string_view::npos) continue;
      const int length = static_cast<int>(std::min(reason.find('\n'), reason.size()));
      std::printf("SKIPPED %s.%s: %.*s\n", test.test_suite_name(), test.name(), length, reason.data());
    }
  }
};

// A working directory for this launch, so that concurrent launches do not share files.
class Workplace {
 public:
  explicit Workplace(int rank) : first_(rank == 0) {
    std::array<char, 256> name{};
    if (first_) {
      std::string made = (std::filesystem::temp_directory_path() / "stressbench_tests.XXXXXX").string();
      if (mkdtemp(made.data())) made.copy(name.data(), name.size() - 1);
    }
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    folder_ = name.data();
    std::filesystem::current_path(folder_);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  ~Workplace() {
    MPI_Barrier(MPI_COMM_WORLD);
    std::error_code ignored;
    if (first_) std::filesystem::remove_all(folder_, ignored);
  }

 private:
  bool first_;
  std::filesystem::path folder_;
};

int run_on_all(int rank) {
  const Workplace workplace(rank);
  const int own = RUN_ALL_TESTS();
  int worst = 0;
  MPI_Allreduce(&own, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && worst != own) std::fprintf(stderr, "failed on another rank than 0\n");
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // Before MPI_Init: an HDF5 that is loaded later closes in MPI_Finalize what faults left open, and does not survive
  // that. (The engine does not finalize after a fault.)
  stressbench::io::load_backends();
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(new RankedFailures(rank));  // the framework owns it
  if (rank == 0) listeners.Append(new ReportedSkips);
  if (rank != 0) delete listeners.Release(listeners.default_result_printer());

  const int worst = run_on_all(rank);
  MPI_Finalize();
  return worst;
}
