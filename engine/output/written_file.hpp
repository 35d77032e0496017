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
  // Takes the descriptor over, which is open for appending at `path`.
  WrittenFile(std::string path, int descriptor);
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;
  ~WrittenFile();

  const std::string& path() const noexcept { return path_; }
  int descriptor() const noexcept { return descriptor_; }

  // Appends the text. The errno of what failed, else 0.
  int write(std::string text);

  // What somebody did to it since, as the end of a sentence ("was deleted"); empty where it is as it was written, and
  // for what is no regular file.
  std::string change() const;

  // Writes all that was written to a new file beside `path`, or in the current folder or $TMPDIR where that cannot be,
  // and goes on with it. False where nothing can be kept: what was cut off had more than is held in memory, or no file
  // can be made.
  bool move_to_new_name();

 private:
  void begin();
  bool copy_to(int target) const;
  bool go_on_with(std::string path, int descriptor);

  signals::FileSizeLimitIsAnError file_size_limit_;
  std::string path_;
  int descriptor_;
  bool begun_ = false;
  bool watched_ = false;  // a regular file
  struct stat identity_ {};
  std::int64_t length_ = 0;       // what it should have
  std::deque<std::string> held_;  // all of it, as long as it is not too much
  bool holds_all_ = true;
};

}  // namespace stressbench::output
