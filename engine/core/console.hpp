// All that this program writes to stdout and stderr. What cannot be written ends nothing that is under way: `fault`
// tells of it at the end. Names and texts come from files and from other people's programs, so control characters in
// them are shown and never sent: a terminal would obey them.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace stressbench::console {

// To be called first: descriptors that are closed become ones that refuse to be written. Otherwise the next file that
// is opened would be stdout.
void open_closed_streams() noexcept;

// Why stdout could not be written, where that is so; what was written comes out before.
std::optional<std::string> fault();

// Control characters (C0, DEL, C1) as \u001b, bytes that are no UTF-8 as \x9b; line feeds and tabs stay. What was JSON
// is the same JSON.
std::string escaped(std::string_view text);

void write(std::FILE* to, std::string_view text);

template <class... Arguments>
void print(std::FILE* to, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write(to, fmt::format(format, std::forward<Arguments>(arguments)...));
}

// In place of the line that the cursor is in.
void rewrite_line(std::FILE* to, std::string_view text);

}  // namespace stressbench::console
