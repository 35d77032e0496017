// The only way in which files that a person names are read. Whatever the name stands for, reading ends and memory is
// bounded: only regular files are opened, and never more of them than the limit is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace stressbench {

class InputFile {
 public:
  // Throws UserMistake "cannot read 'PATH': REASON" where there is no regular file of at most `most_bytes`, or it may
  // not be read. Never blocks, and opens neither a FIFO nor a device for longer than it takes to see what it is.
  InputFile(std::string path, std::int64_t most_bytes);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  // The rest of the file.
  std::string read_all();

  struct Line {
    std::string text;    // without its line feed
    bool whole = false;  // ends in a line feed; only the last line of a file can lack one
  };
  // None at the end of the file.
  std::optional<Line> next_line();

 private:
  [[noreturn]] void refuse(const std::string& reason) const;
  void check_kind() const;
  bool fill();  // false at the end

  std::string path_;
  std::int64_t most_bytes_;
  std::int64_t taken_ = 0;  // bytes that were read
  std::int64_t line_ = 0;
  int descriptor_ = -1;
  std::string buffer_;  // what was read and not yet given
  std::size_t at_ = 0;
};

// A whole file.
std::string read_file(const std::string& path, std::int64_t most_bytes);

// "64 KiB", "16 MiB", "64 GiB"
std::string spell_bytes(std::int64_t bytes);

}  // namespace stressbench
