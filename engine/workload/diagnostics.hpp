// Errors in a workload and their positions. All errors of a workload are collected and reported at once.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace stressbench::workload {

// A file's text, kept so that a message can show the line it is about.
struct Source {
  std::string path;
  std::string text;
  int order = 0;  // 0 is the workload itself; included files count up as they are opened
};

// Line and column count from 1; column and length are bytes of the source's text (a message counts characters).
// Line 0: not a place in a file (a setting of the command line, or a workload as a whole).
struct Position {
  std::shared_ptr<const Source> source;
  int line = 0;
  int column = 0;
  int length = 0;
};

struct Diagnostic {
  Position where;
  std::string message;  // without a full stop: "'halo' is not a motif"
  std::string hint;     // "did you mean 'halo2d'?" or "accepted: ...", or empty
};

// file:line:column: error: message, the line itself, ~~~~^ under the offending text, and the hint; each line ends in a
// newline.
std::string render(const Diagnostic& diagnostic);

// Every mistake of a workload at once; what() is all of them rendered.
class Rejected : public UserMistake {
 public:
  Rejected(std::vector<Diagnostic> diagnostics, std::size_t total);
  const std::vector<Diagnostic>& diagnostics() const noexcept { return diagnostics_; }  // in the order of the text
  std::size_t total() const noexcept { return total_; }                                 // with those that are not kept

 private:
  std::vector<Diagnostic> diagnostics_;
  std::size_t total_;
};

class Diagnostics {
 public:
  static constexpr std::size_t kept = 100;  // the rest is only counted

  void add(const Position& where, std::string_view message, std::string_view hint = {});
  bool empty() const noexcept { return total_ == 0; }
  std::size_t total() const noexcept { return total_; }
  void throw_if_any() const;  // Rejected

 private:
  std::vector<Diagnostic> diagnostics_;
  std::size_t total_ = 0;
};

// 'text' in quotes for a message, cut when long.
std::string in_quotes(std::string_view text);
// "did you mean 'x'?" where a name is near, else "accepted: a, b, c".
std::string suggestion(std::string_view wrong, const std::vector<std::string>& names);

}  // namespace stressbench::workload
