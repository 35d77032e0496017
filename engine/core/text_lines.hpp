// A text file of lines of words, and errors that name the line.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/input_file.hpp"

namespace stressbench {

class TextLines {
 public:
  // Throws UserMistake if the file cannot be read or has more bytes.
  TextLines(const std::string& path, std::int64_t max_bytes) : path_(path), file_(path, max_bytes) {}

  // The words of the next line, whatever it is; false at the end.
  bool next_line(std::vector<std::string>& words);
  // The words of the next line that is neither empty nor a comment (# or //); false at the end.
  bool next(std::vector<std::string>& words);

  template <class... Args>
  [[noreturn]] void reject(fmt::format_string<const Args&...> text, const Args&... args) const {
    throw UserMistake("{}:{}: {}", path_, number_, fmt::format(text, args...));
  }
  // Number of at least `lowest` in a word. Throws UserMistake with the line.
  std::int64_t integer(const std::string& word, std::string_view what, std::int64_t lowest = 0) const;

  // Number that is not negative in a word. Throws UserMistake with the line.
  double number(const std::string& word) const;

  const std::string& path() const noexcept { return path_; }
  const std::string& line() const noexcept { return line_; }  // the last one, as it stands there

 private:
  std::string path_;
  InputFile file_;
  std::string line_;
  std::int64_t number_ = 0;
};

// The words of a line as one text, for messages.
inline std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

}  // namespace stressbench
