#include "motifs/payload.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "motifs/motif.hpp"

namespace stressbench::payload {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);
using Word = std::array<std::byte, word_bytes>;

// SplitMix64's finaliser: every input bit reaches every output byte.
constexpr std::uint64_t mix(std::uint64_t value) noexcept {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

std::uint64_t key_of(const Origin& origin) noexcept {
  const auto pair = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(origin.sender)) << 32) |
                    static_cast<std::uint32_t>(origin.receiver);
  return mix(mix(pair) ^ origin.pass);
}

// Eight bytes of a message, the first of them at offset 8 * index.
Word word_at(std::uint64_t key, std::uint64_t index) noexcept { return std::bit_cast<Word>(mix(key ^ index)); }

void write(std::span<std::byte> message, const Origin& origin, std::byte flip) noexcept {
  const std::uint64_t key = key_of(origin);
  for (std::size_t at = 0; at < message.size(); at += word_bytes) {
    Word word = word_at(key, at / word_bytes);
    for (std::byte& byte : word) byte ^= flip;
    std::memcpy(message.data() + at, word.data(), std::min(word_bytes, message.size() - at));
  }
}

}  // namespace

std::byte expected(const Origin& origin, std::size_t offset) noexcept {
  return word_at(key_of(origin), offset / word_bytes)[offset % word_bytes];
}

void fill(std::span<std::byte> message, const Origin& origin) noexcept { write(message, origin, std::byte{0}); }

void spoil(std::span<std::byte> message, const Origin& origin) noexcept { write(message, origin, std::byte{0xff}); }

std::optional<std::size_t> first_wrong(std::span<const std::byte> message, const Origin& origin) noexcept {
  const std::uint64_t key = key_of(origin);
  for (std::size_t at = 0; at < message.size(); at += word_bytes) {
    const Word word = word_at(key, at / word_bytes);
    const std::size_t length = std::min(word_bytes, message.size() - at);
    if (std::memcmp(message.data() + at, word.data(), length) == 0) continue;
    for (std::size_t i = 0; i < length; ++i) {
      if (message[at + i] != word[i]) return at + i;
    }
  }
  return std::nullopt;
}

void check(std::span<const std::byte> message, const Origin& origin) {
  const auto offset = first_wrong(message, origin);
  if (!offset) return;
  throw WrongByte(origin.sender, origin.receiver, static_cast<std::int64_t>(*offset),
                  std::to_integer<int>(expected(origin, *offset)), std::to_integer<int>(message[*offset]));
}

}  // namespace stressbench::payload
