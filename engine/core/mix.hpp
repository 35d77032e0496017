// SplitMix64's finaliser (Steele, Lea, Flood, OOPSLA14): a bijection in which every input bit reaches every output bit.
#pragma once

#include <cstdint>

namespace stressbench {

constexpr std::uint64_t mix(std::uint64_t value) noexcept {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace stressbench
