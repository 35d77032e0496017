#include "core/distribution.hpp"

#include <algorithm>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace stressbench {
namespace {

using boost::math::complement;

double normal_quantile(double mean, double deviation, double unit) {
  const boost::math::normal normal(mean, deviation);
  const double kept = cdf(complement(normal, 0.0));  // probability of a value above zero
  return quantile(complement(normal, kept * (1.0 - unit)));
}

double normal_mean(double mean, double deviation) {
  const boost::math::normal normal(mean, deviation);
  return mean + deviation * deviation * pdf(normal, 0.0) / cdf(complement(normal, 0.0));
}

double gamma_quantile(double mean, double deviation, double unit) {
  const double ratio = mean / deviation;
  return quantile(boost::math::gamma_distribution<>(ratio * ratio, deviation / ratio), unit);
}

double lognormal_quantile(double mean, double deviation, double unit) {
  const double variance = std::log1p(deviation * deviation / (mean * mean));  // of the logarithm
  return std::exp(std::log(mean) - 0.5 * variance + std::sqrt(variance) * quantile(boost::math::normal(), unit));
}

struct Range {
  double low;
  double high;
};
Range uniform_range(double mean, double deviation) noexcept {
  const double half = deviation * std::sqrt(3.0);
  return {std::max(0.0, mean - half), mean + half};
}

}  // namespace

bool takes_deviation(Shape shape) noexcept { return shape != Shape::constant && shape != Shape::exponential; }

double Distribution::quantile(double unit) const {
  switch (shape_) {
    case Shape::constant:
      return mean_;
    case Shape::normal:
      return std::max(0.0, normal_quantile(mean_, deviation_, unit));  // rounding may land a hair below 0
    case Shape::exponential:
      return -mean_ * std::log1p(-unit);
    case Shape::gamma:
      return gamma_quantile(mean_, deviation_, unit);
    case Shape::lognormal:
      return lognormal_quantile(mean_, deviation_, unit);
    case Shape::uniform: {
      const auto [low, high] = uniform_range(mean_, deviation_);
      return low + unit * (high - low);
    }
  }
  return mean_;
}

double Distribution::mean() const {
  switch (shape_) {
    case Shape::normal:
      return normal_mean(mean_, deviation_);
    case Shape::uniform: {
      const auto [low, high] = uniform_range(mean_, deviation_);
      return 0.5 * (low + high);
    }
    case Shape::constant:
    case Shape::exponential:
    case Shape::gamma:
    case Shape::lognormal:
      break;  // none of these has a part below zero
  }
  return mean_;
}

}  // namespace stressbench
