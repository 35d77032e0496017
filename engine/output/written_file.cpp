#include "output/written_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "io/descriptor.hpp"

namespace stressbench::output {
namespace {

// Contents up to this size are kept in memory, since a truncated file is lost on disk. Run files are a few megabytes.
constexpr std::int64_t max_stored_bytes = 64LL << 20;
constexpr int max_names = 100;

// Name of the new file: "run.kept.jsonl", "run.kept-2.jsonl" for "run.jsonl".
std::string new_name(const std::filesystem::path& path, int number) {
  const std::string count = number == 1 ? "" : fmt::format("-{}", number);
  return fmt::format("{}.kept{}{}", path.stem().string(), count, path.extension().string());
}

// Opens the same file for reading, even if its name was removed or replaced.
io::Descriptor reader_of(int descriptor) {
  return io::Descriptor(::open(fmt::format("/proc/self/fd/{}", descriptor).c_str(), O_RDONLY | O_CLOEXEC));
}

// Creates a new file in the directory. Returns its path and descriptor, or -1 if none can be created.
std::pair<std::string, int> new_file_in(const std::filesystem::path& folder, const std::filesystem::path& name) {
  for (int number = 1; number <= max_names; ++number) {
    std::string path = (folder / new_name(name, number)).string();
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor >= 0) return {std::move(path), descriptor};
    if (errno != EEXIST) break;
  }
  return {"", -1};
}

}  // namespace

WrittenFile::WrittenFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

WrittenFile::~WrittenFile() { ::close(descriptor_); }

// Starts watching the file. Called at the first write, since `--continue` truncates the file after it was opened.
void WrittenFile::start_watching() {
  is_watching_ = true;
  is_regular_ = ::fstat(descriptor_, &identity_) == 0 && S_ISREG(identity_.st_mode);
  length_ = identity_.st_size;
  if (!is_regular_ || length_ == 0) return;
  std::string before(static_cast<std::size_t>(std::min(length_, max_stored_bytes + 1)), '\0');
  const ssize_t count = ::pread(reader_of(descriptor_).number(), before.data(), before.size(), 0);
  stores_all_ = count == length_ && length_ <= max_stored_bytes;
  if (stores_all_) stored_text_.push_back(std::move(before));
}

int WrittenFile::write(std::string text) {
  if (!is_watching_) start_watching();
  if (const int failure = io::write_whole(descriptor_, text); failure != 0) {
    drop_incomplete_line();
    return failure;
  }
  length_ += static_cast<std::int64_t>(text.size());
  if (!is_regular_ || length_ > max_stored_bytes) {
    stores_all_ = false;
    stored_text_.clear();
  }
  if (stores_all_) {
    text.shrink_to_fit();  // records are appended to it one by one, so that up to half of its memory is unused
    stored_text_.push_back(std::move(text));
  }
  return 0;
}

// Removes the incomplete line that a failed write left. Does not extend a file that others truncated.
void WrittenFile::drop_incomplete_line() const {
  struct stat open {};
  if (!is_regular_ || ::fstat(descriptor_, &open) != 0 || open.st_size <= length_) return;
  [[maybe_unused]] const int dropped = ::ftruncate(descriptor_, length_);  // readers skip an incomplete last line
}

std::string WrittenFile::change() const {
  if (!is_regular_) return "";
  struct stat named {};
  struct stat open {};
  if (::stat(path_.c_str(), &named) != 0)
    return errno == ENOENT ? "was deleted" : fmt::format("is no longer accessible ({})", std::strerror(errno));
  if (!io::is_same_file(named, identity_)) return "was replaced by another file";
  if (::fstat(descriptor_, &open) != 0) return fmt::format("cannot be examined ({})", std::strerror(errno));
  if (open.st_size < length_) return fmt::format("was truncated to {} of {} bytes", open.st_size, length_);
  if (open.st_size > length_) return "got lines that this run did not write";
  return "";
}

bool WrittenFile::move_to_new_name() {
  const std::filesystem::path path(path_);
  const char* const temporary = std::getenv("TMPDIR");
  const std::array<std::filesystem::path, 3> folders{path.parent_path(), "", temporary ? temporary : "/tmp"};
  for (const std::filesystem::path& folder : folders) {
    auto [name, descriptor] = new_file_in(folder, path.filename());
    if (descriptor < 0) continue;
    if (copy_to(descriptor)) return continue_with(std::move(name), descriptor);
    ::close(descriptor);
    ::unlink(name.c_str());
  }
  return false;
}

// Copies the contents from memory, or from the open file if it was not truncated (even if it was deleted).
bool WrittenFile::copy_to(int target) const {
  if (stores_all_) {
    for (const std::string& text : stored_text_) {
      if (io::write_whole(target, text) != 0) return false;
    }
    return ::fdatasync(target) == 0;
  }
  struct stat open {};
  if (::fstat(descriptor_, &open) != 0 || open.st_size < length_) return false;
  const io::Descriptor reader = reader_of(descriptor_);
  std::string block(1U << 20, '\0');
  bool copied = true;
  for (std::int64_t at = 0; copied && at < length_;) {
    const auto block_bytes = static_cast<std::size_t>(std::min<std::int64_t>(length_ - at, 1 << 20));
    const ssize_t count = ::pread(reader.number(), block.data(), block_bytes, at);
    copied =
        count > 0 && io::write_whole(target, std::string_view(block).substr(0, static_cast<std::size_t>(count))) == 0;
    at += count;
  }
  return copied && ::fdatasync(target) == 0;
}

bool WrittenFile::continue_with(std::string path, int descriptor) {
  ::close(descriptor_);
  path_ = std::move(path);
  descriptor_ = descriptor;
  ::flock(descriptor_, LOCK_EX | LOCK_NB);
  return ::fstat(descriptor_, &identity_) == 0;
}

}  // namespace stressbench::output
