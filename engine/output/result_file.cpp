#include "output/result_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/descriptor.hpp"
#include "output/study_files.hpp"

namespace stressbench::output {
namespace {

namespace fs = std::filesystem;

// The path with symbolic links resolved; the path itself if the file does not exist.
std::string resolved_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
  return resolved ? std::string(resolved.get()) : path;
}

fs::path folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

// Whether the path is /proc/N/fd/M or /proc/N/task/N/fd/M: an open file of a process, to which /dev/stdout and
// /dev/fd/63 lead, and which renaming cannot replace. Files below /proc/self/cwd, for example, are ordinary files.
bool is_descriptor(const fs::path& path) {
  std::error_code unknown;
  const fs::path folder = fs::canonical(folder_of(path), unknown);
  std::vector<std::string> names(folder.begin(), folder.end());
  const auto is_number = [](std::string_view name) {
    return std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (names.size() == 6 && names[3] == "task" && is_number(names[4])) names.erase(names.begin() + 3, names.begin() + 5);
  return names.size() == 4 && names[1] == "proc" && is_number(names[2]) && names[3] == "fd";
}

// The path, and the targets of the symbolic links at its end, up to a file or a descriptor. A descriptor is not
// followed: the text of its link need not be a path.
std::vector<fs::path> link_chain(const std::string& path) {
  constexpr std::size_t max_links = 40;
  std::vector<fs::path> chain{path};
  std::error_code unknown;
  while (chain.size() <= max_links && fs::is_symlink(chain.back(), unknown) && !is_descriptor(chain.back())) {
    chain.push_back(chain.back().parent_path() / fs::read_symlink(chain.back(), unknown));
  }
  return chain;
}

bool is_open_file(const std::string& path) { return is_descriptor(link_chain(path).back()); }

// The absolute path with all symbolic links resolved, also of a file that does not exist.
fs::path absolute_path(const std::string& path) {
  std::error_code unknown;
  return fs::canonical(folder_of(resolved_path(path)), unknown) / fs::path(resolved_path(path)).filename();
}

// The user who made a symbolic link by which the path leads to a file, if that is neither this user nor root.
std::optional<uid_t> other_user_of_link(const std::string& path) {
  std::vector<fs::path> links = link_chain(path);
  links.pop_back();
  for (const fs::path& link : links) {
    struct stat status {};
    if (::lstat(link.c_str(), &status) != 0) break;
    if (status.st_uid != ::geteuid() && status.st_uid != 0) return status.st_uid;
  }
  return std::nullopt;
}

mode_t default_mode() noexcept {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

void refuse_link_of_other_user(std::string_view option, const std::string& path) {
  const auto user = other_user_of_link(path);
  if (user)
    throw UserMistake("{}: '{}' is a symbolic link that user {} made; name the file itself", option, path, *user);
}

ResultFile::ResultFile(std::string option, std::string path, std::span<const std::string> inputs)
    : option_(std::move(option)), path_(std::move(path)), target_(resolved_path(path_)) {
  const auto refuse = [&](std::string_view reason) { throw UserMistake("{}: '{}' {}", option_, path_, reason); };
  refuse_link_of_other_user(option_, path_);
  const fs::path absolute = absolute_path(path_);
  if (belongs_to_study(absolute))
    refuse("is a file of a study, which only `stressbench study` writes; choose another name");
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) {
    if (errno != ENOENT) refuse(fmt::format("cannot be written: {}", std::strerror(errno)));
    if (fs::is_symlink(path_)) refuse("is a symbolic link to a missing file; give the name of the file itself");
    require_folder();
    // The motif may create that file while it runs.
    if (std::ranges::any_of(inputs, [&](const std::string& input) { return absolute_path(input) == absolute; }))
      refuse("is the file of another option; choose another name");
    return;
  }
  if (S_ISDIR(status.st_mode)) refuse("is a directory; expected the name of a file");
  if (::access(path_.c_str(), W_OK) != 0) refuse(fmt::format("cannot be written: {}", std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) {
    if (is_stream()) return;
    refuse("is not a regular file; choose another name");
  }
  for (const std::string& input : inputs) {
    struct stat read {};
    if (::stat(input.c_str(), &read) == 0 && io::is_same_file(read, status))
      refuse("is a file that this command reads; choose another name");
  }
  if (!is_stream()) require_folder();
}

void ResultFile::require_folder() const {
  if (::access(folder_of(target_).c_str(), W_OK | X_OK) == 0) return;
  throw UserMistake("{}: '{}' cannot be written: {}", option_, path_, std::strerror(errno));
}

bool ResultFile::is_stream() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return false;
  return S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode) || is_open_file(path_);
}

void ResultFile::write(std::string_view text) const {
  if (!is_stream()) return replace(text);
  const io::Descriptor stream(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY));
  const int failure = stream.number() < 0 ? errno : io::write_whole(stream.number(), text);
  if (failure != 0) throw MachineFault("{}: '{}': {}", option_, path_, std::strerror(failure));
}

void ResultFile::replace(std::string_view text) const {
  std::string name = (folder_of(target_) / ".stressbench-XXXXXX").string();
  const io::Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  int failure = file.number() < 0 ? errno : 0;
  const auto record_failure = [&](int status) { failure = failure == 0 && status != 0 ? errno : failure; };
  if (failure == 0) failure = io::write_whole(file.number(), text);
  struct stat before {};
  const bool replaces = ::stat(target_.c_str(), &before) == 0;
  if (failure == 0) record_failure(::fchmod(file.number(), replaces ? before.st_mode & 0777 : default_mode()));
  if (failure == 0) record_failure(::fsync(file.number()));
  if (failure == 0) record_failure(::rename(name.c_str(), target_.c_str()));
  if (failure == 0) return;
  if (file.number() >= 0) ::unlink(name.c_str());
  throw MachineFault("{}: '{}': {}", option_, path_, std::strerror(failure));
}

}  // namespace stressbench::output
