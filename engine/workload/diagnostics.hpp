// Errors in a workload and their positions. All errors of a workload are collected and reported at once.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace stressbench::workload {

// The text of a file, kept so that a message can show the offending line.
struct Source {
  std::string path;
  std::string text;
  int order = 0;  // 0: the workload itself; included files are numbered in the order of opening
};

// A position in a source. Line and column count from 1. Column and length are in bytes (messages count characters).
// Line 0: no position in a file (a setting of the command line, or a workload as a whole).
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

// The message as text: "file:line:column: error: message", the line, ~~~~^ under the offending text, and the hint. Each
// line ends in a newline.
std::string render(const Diagnostic& diagnostic);

// Exception with all mistakes of a workload. what() returns them rendered.
class Rejected : public UserMistake {
 public:
  Rejected(std::vector<Diagnostic> diagnostics, std::size_t total);
  const std::vector<Diagnostic>& diagnostics() const noexcept { return diagnostics_; }  // sorted by position
  std::size_t total() const noexcept { return total_; }                                 // including those not kept

 private:
  std::vector<Diagnostic> diagnostics_;
  std::size_t total_;
};

class Diagnostics {
 public:
  static constexpr std::size_t max_kept = 100;  // more are only counted

  void add(const Position& where, std::string_view message, std::string_view hint = {});
  bool empty() const noexcept { return total_ == 0; }
  std::size_t total() const noexcept { return total_; }
  void throw_if_any() const;  // Rejected

 private:
  std::vector<Diagnostic> diagnostics_;
  std::size_t total_ = 0;
};

// The text in single quotes for a message, shortened if long.
std::string in_quotes(std::string_view text);
// "did you mean 'x'?" if a name is similar, else "accepted: a, b, c".
std::string suggestion(std::string_view wrong, const std::vector<std::string>& names);

}  // namespace stressbench::workload
