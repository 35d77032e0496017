#include "core/utf8.hpp"

namespace stressbench::utf8 {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

}  // namespace

std::size_t sequence_length(std::string_view text, std::size_t at) {
  const unsigned lead = byte_at(text, at);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, at + i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned second = byte_at(text, at + 1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool outside = (lead == 0xED && second >= 0xA0) || (lead == 0xF4 && second >= 0x90);
  return overlong || outside ? 0 : length;
}

bool is_control(std::string_view text, std::size_t at) {
  const unsigned lead = byte_at(text, at);
  return lead < 0x20 || lead == 0x7F || (lead == 0xC2 && at + 1 < text.size() && byte_at(text, at + 1) < 0xA0);
}

char32_t code_point(std::string_view text, std::size_t at, std::size_t length) {
  if (length == 1) return byte_at(text, at);
  char32_t point = byte_at(text, at) & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) point = (point << 6U) | (byte_at(text, at + i) & 0x3FU);
  return point;
}

std::string shortened(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  while (bytes > 0 && (byte_at(text, bytes) & 0xC0U) == 0x80U) --bytes;
  return std::string(text.substr(0, bytes)) + "...";
}

}  // namespace stressbench::utf8
