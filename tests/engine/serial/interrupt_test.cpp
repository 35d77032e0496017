// What a rank reports when a stop signal arrives.
#include "scheduler/interrupt.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "scheduler/rank_status.hpp"

namespace stressbench::scheduler::interrupt {
namespace {

// In a separate process, since handlers stay until the program ends.
void report(const RankStatus& status, int signal, const char* format = "json") {
  setenv("STRESSBENCH_RANK_STATUS", format, 1);
  install_handlers();
  rank_status() = status;
  raise(signal);
  std::_Exit(requested() ? 0 : 1);
}

const auto ended = testing::ExitedWithCode(0);

TEST(Interrupt, ReportsTheStatusOfTheRankAsALineOfJson) {
  const RankStatus busy{
      .job = R"(In "ca\st)", .job_number = 1, .motif = "incast", .rank = 6, .round = 7, .reports_signals = true};
  EXPECT_EXIT(report(busy, SIGTERM), ended,
              R"(^\{"kind":"rank_status","rank":6,"job":"In \\"ca\\\\st","motif":"incast","round":7\})");
}

TEST(Interrupt, ReportsNoJobAsNull) {
  const RankStatus idle{.reports_signals = true};
  EXPECT_EXIT(report(idle, SIGUSR1), ended, R"(^\{"kind":"rank_status","rank":0,"job":null,"motif":null,"round":0\})");
}

TEST(Interrupt, RequestsTheEndAtTheTimeLimitOfFlux) {
  EXPECT_EXIT(report({.reports_signals = true}, SIGALRM), ended, "rank_status");
}

TEST(Interrupt, ReportsASentenceUnlessJsonIsWanted) {
  const RankStatus busy{
      .job = "CG", .job_number = 1, .motif = "halo2d", .rank = 6, .round = 7, .reports_signals = true};
  EXPECT_EXIT(report(busy, SIGTERM, ""), ended,
              R"(^stressbench-mpi: stop signal received: rank 6 \(job CG, motif halo2d\), round 7)");
}

TEST(Interrupt, OnlyTheFirstRanksOfAJobReport) {
  EXPECT_EXIT(report({.job = "a", .rank = 2, .round = 1}, SIGINT), ended, "^$");
}

}  // namespace
}  // namespace stressbench::scheduler::interrupt
