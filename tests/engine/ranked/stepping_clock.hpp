// A clock that moves a nanosecond a reading, so that what spins on it takes an exact number of readings.
#pragma once

#include "core/clock.hpp"

namespace stressbench::test {

class SteppingClock final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override { return now_++; }
  std::int64_t readings() const noexcept { return now_; }

 private:
  mutable std::int64_t now_ = 0;
};

}  // namespace stressbench::test
