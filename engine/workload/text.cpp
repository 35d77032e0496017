#include "workload/text.hpp"

#include "core/utf8.hpp"

namespace stressbench::workload {

using utf8::sequence_length;

namespace {

unsigned byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

// Whether there is a control character other than a tab.
bool is_control(std::string_view text, std::size_t at) { return text[at] != '\t' && utf8::is_control(text, at); }

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
    if (text[at] == '\r' && !line_end) return BadByte{at, "there is a carriage return in the middle of a line"};
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
