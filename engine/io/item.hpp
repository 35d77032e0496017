// What directories are full of: files or directories, made, asked for, opened and taken away by POSIX. What goes wrong
// throws MachineFault that names the call, the path and the system's words.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <span>
#include <string>

namespace stressbench::io {

enum class ItemKind { file, directory };
enum class Durable { later, now };  // now: fsync before it is closed

// Fails where the name is taken. A directory has no bytes.
void create_item(ItemKind kind, const std::string& path, std::span<const std::byte> bytes, Durable durable);
// Takes an item of the kind that is there as well, with these bytes instead of its own. Follows no link.
void ensure_item(ItemKind kind, const std::string& path, std::span<const std::byte> bytes);

struct stat stat_item(const std::string& path);
// To read, and closes it. Reads as many bytes as `bytes` has, all of which must be there.
void open_item(ItemKind kind, const std::string& path, std::span<std::byte> bytes = {});

void remove_item(ItemKind kind, const std::string& path);
// False where there was none.
bool remove_item_if_there(ItemKind kind, const std::string& path);
bool item_is_there(const std::string& path);

}  // namespace stressbench::io
