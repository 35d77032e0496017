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
        target_(owner, "target", Bytes{0}, "most bytes per second that a rank transfers; 0: no limit"),
        limit_(owner, "for", Nanoseconds{0},
               "stop after this time even if less than --size was transferred (stonewalling); 0: no limit"),
        wear_out_(owner, "wear-out", "with --for: afterwards every rank goes on until all have done as much") {}

  void check() const {
    if (*wear_out_ && !limited()) reject("wear-out", "requires --for");
  }
  bool limited() const noexcept { return limit_->value > 0; }
  bool wears_out() const noexcept { return *wear_out_; }

  void start(std::int64_t now_ns) noexcept {
    start_ns_ = now_ns;
    moved_ = 0;
  }
  bool time_is_up(std::int64_t now_ns) const noexcept { return now_ns - start_ns_ >= limit_->value; }
  // Pauses after a transfer that ended at `now_ns`. Returns whether it did.
  bool rest(std::int64_t bytes, std::int64_t now_ns, const Recorder& recorder) noexcept {
    std::int64_t until_ns = think_->value > 0 ? now_ns + think_->value : now_ns;
    if (target_->value > 0) {
      moved_ += bytes;
      const double due_s = static_cast<double>(moved_) / static_cast<double>(target_->value);
      until_ns = std::max(until_ns, start_ns_ + static_cast<std::int64_t>(due_s * 1e9));
    }
    if (until_ns <= now_ns) return false;
    pause::until(Computation::sleep, recorder, until_ns);
    return true;
  }

 private:
  Param<Nanoseconds> think_;
  Param<Bytes> target_;
  Param<Nanoseconds> limit_;
  Param<bool> wear_out_;

  std::int64_t start_ns_ = 0;
  std::int64_t moved_ = 0;
};

}  // namespace stressbench::io
