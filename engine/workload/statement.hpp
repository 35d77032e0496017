// The first stage of parsing: splits a file's text into statements, each a [KEY] and its words, and expands variables.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/diagnostics.hpp"
#include "workload/variables.hpp"

namespace stressbench::workload {

struct Word {
  std::string text;         // without quotes, variables replaced
  std::string_view raw;     // as written in the source
  int line = 0;             // where the raw word begins
  int column = 0;           // in bytes, from 1
  bool verbatim = true;     // text equals raw: no quotes or variables
  bool is_literal = false;  // begins with a quote or a variable: a value even if it begins with '-'
  bool invalid = false;     // a mistake in this word was reported already
};

struct Statement {
  std::string key;  // without brackets
  Position where;   // of the key with its brackets
  std::vector<Word> words;
};

// The spelling of a word that is read back as `text`: in quotes if it would otherwise be split, expanded or taken for
// an option.
std::string spell_word(std::string_view text);

// Thrown when a limit of limits.hpp is exceeded; parsing stops.
struct LimitExceeded {};

// State shared by all files of a workload during parsing.
struct ParseState {
  Variables variables;
  Diagnostics diagnostics;
  std::size_t expanded_bytes = 0;
};

class StatementReader {
 public:
  StatementReader(std::shared_ptr<const Source> source, ParseState& state)
      : source_(std::move(source)), state_(state) {}

  // The next statement with its continuation lines; none at the end of the text. Mistakes are reported and skipped.
  std::optional<Statement> next();

 private:
  Position position(int line, std::size_t column, std::size_t length) const;
  Position position_of(std::string_view part) const;  // of a part of the current line
  bool next_line();
  bool next_continues() const;
  Statement read_key(std::size_t open);
  void read_words(std::size_t from, Statement& statement);
  Word read_word(std::size_t from);
  std::size_t read_quoted(std::size_t from, Word& word);
  std::size_t read_variable(std::size_t from, Word& word);

  std::shared_ptr<const Source> source_;
  ParseState& state_;
  std::size_t next_line_ = 0;  // offset in the text
  std::string_view line_;      // without line end
  int line_number_ = 0;
};

}  // namespace stressbench::workload
