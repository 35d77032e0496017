// Clocks that advance with each reading, or by spinning.
#pragma once

#include "core/clock.hpp"

namespace stressbench::test {

// Advances by a step with each reading, so that spinning takes an exact number of readings.
class SteppingClock : public Clock {
 public:
  explicit SteppingClock(std::int64_t step_ns = 1) : step_ns_(step_ns) {}
  std::int64_t now_ns() const noexcept override { return step_ns_ * readings_++; }
  std::int64_t readings() const noexcept { return readings_; }

 private:
  std::int64_t step_ns_;
  mutable std::int64_t readings_ = 0;
};

// Passes all the time for which a motif spins at once, as if the rank had lost its core. Readings take no time.
class JumpingClock final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override {
    ++readings_;
    return now_;
  }
  void spin_until(std::int64_t end_ns) const noexcept override { now_ = end_ns; }
  int readings() const noexcept { return readings_; }

 private:
  mutable std::int64_t now_ = 0;
  mutable int readings_ = 0;
};

// Advances by `seconds` with each reading.
class Ticking final : public SteppingClock {
 public:
  explicit Ticking(int seconds = 1) : SteppingClock(seconds * std::int64_t{1'000'000'000}) {}
};

}  // namespace stressbench::test
