// Names of the files that one path stands for.
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

// The same for one name after the other of files in directories, in the same memory.
class NumberedName {
 public:
  NumberedName() = default;
  explicit NumberedName(const std::string& path);
  // Until the next one.
  const std::string& of(std::int64_t number, std::int64_t directory);

 private:
  std::string name_;
  std::size_t fixed_ = 0;
};

// Which of them there are.
struct Layout {
  bool one = false;              // PATH
  std::int64_t files = 0;        // PATH.00000000 and on
  std::int64_t directories = 0;  // PATH.d/00000000 and on, whatever numbered names are in them
};
Layout united(const Layout& a, const Layout& b) noexcept;

// The files and directories of `wanted` that `known` does not have, PATH.d first.
using VisitName = std::function<void(const std::string& name)>;
void for_each_file(const std::string& path, const Layout& wanted, const Layout& known, const VisitName& visit);
void for_each_directory(const std::string& path, const Layout& wanted, const Layout& known, const VisitName& visit);

// Ordinary files only, and of directories those that are empty then, or hold nothing but numbered files and empty
// numbered directories. A rank's share of them, so that many ranks may remove many files; PATH and PATH.d are no one's
// share. Gives how many names within went; what cannot be removed stays.
struct Share {
  int rank = 0;
  int of = 1;
};
std::int64_t remove_share(const std::string& path, const Layout& layout, Share share) noexcept;
std::int64_t remove_all(const std::string& path, const Layout& layout) noexcept;

}  // namespace stressbench::io
