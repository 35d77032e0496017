#include "scheduler/counter_cell.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace stressbench::scheduler {

namespace {

// Run files hold no larger numbers.
constexpr std::uint64_t largest_number = std::numeric_limits<std::int64_t>::max();

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) noexcept {
  return b > largest_number - a ? largest_number : a + b;
}

}  // namespace

void CounterCell::add(std::uint64_t value, int node, std::string_view device) noexcept {
  value = std::min(value, largest_number);
  min = std::min(min, value);
  sum = saturating_sum(sum, value);
  ++devices;
  ++buckets[CounterBuckets::bucket_of(value)];
  Extreme one{value, node, {}};
  const std::size_t most = one.device.size() - 1;
  if (device.size() > most) device.remove_prefix(device.size() - most);
  std::ranges::copy(device, one.device.begin());
  insert(one);
}

void CounterCell::merge(const CounterCell& other) noexcept {
  min = std::min(min, other.min);
  sum = saturating_sum(sum, other.sum);
  hosts += other.hosts;
  devices += other.devices;
  unknown += other.unknown;
  for (const Extreme& one : other.largest) insert(one);
  for (std::size_t i = 0; i < buckets.size(); ++i) buckets[i] += other.buckets[i];
}

void CounterCell::insert(const Extreme& one) noexcept {
  if (one.node < 0) return;
  const auto precedes = [](const Extreme& a, const Extreme& b) {
    if (a.node < 0 || b.node < 0) return b.node < 0 && a.node >= 0;
    return std::tie(b.value, a.node, a.device) < std::tie(a.value, b.node, b.device);
  };
  Extreme left = one;
  for (Extreme& known : largest) {
    if (precedes(left, known)) std::swap(left, known);
  }
}

double CounterCell::quantile(double share) const noexcept {
  const auto wanted = static_cast<std::int64_t>(std::ceil(share * devices));
  std::int64_t passed = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    passed += buckets[i];
    if (passed >= wanted && buckets[i] > 0) {
      return std::clamp(CounterBuckets::middle(i), static_cast<double>(min), static_cast<double>(largest[0].value));
    }
  }
  return static_cast<double>(min);
}

TelemetryCounter::Quantiles CounterCell::quantiles() const noexcept {
  return {min, quantile(0.25), quantile(0.5), quantile(0.75), largest[0].value, sum};
}

}  // namespace stressbench::scheduler
