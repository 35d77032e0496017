// Lines of a trace file, and errors with file name and line number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/input_file.hpp"

namespace stressbench::trace {

// A position in a file. Error messages begin with it: "'app.trace', line 3: ...".
struct Position {
  std::string file;
  std::int64_t line = 0;

  [[noreturn]] void refuse(std::string_view what) const;  // throws UserMistake
};

// CRC-32 as in zlib.
std::uint32_t checksum(std::string_view bytes);
// The line of a JSON object, with key `crc32` at its end.
std::string with_checksum(std::string object);
// Throws UserMistake unless the line ends with key `crc32` and the checksum of the bytes before that key.
void verify(const Position& position, std::string_view line);

// A regular file, read line by line with one line in memory. Throws UserMistake if it cannot be read.
class Lines {
 public:
  explicit Lines(const std::string& path);
  // The next line; none at the end. Throws UserMistake for a last line without line feed, which is truncated.
  std::optional<std::string> next();
  // Position of the line that `next` returned last.
  const Position& position() const noexcept { return position_; }

 private:
  InputFile file_;
  Position position_;
};

}  // namespace stressbench::trace
