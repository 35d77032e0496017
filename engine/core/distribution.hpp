// Distributions of computation times, truncated at zero: the part below zero is cut off and the rest renormalised, by
// drawing the quantile from [F(0), 1] instead of [0, 1]. No value is clipped to zero or drawn again, so each position
// in the sequence of a seed gives exactly one value.
#pragma once

#include "core/parameter.hpp"

namespace stressbench {

enum class Shape { constant, normal, exponential, gamma, lognormal, uniform };

// Whether the standard deviation of the shape can be chosen (a constant has none, that of an exponential is its mean).
bool takes_deviation(Shape shape) noexcept;

class Distribution {
 public:
  // Mean and standard deviation before truncation, in the unit of the draws. mean > 0. deviation > 0 if the shape takes
  // one, ignored otherwise.
  Distribution(Shape shape, double mean, double deviation) noexcept
      : shape_(shape), mean_(mean), deviation_(deviation) {}

  // The `unit`-quantile (0 < unit < 1) of the truncated distribution: 0 or more, finite.
  double quantile(double unit) const;
  // Mean of the truncated distribution. Above the mean passed to the constructor if a part was cut off.
  double mean() const;

 private:
  Shape shape_;
  double mean_;
  double deviation_;
};

}  // namespace stressbench
