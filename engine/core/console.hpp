// All that this program writes to stdout and stderr. Names and texts come from files and from other people's programs,
// so control characters in them are shown and never sent: a terminal would obey them.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace stressbench::console {

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
