// Clocks that are hours apart are aligned to within the duration of the messages exchanged.
#include "motifs/clock_offset.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "motif_bench.hpp"

namespace stressbench::test {
namespace {

// Each reading takes a microsecond, so that the time for which a rank waits for a core does not matter.
class ElsewhereClock final : public Clock {
 public:
  explicit ElsewhereClock(std::int64_t ahead_ns) : now_ns_(ahead_ns) {}
  std::int64_t now_ns() const noexcept override { return now_ns_ += 1000; }

 private:
  mutable std::int64_t now_ns_;
};

TEST(ClockOffset, IsThatOfTheClocks) {
  constexpr std::int64_t hour_ns = 3'600'000'000'000;
  constexpr std::int64_t tolerance_ns = 1'000'000;  // some exchanges of a few readings with each neighbour
  const mpi::Group group = mpi::Group::view(MPI_COMM_WORLD).duplicate();
  const std::int64_t ahead = (group.rank() * 7 % 5) * hour_ns;
  const std::int64_t found = clock_offset_ns(group, ElsewhereClock(ahead));
  EXPECT_NEAR(static_cast<double>(found), static_cast<double>(ahead), static_cast<double>(tolerance_ns));
  EXPECT_TRUE(group.rank() > 0 || found == 0);
}

}  // namespace
}  // namespace stressbench::test
