#include "message.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace stressbench::trace {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t length = 0;  // bytes; 0: not UTF-8
};

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t place) { return static_cast<unsigned char>(text[place]); };
  const std::uint32_t first = byte(at);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (length == 0 || at + length > text.size()) return {};
  std::uint32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(at + k) & 0xC0U) != 0x80U) return {};
    code = code << 6U | (byte(at + k) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  if (code < smallest[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {code, length};
}

// Same set as in engine/core/console.cpp.
bool steers_terminal(std::uint32_t c) {
  if (c == '\n' || c == '\t') return false;
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

void append_hex(std::string& text, const char* prefix, std::uint32_t number, int digits) {
  text += prefix;
  while (digits-- > 0) text += "0123456789abcdef"[number >> (4 * digits) & 0xFU];
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character found = character_at(text, at);
    if (found.length == 0) {
      append_hex(safe, "\\x", static_cast<unsigned char>(text[at]), 2);
    } else if (steers_terminal(found.code)) {
      append_hex(safe, "\\u", found.code, 4);
    } else {
      safe += text.substr(at, found.length);
    }
    at += found.length == 0 ? 1 : found.length;
  }
  return safe;
}

void print_message(std::string_view text) { std::fprintf(stderr, "%s\n", escaped(text).c_str()); }

}  // namespace stressbench::trace
