// UTF-8 text, and the characters allowed in a workload.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace stressbench::workload {

// A byte that is not allowed in a workload, and why.
struct BadByte {
  std::size_t offset = 0;
  std::string why;
};
// The first such byte; none if the text is valid.
std::optional<BadByte> find_bad_byte(std::string_view text);

// Number of characters (code points).
std::size_t characters(std::string_view text) noexcept;
// The text in a form that is safe to print on a terminal: invalid bytes and control characters except tabs become '?'.
std::string printable(std::string_view text);

}  // namespace stressbench::workload
