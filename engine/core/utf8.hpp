// UTF-8 decoding.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stressbench::utf8 {

// Length in bytes of the well-formed sequence at `at` (no overlong form, no surrogate), 0 if there is none.
std::size_t sequence_length(std::string_view text, std::size_t at);

// Whether the sequence at `at` is a control character: C0, DEL or C1.
bool is_control(std::string_view text, std::size_t at);

// The character of the well-formed sequence of `length` bytes at `at`.
char32_t code_point(std::string_view text, std::size_t at, std::size_t length);

// The first `bytes` bytes at most, cut between characters and followed by "..." if something was cut.
std::string shortened(std::string_view text, std::size_t bytes);

}  // namespace stressbench::utf8
