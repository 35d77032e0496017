#include "core/console.hpp"

#include "core/utf8.hpp"

namespace stressbench::console {

std::string escaped(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8::sequence_length(text, at);
    if (length == 0) {
      safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    } else if (text[at] != '\n' && text[at] != '\t' && utf8::is_control(text, at)) {
      safe += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[at + length - 1]));
    } else {
      safe += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return safe;
}

void write(std::FILE* to, std::string_view text) { fmt::print(to, "{}", escaped(text)); }

void rewrite_line(std::FILE* to, std::string_view text) {
  fmt::print(to, "\r\033[K{}", escaped(text));
  std::fflush(to);
}

}  // namespace stressbench::console
