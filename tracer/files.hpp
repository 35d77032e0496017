// Files under names that a user chose. The functions return a descriptor, or -1 with errno set.
#pragma once

#include <cstdint>
#include <string_view>

namespace stressbench::trace {

// Creates the file to write to it. Follows no link: the name may be in a directory to which other users write.
int create_file(const char* path);

// As create_file. If the file exists, as after an earlier launch or claim_output, it is emptied, provided that it is a
// regular file of this user without other names; otherwise errno is EEXIST.
int create_or_empty_file(const char* path);

// Creates the output of the only program that may write it. False if an earlier program has created it. Other errors
// are left to the functions that write the file: what was recorded until then can be salvaged.
bool claim_output(const char* path);

// Opens a regular file to read it. A FIFO, which would block until another process writes to it, a directory and a
// device are refused with errno EINVAL.
int open_regular_file(const char* path);

// Whether the limit on file sizes (`ulimit -f`) allows a file of this length. To exceed it raises SIGXFSZ, which would
// kill the program.
bool is_within_size_limit(std::uint64_t bytes);

// Writes the text at this offset of an open file. False with errno set if not all of it could be written.
bool write_at(int file, std::string_view text, std::int64_t offset);

}  // namespace stressbench::trace
