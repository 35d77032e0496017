#include "io/layout.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "io/descriptor.hpp"

namespace stressbench::io {
namespace {

constexpr std::size_t max_suffix_length = 48;  // two slashes and two numbers of any length

std::string directory_name(const std::string& path, std::int64_t number) {
  return fmt::format("{}.d/{:08}", path, number);
}

bool remove_file(const std::string& name) noexcept {
  struct stat status {};
  return ::lstat(name.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::unlink(name.c_str()) == 0;
}

// Opens a directory, but not by a symbolic link: that could lead to the files of others. -1 if there is none.
int open_directory(int parent, const std::string& name) noexcept {
  return ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool remove_entry(int directory, const char* name) noexcept {
  struct stat status {};
  if (::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (S_ISDIR(status.st_mode)) return ::unlinkat(directory, name, AT_REMOVEDIR) == 0;
  return S_ISREG(status.st_mode) && ::unlinkat(directory, name, 0) == 0;
}

bool is_number(std::string_view name) noexcept {
  return name.size() >= 8 && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

std::int64_t remove_directory(int parent, const std::string& name) {
  const int descriptor = open_directory(parent, name);
  if (descriptor < 0) return 0;
  std::int64_t removed = 0;
  const auto close = [](DIR* directory) { ::closedir(directory); };
  if (const std::unique_ptr<DIR, decltype(close)> directory(::fdopendir(descriptor), close); directory) {
    while (const dirent* entry = ::readdir(directory.get())) {
      if (is_number(entry->d_name)) removed += remove_entry(descriptor, entry->d_name);
    }
  } else {
    ::close(descriptor);
  }
  ::unlinkat(parent, name.c_str(), AT_REMOVEDIR);
  return removed;
}

}  // namespace

std::string file_name(const std::string& path, std::optional<std::int64_t> number,
                      std::optional<std::int64_t> directory) {
  if (!number) return path;
  if (!directory) return fmt::format("{}.{:08}", path, *number);
  return fmt::format("{}/{:08}", directory_name(path, *directory), *number);
}

NumberedName::NumberedName(const std::string& path) : name_(path + ".d"), prefix_length_(name_.size()) {
  name_.reserve(prefix_length_ + max_suffix_length);
}

const std::string& NumberedName::of(std::int64_t number, std::int64_t directory) {
  std::array<char, max_suffix_length> suffix;
  const char* const end = fmt::format_to(suffix.data(), "/{:08}/{:08}", directory, number);
  name_.resize(prefix_length_);
  return name_.append(suffix.data(), static_cast<std::size_t>(end - suffix.data()));
}

Layout merged(const Layout& a, const Layout& b) noexcept {
  return {a.single_file || b.single_file, std::max(a.files, b.files), std::max(a.directories, b.directories)};
}

void for_each_file(const std::string& path, const Layout& layout, const Layout& existing, const VisitName& visit) {
  if (layout.single_file && !existing.single_file) visit(path);
  for (std::int64_t number = existing.files; number < layout.files; ++number) visit(file_name(path, number));
}

void for_each_directory(const std::string& path, const Layout& layout, const Layout& existing, const VisitName& visit) {
  if (layout.directories > 0 && existing.directories == 0) visit(path + ".d");
  for (std::int64_t number = existing.directories; number < layout.directories; ++number) {
    visit(directory_name(path, number));
  }
}

std::int64_t remove_share(const std::string& path, const Layout& layout, Share share) noexcept {
  std::int64_t removed = 0;
  for (std::int64_t number = share.rank; number < layout.files; number += share.ranks) {
    removed += remove_file(file_name(path, number));
  }
  if (share.rank >= layout.directories) return removed;
  const Descriptor parent(open_directory(AT_FDCWD, path + ".d"));
  if (parent.number() < 0) return removed;
  for (std::int64_t number = share.rank; number < layout.directories; number += share.ranks) {
    removed += remove_directory(parent.number(), fmt::format("{:08}", number));
  }
  return removed;
}

std::int64_t remove_all(const std::string& path, const Layout& layout) noexcept {
  std::int64_t removed = remove_share(path, layout, {});
  if (layout.single_file) removed += remove_file(path);
  if (layout.directories > 0) ::rmdir((path + ".d").c_str());
  return removed;
}

}  // namespace stressbench::io
