// Clocks that advance with each reading, or by spinning.
#pragma once

#include "core/clock.hpp"

namespace stressbench::test {

// Advances one nanosecond per reading, so that spinning takes an exact number of readings.
class SteppingClock final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override { return now_++; }
  std::int64_t readings() const noexcept { return now_; }

 private:
  mutable std::int64_t now_ = 0;
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
class Ticking final : public Clock {
 public:
  explicit Ticking(int seconds = 1) : step_ns_(seconds * std::int64_t{1'000'000'000}) {}
  std::int64_t now_ns() const noexcept override { return now_ns_ += step_ns_; }

 private:
  std::int64_t step_ns_;
  mutable std::int64_t now_ns_ = 0;
};

}  // namespace stressbench::test
