// Buckets of a histogram of whole numbers below 2^Bits, 2^SubBits of them per octave: none is wider than 1/2^SubBits of
// its lower edge, and numbers below 2^(SubBits + 1) have one each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace stressbench {

template <int SubBits, int Bits>
struct LogLinearBuckets {
  static_assert(0 <= SubBits && SubBits < Bits && Bits <= 64);

  static constexpr std::size_t per_octave = std::size_t{1} << SubBits;
  static constexpr std::size_t count = static_cast<std::size_t>(Bits - SubBits + 1) << SubBits;

  // Larger numbers than there are buckets for count in the last one.
  static constexpr std::size_t bucket_of(std::uint64_t value) noexcept {
    const int width = static_cast<int>(std::bit_width(value));
    if (width > Bits) return count - 1;
    if (width <= SubBits + 1) return static_cast<std::size_t>(value);
    const int shift = width - 1 - SubBits;
    return (static_cast<std::size_t>(shift) << SubBits) + static_cast<std::size_t>(value >> shift);
  }
  // The smallest number in a bucket, and how many numbers are in it.
  static constexpr std::uint64_t lower(std::size_t bucket) noexcept {
    if (bucket < 2 * per_octave) return bucket;
    return static_cast<std::uint64_t>(bucket % per_octave + per_octave) << shift_of(bucket);
  }
  static constexpr std::uint64_t width(std::size_t bucket) noexcept { return std::uint64_t{1} << shift_of(bucket); }
  // The mean of its smallest and its largest number.
  static constexpr double middle(std::size_t bucket) noexcept {
    return static_cast<double>(lower(bucket)) + (static_cast<double>(width(bucket)) - 1) / 2;
  }

 private:
  static constexpr std::size_t shift_of(std::size_t bucket) noexcept {
    return bucket < 2 * per_octave ? 0 : bucket / per_octave - 1;
  }
};

}  // namespace stressbench
