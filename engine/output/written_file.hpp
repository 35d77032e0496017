// A file that only this program appends to, while others may delete, replace, cut or lengthen it.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <deque>
#include <string>

#include "core/signals.hpp"

namespace stressbench::output {

class WrittenFile {
 public:
  // Takes over a descriptor that is open for appending at `path`.
  WrittenFile(std::string path, int descriptor);
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;
  ~WrittenFile();

  const std::string& path() const noexcept { return path_; }
  int descriptor() const noexcept { return descriptor_; }

  // Appends the text, which ends with a line's end. Returns 0, or the errno of the failure, after which the file is as
  // it was before.
  int write(std::string text);

  // How the file was changed from outside, as the end of a sentence ("was deleted"); empty if it was not, or is no
  // regular file.
  std::string change() const;

  // Writes the whole contents to a new file in the same directory, else in the current directory or $TMPDIR, and
  // continues with it. False if that fails: no file can be created, or more was cut off than is held in memory.
  bool move_to_new_name();

 private:
  void begin();
  void drop_incomplete_line() const;
  bool copy_to(int target) const;
  bool go_on_with(std::string path, int descriptor);

  signals::FileSizeLimitIsAnError file_size_limit_;
  std::string path_;
  int descriptor_;
  bool begun_ = false;
  bool watched_ = false;  // a regular file
  struct stat identity_ {};
  std::int64_t length_ = 0;       // expected
  std::deque<std::string> held_;  // the contents, up to a limit
  bool holds_all_ = true;
};

}  // namespace stressbench::output
