// Names of the files and directories of a storage motif, derived from its path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace stressbench::io {

// PATH; file 12 of several: PATH.00000012; in directory 3: PATH.d/00000003/00000012.
std::string file_name(const std::string& path, std::optional<std::int64_t> number = std::nullopt,
                      std::optional<std::int64_t> directory = std::nullopt);

// Names of files in directories, one after the other in the same memory.
class NumberedName {
 public:
  NumberedName() = default;
  explicit NumberedName(const std::string& path);
  // The name is valid until the next call.
  const std::string& of(std::int64_t number, std::int64_t directory);

 private:
  std::string name_;
  std::size_t prefix_length_ = 0;
};

// The files and directories that exist.
struct Layout {
  bool single_file = false;      // PATH
  std::int64_t files = 0;        // PATH.00000000 and on
  std::int64_t directories = 0;  // PATH.d/00000000 and on, with any numbered names inside
};
Layout merged(const Layout& a, const Layout& b) noexcept;

// Visits the files and directories of `layout` that are not in `existing`, PATH.d first.
using VisitName = std::function<void(const std::string& name)>;
void for_each_file(const std::string& path, const Layout& layout, const Layout& existing, const VisitName& visit);
void for_each_directory(const std::string& path, const Layout& layout, const Layout& existing, const VisitName& visit);

// Removes regular files, and directories that are then empty or hold only numbered files and empty numbered
// directories. Each rank removes its share; PATH and PATH.d belong to no share. Returns how many names were removed;
// others stay, and so does what is behind a symbolic link.
struct Share {
  int rank = 0;
  int ranks = 1;
};
std::int64_t remove_share(const std::string& path, const Layout& layout, Share share) noexcept;
std::int64_t remove_all(const std::string& path, const Layout& layout) noexcept;

}  // namespace stressbench::io
