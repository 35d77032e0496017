// Finds the system's message for a failed storage operation, which I/O libraries do not pass on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/backend.hpp"

namespace stressbench::io {

// Message of an errno that storage causes (disk full, quota, device error, ...). Empty for all others, which libraries
// may leave behind in successful calls.
std::string storage_error_text(int error);

// Why the file cannot be opened: tries again, without creating the file. Empty if it can.
std::string explain_open_failure(const std::string& path, Access access);

// Why a transfer did not write the byte at `offset`: writes it. Empty if that succeeds.
std::string explain_write_failure(const std::string& path, std::int64_t offset, std::byte byte);

// Why the byte at `offset` cannot be read. Empty if it can, or if the file ends before it.
std::string explain_read_failure(const std::string& path, std::int64_t offset);

// Why the file cannot grow: appends one byte. Empty if that succeeds.
std::string explain_growth_failure(const std::string& path);

// Length of the file; none if the system does not report it. Opens the file, as NFS would otherwise report a length
// that is seconds old.
std::optional<std::int64_t> length_of(const std::string& path);

// Whether the file is empty or does not exist. Collective: the first rank checks, since all ranks must agree.
bool is_new_file(const std::string& path, const mpi::Group& ranks);

// Throws MachineFault in the name of `call` if a file that was written up to `end` cannot be on the storage: it is
// shorter, or the disk has no room for all of it.
void require_file_length(std::string_view call, const std::string& path, std::int64_t end);

// Throws MachineFault: "CALL 'PATH': WORDS".
[[noreturn]] void throw_call_fault(std::string_view call, const std::string& path, const std::string& text);

}  // namespace stressbench::io
