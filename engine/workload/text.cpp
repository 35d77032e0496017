#include "workload/text.hpp"

namespace stressbench::workload {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

// Length of the well-formed UTF-8 sequence at `at` (no overlong form, no surrogate), 0 where there is none.
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
  if (lead == '\t') return false;
  return lead < 0x20 || lead == 0x7F || (lead == 0xC2 && at + 1 < text.size() && byte_at(text, at + 1) < 0xA0);
}

std::string hex(unsigned value) {
  constexpr const char* digits = "0123456789ABCDEF";
  return std::string("0x") + digits[value >> 4U] + digits[value & 15U];
}

}  // namespace

std::optional<BadByte> find_bad_byte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) return BadByte{at, "byte " + hex(byte_at(text, at)) + " is not UTF-8; is this a text file?"};
    const bool line_end = text[at] == '\n' || (text[at] == '\r' && (at + 1 == text.size() || text[at + 1] == '\n'));
    if (text[at] == '\r' && !line_end) return BadByte{at, "a carriage return stands in the middle of a line"};
    if (!line_end && is_control(text, at)) {
      return BadByte{at, "control character " + hex(byte_at(text, at + length - 1)) + "; is this a text file?"};
    }
    at += length;
  }
  return std::nullopt;
}

std::size_t characters(std::string_view text) noexcept {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    const std::size_t length = sequence_length(text, at);
    at += length == 0 ? 1 : length;
  }
  return count;
}

std::string shortened(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  while (bytes > 0 && (byte_at(text, bytes) & 0xC0U) == 0x80U) --bytes;
  return std::string(text.substr(0, bytes)) + "...";
}

std::string printable(std::string_view text) {
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0 || is_control(text, at)) {
      safe += '?';
    } else {
      safe += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return safe;
}

}  // namespace stressbench::workload
