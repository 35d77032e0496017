// Message contents for --verify: every byte is a function of sender, receiver, offset and pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/error.hpp"

namespace stressbench {

// Thrown if a received byte differs from the byte that was sent.
class WrongByte : public MachineFault {
 public:
  WrongByte(int sender, int receiver, std::int64_t offset, int expected, int found);
};

namespace payload {

struct Origin {
  int sender = 0;
  int receiver = 0;
  std::uint64_t pass = 0;
};

// The byte at `offset` of a message or file. In the other functions `start` is the offset of the span's first byte.
std::byte expected(const Origin& origin, std::uint64_t offset) noexcept;
void fill(std::span<std::byte> message, const Origin& origin, std::uint64_t start = 0) noexcept;
// Overwrites every byte with one that differs from that of `fill`, so that a message that never arrived is detected.
void poison(std::span<std::byte> message, const Origin& origin, std::uint64_t start = 0) noexcept;
// Index in `message` of the first byte that differs from `fill`; none if all agree.
std::optional<std::size_t> first_wrong(std::span<const std::byte> message, const Origin& origin,
                                       std::uint64_t start = 0) noexcept;
// Throws WrongByte for the first byte that differs.
void check(std::span<const std::byte> message, const Origin& origin, std::uint64_t start = 0);

}  // namespace payload
}  // namespace stressbench
