// The kernel's files below a root directory: "/" or, in tests, a recorded copy of some of them. Files of /sys and /proc
// may disappear at any time, so that whatever cannot be read is missing, not a fault.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stressbench::telemetry {

class FileTree {
 public:
  explicit FileTree(std::filesystem::path root) : root_(std::move(root)) {}

  // Names in a directory, sorted; empty if it cannot be read.
  std::vector<std::string> names(const std::filesystem::path& directory) const;
  bool contains(const std::filesystem::path& path) const;
  // Contents of a file, at most 1 MiB.
  std::optional<std::string> text(const std::filesystem::path& file) const;
  // The number at the beginning of a file.
  std::optional<std::uint64_t> number(const std::filesystem::path& file) const;

 private:
  std::filesystem::path root_;
};

// The decimal number at the beginning of `text`, if white space, `@` or nothing follows it: counters of Slingshot NICs
// read "123@1676540127.2342". None for anything else, such as "N/A (no PMA)", and beyond 2^64 - 1.
std::optional<std::uint64_t> leading_number(std::string_view text);

// The words of a line, separated by white space.
std::vector<std::string_view> words_of(std::string_view line);
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace stressbench::telemetry
