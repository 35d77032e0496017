// Lines of a trace file, and what is said where one is not what it should be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/input_file.hpp"

namespace stressbench::trace {

// Where something stands. Its mistakes begin with it: "app.trace, line 3: ...".
struct Place {
  std::string file;
  std::int64_t line = 0;

  [[noreturn]] void refuse(std::string_view what) const;  // throws UserMistake
};

// CRC-32 as zlib's.
std::uint32_t checksum(std::string_view bytes);
// Throws UserMistake where the line does not end in the `crc32` of what stands before it.
void verify(const Place& place, std::string_view line);

// A regular file, line by line; a line at a time is in memory. Throws UserMistake where it cannot be read.
class Lines {
 public:
  explicit Lines(const std::string& path);
  // None at the end. A last line without line feed is cut off: throws UserMistake.
  std::optional<std::string> next();
  // Of the line that `next` gave last.
  const Place& place() const noexcept { return place_; }

 private:
  InputFile file_;
  Place place_;
};

}  // namespace stressbench::trace
