// The memory that this process uses in a part of its run, by the kernel's marks on pages (`man 5 proc_pid_clear_refs`).
#pragma once

#include <cstdint>

namespace stressbench::trace::working_set {

// Small pages only, from now on: a huge page would count as a whole even if few of its bytes are used.
void count_small_pages() noexcept;
// Removes the marks of all pages. False if the kernel does not permit it.
bool begin() noexcept;
// Bytes of pages used since `begin` that belong to no file: heap, stack, and variables that are zero at the start. -1:
// unknown.
std::int64_t end_bytes() noexcept;

}  // namespace stressbench::trace::working_set
