#include "core/payload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/mix.hpp"

namespace stressbench {

WrongByte::WrongByte(int sender, int receiver, std::int64_t offset, int expected, int found)
    : MachineFault(
          fmt::format("wrong byte: rank {} received {:#04x} from rank {} at offset {} of the message, expected {:#04x}",
                      receiver, found, sender, offset, expected)) {}

namespace payload {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);
using Word = std::array<std::byte, word_bytes>;

std::uint64_t key_of(const Origin& origin) noexcept {
  const auto pair = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(origin.sender)) << 32) |
                    static_cast<std::uint32_t>(origin.receiver);
  return mix(mix(pair) ^ origin.pass);
}

// Eight bytes of a message, the first of them at offset 8 * index.
Word word_at(std::uint64_t key, std::uint64_t index) noexcept { return std::bit_cast<Word>(mix(key ^ index)); }

// The part of one word that a message holds from its byte `at` on; its first byte is at offset `start`.
struct Piece {
  Word word;
  std::size_t skipped;  // leading bytes of the word before the part
  std::size_t length;
};
Piece piece_at(std::uint64_t key, std::uint64_t start, std::size_t at, std::size_t size) noexcept {
  const std::uint64_t offset = start + at;
  const std::size_t skipped = offset % word_bytes;
  return {word_at(key, offset / word_bytes), skipped, std::min(word_bytes - skipped, size - at)};
}

void write(std::span<std::byte> message, const Origin& origin, std::uint64_t start, std::byte flip) noexcept {
  const std::uint64_t key = key_of(origin);
  for (std::size_t at = 0; at < message.size();) {
    Piece piece = piece_at(key, start, at, message.size());
    for (std::byte& byte : piece.word) byte ^= flip;
    std::memcpy(message.data() + at, piece.word.data() + piece.skipped, piece.length);
    at += piece.length;
  }
}

}  // namespace

std::byte expected(const Origin& origin, std::uint64_t offset) noexcept {
  return word_at(key_of(origin), offset / word_bytes)[offset % word_bytes];
}

void fill(std::span<std::byte> message, const Origin& origin, std::uint64_t start) noexcept {
  write(message, origin, start, std::byte{0});
}

void poison(std::span<std::byte> message, const Origin& origin, std::uint64_t start) noexcept {
  write(message, origin, start, std::byte{0xff});
}

std::optional<std::size_t> first_wrong(std::span<const std::byte> message, const Origin& origin,
                                       std::uint64_t start) noexcept {
  const std::uint64_t key = key_of(origin);
  for (std::size_t at = 0; at < message.size();) {
    const Piece piece = piece_at(key, start, at, message.size());
    const std::byte* const expected_bytes = piece.word.data() + piece.skipped;
    if (std::memcmp(message.data() + at, expected_bytes, piece.length) != 0) {
      for (std::size_t i = 0; i < piece.length; ++i) {
        if (message[at + i] != expected_bytes[i]) return at + i;
      }
    }
    at += piece.length;
  }
  return std::nullopt;
}

void check(std::span<const std::byte> message, const Origin& origin, std::uint64_t start) {
  const auto index = first_wrong(message, origin, start);
  if (!index) return;
  const std::uint64_t offset = start + *index;
  throw WrongByte(origin.sender, origin.receiver, static_cast<std::int64_t>(offset),
                  std::to_integer<int>(expected(origin, offset)), std::to_integer<int>(message[*index]));
}

}  // namespace payload
}  // namespace stressbench
