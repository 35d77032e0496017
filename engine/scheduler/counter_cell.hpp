// The increase of one counter, on one host or merged over hosts, in constant memory: extremes, the sum, a histogram,
// and the devices with the largest values. Without MPI calls; a cell is sent as bytes.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "core/log_linear_buckets.hpp"
#include "scheduler/telemetry_record.hpp"

namespace stressbench::scheduler {

using CounterBuckets = LogLinearBuckets<3, 64>;  // 8 per octave

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
