// The increase of one counter, on one host or merged over hosts, in constant memory: extremes, the sum, a histogram,
// and the devices with the largest values. Without MPI calls; a cell is sent as bytes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>

#include "scheduler/telemetry_record.hpp"

namespace stressbench::scheduler {

// Log-linear buckets, 8 an octave: at most 1/8 of their lower edge wide, exact below 16.
struct CounterBuckets {
  static constexpr int sub_bits = 3;
  static constexpr std::size_t count = (64 - sub_bits + 1) << sub_bits;

  static constexpr std::size_t bucket_of(std::uint64_t value) noexcept {
    const int width = static_cast<int>(std::bit_width(value));
    if (width <= sub_bits + 1) return static_cast<std::size_t>(value);
    const int shift = width - 1 - sub_bits;
    return (static_cast<std::size_t>(shift) << sub_bits) + static_cast<std::size_t>(value >> shift);
  }
  static constexpr std::uint64_t lower(std::size_t bucket) noexcept {
    if (bucket < (std::size_t{2} << sub_bits)) return bucket;
    const std::size_t shift = (bucket >> sub_bits) - 1;
    return ((bucket & ((std::size_t{1} << sub_bits) - 1)) + (std::uint64_t{1} << sub_bits)) << shift;
  }
  // Middle of the bucket: the mean of its smallest and largest value.
  static double middle(std::size_t bucket) noexcept {
    const auto low = static_cast<double>(lower(bucket));
    const std::size_t shift = bucket < (std::size_t{2} << sub_bits) ? 0 : (bucket >> sub_bits) - 1;
    return low + (static_cast<double>(std::uint64_t{1} << shift) - 1) / 2;
  }
};

struct CounterCell {
  static constexpr std::size_t extremes = 3;
  struct Extreme {
    std::uint64_t value = 0;
    std::int32_t node = -1;  // -1: none
    std::array<char, 44> device{};
  };

  std::uint64_t min = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t sum = 0;
  std::int32_t hosts = 0;
  std::int32_t devices = 0;
  std::int32_t unknown = 0;
  std::array<Extreme, extremes> largest{};
  std::array<std::uint32_t, CounterBuckets::count> buckets{};

  // Long names of devices keep their end, by which mount points and ports differ.
  void add(std::uint64_t value, int node, std::string_view device) noexcept;
  // Commutative and associative.
  void merge(const CounterCell& other) noexcept;
  TelemetryCounter::Quantiles quantiles() const noexcept;  // of at least one device

 private:
  void insert(const Extreme& one) noexcept;
  double quantile(double share) const noexcept;
};

}  // namespace stressbench::scheduler
