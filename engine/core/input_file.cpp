#include "core/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "core/input_limits.hpp"

namespace stressbench {
namespace {

constexpr std::size_t piece = std::size_t{256} << 10;

std::string words_of(int error) { return error == ENOENT ? "there is no such file" : std::strerror(error); }

const char* kind_of(mode_t mode) noexcept {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

std::string spell_bytes(std::int64_t bytes) {
  constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && bytes % 1024 == 0 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{} {}", bytes, units[unit]);
}

// O_NONBLOCK: neither opening a FIFO without a peer nor reading a kernel file without data may block.
InputFile::InputFile(std::string path, std::int64_t max_bytes)
    : path_(std::move(path)),
      max_bytes_(max_bytes),
      descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  if (descriptor_ < 0) refuse(words_of(errno));
  try {
    check_kind();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::check_kind() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) refuse(words_of(errno));
  if (!S_ISREG(status.st_mode))
    refuse(fmt::format("it is {}; only regular files can be read", kind_of(status.st_mode)));
  if (status.st_size > max_bytes_) refuse(fmt::format("it is larger than {}", spell_bytes(max_bytes_)));
}

void InputFile::refuse(const std::string& reason) const { throw UserMistake("cannot read '{}': {}", path_, reason); }

// Checks the limit again, since kernel files report size 0 and a file may grow while it is read.
bool InputFile::read_more() {
  const std::size_t before = buffer_.size();
  buffer_.resize(before + piece);
  ssize_t got = -1;
  do {
    got = ::read(descriptor_, buffer_.data() + before, piece);
  } while (got < 0 && errno == EINTR);
  if (got < 0) refuse(words_of(errno));
  buffer_.resize(before + static_cast<std::size_t>(got));
  bytes_read_ += got;
  if (bytes_read_ > max_bytes_) refuse(fmt::format("it is larger than {}", spell_bytes(max_bytes_)));
  return got > 0;
}

std::string InputFile::read_all() {
  while (read_more()) {
  }
  return std::exchange(buffer_, {}).substr(std::exchange(unread_, 0));
}

std::optional<InputFile::Line> InputFile::next_line() {
  ++line_;
  std::size_t searched = unread_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    const std::size_t length = std::min(end, buffer_.size()) - unread_;
    if (length > static_cast<std::size_t>(input_limits::max_line_bytes))
      throw UserMistake("'{}', line {}: is longer than {}", path_, line_, spell_bytes(input_limits::max_line_bytes));
    if (end != std::string::npos) {
      Line line{buffer_.substr(unread_, length), true};
      unread_ = end + 1;
      return line;
    }
    buffer_.erase(0, std::exchange(unread_, 0));
    searched = buffer_.size();
    if (read_more()) continue;
    if (buffer_.empty()) return std::nullopt;
    return Line{std::exchange(buffer_, {}), false};
  }
}

std::string read_file(const std::string& path, std::int64_t max_bytes) { return InputFile(path, max_bytes).read_all(); }

}  // namespace stressbench
