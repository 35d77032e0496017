// All output of this program to stdout and stderr. A failed write does not stop a run in progress: `fault` reports it
// at the end. Names and texts come from files and from other programs, so control characters in them are printed in
// escaped form: a terminal would interpret them.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace stressbench::console {

// Must be called first. Replaces closed standard streams by descriptors on which reads or writes fail. Otherwise the
// next file to be opened would become stdout.
void open_closed_streams() noexcept;

// Flushes stdout, then returns why a write to it failed; none if all writes succeeded.
std::optional<std::string> fault();

// The text with control characters (C0, DEL, C1) written as \u001b and bytes that are not UTF-8 as \x9b. Line feeds
// and tabs are kept, and JSON text keeps its meaning.
std::string escaped(std::string_view text);

void write(std::FILE* to, std::string_view text);

template <class... Arguments>
void print(std::FILE* to, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write(to, fmt::format(format, std::forward<Arguments>(arguments)...));
}

// Replaces the line that the cursor is in, and flushes.
void rewrite_line(std::FILE* to, std::string_view text);

}  // namespace stressbench::console
