// Messages of the tracer and its salvage program, all of which are written to standard error here. Paths and names in
// them may hold anything; control characters are printed in escaped form, since a terminal would interpret them.
#pragma once

#include <string>
#include <string_view>

namespace stressbench::trace {

// The text with control characters written as \u001b and bytes that are not UTF-8 as \x9b, as in
// engine/core/console.cpp. Line feeds and tabs are kept.
std::string escaped(std::string_view text);

// Prints the text and a line feed to standard error.
void print_message(std::string_view text);

}  // namespace stressbench::trace
