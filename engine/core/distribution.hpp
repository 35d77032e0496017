// Distributions of computation times, restricted to times of 0 and more: what lies below zero is cut off and the rest
// scaled up, by drawing the quantile from [F(0), 1] instead of [0, 1]. Nothing is clipped to zero, nothing is drawn
// twice, so a seed's draws keep their places.
#pragma once

#include "core/parameter.hpp"

namespace stressbench {

enum class Shape { constant, normal, exponential, gamma, lognormal, uniform };

// Whether the shape has a deviation of its own to choose (a constant has none, an exponential's is its mean).
bool takes_deviation(Shape shape) noexcept;

class Distribution {
 public:
  // Mean and standard deviation before anything is cut off, in the unit that draws will have. mean > 0; deviation > 0
  // where the shape takes one, ignored elsewhere.
  Distribution(Shape shape, double mean, double deviation) noexcept
      : shape_(shape), mean_(mean), deviation_(deviation) {}

  // The value whose share `unit` (0 < unit < 1) of all draws lies below: 0 or more, finite.
  double quantile(double unit) const;
  // Of the restricted distribution: what draws average to. Above the mean asked for where something was cut off.
  double mean() const;

 private:
  Shape shape_;
  double mean_;
  double deviation_;
};

}  // namespace stressbench
