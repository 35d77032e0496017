// Unique name of a run, by which a later launch recognises the files that an interrupted one left behind.
#pragma once

#include <string>
#include <string_view>

namespace stressbench::run_id {

// A new name from the UTC time and random bits: "20260102T030405Z-9f86d081884c".
std::string make();

// Throws UserMistake unless `id` is 1 to 64 letters, digits, - and _ (it becomes part of file names).
void check(std::string_view id);

}  // namespace stressbench::run_id
