#include "core/console.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "core/utf8.hpp"

namespace stressbench::console {
namespace {

int stdout_errno = 0;

// Messages that cannot be written are lost; results that cannot be written are a fault.
void put(std::FILE* to, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), to) != text.size() && to == stdout && stdout_errno == 0)
    stdout_errno = errno;
}

// Same set as src/stressbench/console/escaping.py: C0 without tab and newline, DEL, C1, line and paragraph separators,
// and characters that change the direction of text.
bool steers_terminal(char32_t c) {
  if (c == '\n' || c == '\t') return false;
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

void open_closed_streams() noexcept {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
      (void)!open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // open returns the lowest free one
  }
}

std::optional<std::string> fault() {
  if (std::fflush(stdout) != 0 && stdout_errno == 0) stdout_errno = errno;
  if (stdout_errno == 0) return std::nullopt;
  return fmt::format("standard output cannot be written: {}",
                     stdout_errno == EBADF ? "it is closed" : std::strerror(stdout_errno));
}

std::string escaped(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8::sequence_length(text, at);
    if (length == 0) {
      safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    } else if (const char32_t c = utf8::code_point(text, at, length); steers_terminal(c)) {
      safe += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    } else {
      safe += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return safe;
}

void write(std::FILE* to, std::string_view text) { put(to, escaped(text)); }

void rewrite_line(std::FILE* to, std::string_view text) {
  put(to, "\r\033[K" + escaped(text));
  std::fflush(to);
}

}  // namespace stressbench::console
