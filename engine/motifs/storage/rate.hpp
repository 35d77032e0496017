// A rate over a repetition: total amount / total time, over any number of executions.
#pragma once

#include "motifs/motif.hpp"

namespace stressbench::io {

class Rate final : public Metric {
 public:
  using Metric::Metric;
  void add(double amount, double time_s) noexcept {
    Metric::add(amount);
    time_s_ += time_s;
  }
  double take() noexcept override {
    const double amount = Metric::take();
    const double time_s = time_s_;
    time_s_ = 0;
    return time_s > 0 ? amount / time_s : 0;
  }

 private:
  double time_s_ = 0;
};

}  // namespace stressbench::io
