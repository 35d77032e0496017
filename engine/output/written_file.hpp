// A file to which only this program should append. Detects if others delete, replace, truncate or extend it.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <deque>
#include <string>

#include "core/signals.hpp"

namespace stressbench::output {

class WrittenFile {
 public:
  // Takes ownership of a descriptor that is open for appending at `path`.
  WrittenFile(std::string path, int descriptor);
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;
  ~WrittenFile();

  const std::string& path() const noexcept { return path_; }
  int descriptor() const noexcept { return descriptor_; }

  // Appends the text, which must end with a line feed. Returns 0, or the errno of a failure. After a failure the file
  // is as before.
  int write(std::string text);

  // How the file was changed by others, as the end of a sentence ("was deleted"). Empty if it was not changed or is not
  // a regular file.
  std::string change() const;

  // Writes the whole contents to a new file in the same directory, else in the current directory or $TMPDIR, and
  // continues with that file. False if no file can be created, or if more was truncated than is held in memory.
  bool move_to_new_name();

 private:
  void start_watching();
  void drop_incomplete_line() const;
  bool copy_to(int target) const;
  bool continue_with(std::string path, int descriptor);

  signals::SigxfszIgnored file_size_limit_;
  std::string path_;
  int descriptor_;
  bool is_watching_ = false;
  bool is_regular_ = false;  // whether it is a regular file
  struct stat identity_ {};
  std::int64_t length_ = 0;              // expected
  std::deque<std::string> stored_text_;  // contents in memory, up to a limit
  bool stores_all_ = true;
};

}  // namespace stressbench::output
