// Reader for all files that the user names. Reading always terminates and its memory is bounded: only regular files are
// accepted, and only up to a size limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace stressbench {

class InputFile {
 public:
  // Throws UserMistake "cannot read 'PATH': REASON" unless the path is a readable regular file of at most `max_bytes`.
  // Never blocks. A FIFO or device is closed as soon as its type is known.
  InputFile(std::string path, std::int64_t max_bytes);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  // The rest of the file.
  std::string read_all();

  struct Line {
    std::string text;       // without its line feed
    bool complete = false;  // ends in a line feed; only the last line of a file can lack one
  };
  // None at the end of the file.
  std::optional<Line> next_line();

 private:
  [[noreturn]] void refuse(const std::string& reason) const;
  void check_kind() const;
  bool read_more();  // false at the end

  std::string path_;
  std::int64_t max_bytes_;
  std::int64_t bytes_read_ = 0;  // bytes read so far
  std::int64_t line_ = 0;
  int descriptor_ = -1;
  std::string buffer_;  // bytes read; those from unread_ on were not yet returned
  std::size_t unread_ = 0;
};

// The contents of a whole file.
std::string read_file(const std::string& path, std::int64_t max_bytes);

// "64 KiB", "16 MiB", "64 GiB"
std::string spell_bytes(std::int64_t bytes);

}  // namespace stressbench
