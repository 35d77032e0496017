// When a rank starts its next transfer, and when it stops. An option group of all storage motifs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/parameter.hpp"
#include "core/pause.hpp"

namespace stressbench::io {

class Pace {
 public:
  explicit Pace(ParameterSet* owner)
      : think_(owner, "think", Nanoseconds{0},
               "pause of a rank after each transfer; a sleep from 100 us on, below that busy waiting"),
        target_rate_(owner, "target", Bytes{0}, "maximum bytes per second that a rank transfers; 0: no limit"),
        time_limit_(owner, "for", Nanoseconds{0},
                    "stop after this time even if less than --size was transferred (stonewalling); 0: no limit"),
        continue_until_equal_(
            owner, "wear-out",
            "with --for: afterwards every rank continues until all have made the same number of transfers") {}

  void check() const {
    if (*continue_until_equal_ && !limited()) reject("wear-out", "requires --for");
  }
  bool limited() const noexcept { return time_limit_->value > 0; }
  bool continues_until_equal() const noexcept { return *continue_until_equal_; }

  void start(std::int64_t now_ns) noexcept {
    start_ns_ = now_ns;
    transferred_bytes_ = 0;
  }
  bool time_limit_reached(std::int64_t now_ns) const noexcept { return now_ns - start_ns_ >= time_limit_->value; }
  // Pauses after a transfer that ended at `now_ns`. Returns whether it did.
  bool pause_after(std::int64_t bytes, std::int64_t now_ns, const Recorder& recorder) noexcept {
    std::int64_t until_ns = think_->value > 0 ? now_ns + think_->value : now_ns;
    if (target_rate_->value > 0) {
      transferred_bytes_ += bytes;
      const double due_s = static_cast<double>(transferred_bytes_) / static_cast<double>(target_rate_->value);
      until_ns = std::max(until_ns, start_ns_ + static_cast<std::int64_t>(due_s * 1e9));
    }
    if (until_ns <= now_ns) return false;
    pause::until(Computation::sleep, recorder, until_ns);
    return true;
  }

 private:
  Param<Nanoseconds> think_;
  Param<Bytes> target_rate_;
  Param<Nanoseconds> time_limit_;
  Param<bool> continue_until_equal_;

  std::int64_t start_ns_ = 0;
  std::int64_t transferred_bytes_ = 0;
};

}  // namespace stressbench::io
