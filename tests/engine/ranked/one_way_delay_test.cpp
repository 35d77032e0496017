// one_way_delay: both directions add up to the round trip, and raw clocks show by how much they differ.
#include <gtest/gtest.h>

#include "motif_bench.hpp"

namespace stressbench::test {
namespace {

// Each reading takes a microsecond.
class ClockAhead final : public Clock {
 public:
  explicit ClockAhead(std::int64_t ahead_ns) : now_ns_(ahead_ns) {}
  std::int64_t now_ns() const noexcept override { return now_ns_ += 1000; }

 private:
  mutable std::int64_t now_ns_;
};

double taken(Motif& motif, const std::string& name) {
  for (Metric* metric : motif.measured()) {
    if (metric->name() == name) return metric->take();
  }
  throw std::logic_error("no metric " + name);
}

TEST(OneWayDelay, OfRawClocksContainsTheirOffset) {
  constexpr std::int64_t hour_ns = 3'600'000'000'000;
  if (world_size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const mpi::Group group = first_ranks(2);
  if (!group) return;
  MotifBench bench(group, "one_way_delay", {{"clocks", "raw"}});
  const ClockAhead clock(group.rank() * hour_ns);
  Recorder recorder(clock);

  for (int i = 0; i < 3; ++i) bench->perform(recorder);

  const double forward_s = taken(*bench, "forward_delay_s");
  const double backward_s = taken(*bench, "backward_delay_s");
  if (group.rank() == 1) {
    EXPECT_EQ(forward_s, 0);
    EXPECT_EQ(backward_s, 0);
    EXPECT_FALSE(bench->is_timed());
    return;
  }
  // Per iteration the initiator reads its clock twice and its partner once, 1 us each. Three iterations add up: the
  // partner's reading is 1, 2 and 3 us after its start, the initiator's sends are 1, 3 and 5 us after its own.
  EXPECT_NEAR(forward_s, 3 * 3600 + (1 + 2 + 3 - 1 - 3 - 5) * 1e-6, 1e-9);
  EXPECT_NEAR(forward_s + backward_s, 3e-6, 1e-9);
  EXPECT_TRUE(bench->is_timed());
}

TEST(OneWayDelay, OfBothDirectionsIsTheRoundTrip) {
  if (world_size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const mpi::Group group = first_ranks(2);
  if (!group) return;
  MotifBench bench(group, "one_way_delay", {{"size", "1KiB"}});
  const MonotonicClock clock;
  const std::int64_t began_ns = clock.now_ns();

  bench.perform();

  const std::int64_t took_ns = clock.now_ns() - began_ns;
  const double sum_s = taken(*bench, "forward_delay_s") + taken(*bench, "backward_delay_s");
  if (group.rank() == 1) return;
  EXPECT_GT(sum_s, 0);
  EXPECT_LE(sum_s, static_cast<double>(took_ns) * 1e-9 + 1e-12);
}

}  // namespace
}  // namespace stressbench::test
