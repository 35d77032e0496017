// Clocks that advance with each reading.
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
