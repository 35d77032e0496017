// Consecutive tests and probes without a result: which part of their time is computation (docs/trace-format.md).
#pragma once

#include <algorithm>
#include <cstdint>

namespace stressbench::trace {

class Polling {
 public:
  // The most that a test counts as computation. A test that takes longer handled messages, or gave its core to another
  // process, as Open MPI does on cores that ranks share.
  static constexpr std::int64_t longest_computation_ns = 2000;

  void add(std::uint16_t op, const void* site, std::int64_t time_ns, std::int64_t tracer_ns) noexcept {
    if (op != op_ || site != site_) {
      earlier_ns_ += beyond_computation_ns_;
      time_ns_ = beyond_computation_ns_ = 0;
      op_ = op;
      site_ = site;
    }
    time_ns_ += time_ns;
    beyond_computation_ns_ += std::max<std::int64_t>(time_ns - longest_computation_ns, 0);
    tracer_ns_ += tracer_ns;
  }

  // Time since the last call with a result that was not computation, if this call is the next one with a result.
  // Unsuccessful tests before a successful one are waiting, since a replay tests as often as it needs. If the program
  // makes another call after them, they are part of its computation, up to the limit above.
  std::int64_t not_computed_ns(std::uint16_t op, const void* site) const noexcept {
    const bool waited = op == op_ && site == site_;
    return tracer_ns_ + earlier_ns_ + (waited ? time_ns_ : beyond_computation_ns_);
  }
  // The same if no call follows.
  std::int64_t not_computed_ns() const noexcept { return tracer_ns_ + earlier_ns_ + beyond_computation_ns_; }

 private:
  std::int64_t time_ns_ = 0;                // of the last tests of the same call
  std::int64_t beyond_computation_ns_ = 0;  // of them
  std::int64_t earlier_ns_ = 0;             // the same of tests of other calls before them
  std::int64_t tracer_ns_ = 0;              // in the tracer
  std::uint16_t op_ = 0;
  const void* site_ = nullptr;
};

}  // namespace stressbench::trace
