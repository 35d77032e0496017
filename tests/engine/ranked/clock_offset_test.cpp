// Clocks that are hours apart are brought together to within the messages that it took.
#include "motifs/clock_offset.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "motif_bench.hpp"

namespace stressbench::test {
namespace {

class ElsewhereClock final : public Clock {
 public:
  explicit ElsewhereClock(std::int64_t ahead_ns) : ahead_ns_(ahead_ns) {}
  std::int64_t now_ns() const noexcept override { return here_.now_ns() + ahead_ns_; }

 private:
  MonotonicClock here_;
  std::int64_t ahead_ns_;
};

TEST(ClockOffset, IsThatOfTheClocks) {
  constexpr std::int64_t hour_ns = 3'600'000'000'000;
  constexpr std::int64_t tolerance_ns = 50'000'000;  // a rank may wait for a core
  const mpi::Group group = mpi::Group::view(MPI_COMM_WORLD).duplicate();
  const std::int64_t ahead = (group.rank() * 7 % 5) * hour_ns;
  const std::int64_t found = clock_offset_ns(group, ElsewhereClock(ahead));
  EXPECT_NEAR(static_cast<double>(found), static_cast<double>(ahead), static_cast<double>(tolerance_ns));
  EXPECT_TRUE(group.rank() > 0 || found == 0);
}

}  // namespace
}  // namespace stressbench::test
