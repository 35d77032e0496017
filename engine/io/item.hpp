// Files or directories for metadata benchmarks: created, examined, opened and removed with POSIX calls. A failure
// throws MachineFault with the call, the path and the system's message.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <span>
#include <string>

namespace stressbench::io {

enum class ItemKind { file, directory };
enum class Durable { later, now };  // now: fsync before it is closed

// Fails if the name exists. `bytes` are ignored for a directory.
void create_item(ItemKind kind, const std::string& path, std::span<const std::byte> bytes, Durable durable);
// Creates the item, or accepts an existing one of this kind and replaces its contents. Follows no link.
void ensure_item(ItemKind kind, const std::string& path, std::span<const std::byte> bytes);

struct stat stat_item(const std::string& path);
// Opens for reading, reads bytes.size() bytes, all of which must exist, and closes.
void open_item(ItemKind kind, const std::string& path, std::span<std::byte> bytes = {});

void remove_item(ItemKind kind, const std::string& path);
// Returns false if there was none.
bool remove_item_if_exists(ItemKind kind, const std::string& path);
bool item_exists(const std::string& path);

}  // namespace stressbench::io
