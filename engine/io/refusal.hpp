// What a storage call refused, in the system's words: the libraries above it lose them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/backend.hpp"

namespace stressbench::io {

// Words of an errno by which storage refuses (disk full, quota, device error, ...). Empty for all others: libraries
// leave those behind in calls that succeed.
std::string storage_words(int error);

// Why the system does not open the file; asked anew, and nothing is made. Empty where it does.
std::string why_not_opened(const std::string& path, Access access);

// Why the byte at `offset`, which a transfer should have written, was not: writes it. Empty where that succeeds.
std::string why_not_written(const std::string& path, std::int64_t offset, std::byte byte);

// Why the byte at `offset` is not read. Empty where it is, and where the file ends before.
std::string why_not_read(const std::string& path, std::int64_t offset);

// Why the file cannot have one byte more, which it gets where it can: then empty.
std::string why_not_longer(const std::string& path);

// Bytes in the file; none where the system does not say. Opens it: without that, NFS tells a length of seconds ago.
std::optional<std::int64_t> length_of(const std::string& path);

// Whether nothing is in the file, or there is none. Collective: one rank looks for all, as they must agree.
bool is_new(const std::string& path, const mpi::Group& ranks);

// Throws MachineFault, as of `call`, where a file that was written up to `end` certainly is not on the storage: it is
// shorter, or the disk has no room for all of it.
void must_hold(std::string_view call, const std::string& path, std::int64_t end);

// Throws MachineFault: "CALL 'PATH': WORDS".
[[noreturn]] void refuse(std::string_view call, const std::string& path, const std::string& words);

}  // namespace stressbench::io
