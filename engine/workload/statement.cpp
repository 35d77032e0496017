#include "workload/statement.hpp"

#include <algorithm>

#include "workload/limits.hpp"

namespace stressbench::workload {
namespace {

constexpr std::string_view blanks = " \t";
constexpr auto npos = std::string_view::npos;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::size_t skip_blanks(std::string_view text, std::size_t from) {
  return std::min(text.find_first_not_of(blanks, from), text.size());
}

}  // namespace

std::string spell_word(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_of(" \t\"$\\") == npos && text.front() != '#' &&
                     text.front() != '-' && text.front() != '[';
  if (plain) return std::string(text);
  std::string spelled = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '$') spelled += '\\';
    spelled += c;
  }
  return spelled + '"';
}

Position StatementReader::position(int line, std::size_t column, std::size_t length) const {
  return {source_, line, static_cast<int>(column), static_cast<int>(length)};
}

Position StatementReader::position_of(std::string_view part) const {
  return position(line_number_, static_cast<std::size_t>(part.data() - line_.data()) + 1, part.size());
}

bool StatementReader::next_line() {
  const std::string_view text = source_->text;
  if (next_line_ >= text.size()) return false;
  const std::size_t end = std::min(text.find('\n', next_line_), text.size());
  line_ = text.substr(next_line_, end - next_line_);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  next_line_ = end + 1;
  ++line_number_;
  return true;
}

// Whether the next line exists and continues this statement, which all lines do that do not begin with a [KEY].
bool StatementReader::next_continues() const {
  const std::string_view text = source_->text;
  const std::size_t first = next_line_ >= text.size() ? npos : text.find_first_not_of(blanks, next_line_);
  return next_line_ < text.size() && (first == npos || text[first] != '[');
}

std::optional<Statement> StatementReader::next() {
  bool reported = false;
  while (next_line()) {
    const std::size_t first = skip_blanks(line_, 0);
    if (first == line_.size() || line_[first] == '#') continue;
    if (line_[first] != '[') {
      const std::string_view word = line_.substr(first, line_.find_first_of(blanks, first) - first);
      if (!reported) state_.diagnostics.add(position_of(word), in_quotes(word) + " is before the first [KEY]");
      reported = true;
      continue;
    }
    return read_key(first);
  }
  return std::nullopt;
}

Statement StatementReader::read_key(std::size_t open) {
  Statement statement;
  const std::size_t begin = skip_blanks(line_, open + 1);
  const std::size_t end = std::min(line_.find_first_of("] \t#", begin), line_.size());
  statement.key = line_.substr(begin, end - begin);
  std::size_t close = skip_blanks(line_, end);
  const bool closed = close < line_.size() && line_[close] == ']';
  close = closed ? close + 1 : end;
  statement.where = position_of(line_.substr(open, close - open));
  if (!closed) {
    state_.diagnostics.add(statement.where, "']' is missing", "accepted: [" + statement.key + "]");
  } else if (close - open != statement.key.size() + 2) {
    state_.diagnostics.add(statement.where, "a key must have no blanks in its brackets",
                           "accepted: [" + statement.key + "]");
  }
  read_words(close, statement);
  while (next_continues() && next_line()) read_words(0, statement);
  return statement;
}

void StatementReader::read_words(std::size_t from, Statement& statement) {
  for (from = skip_blanks(line_, from); from < line_.size(); from = skip_blanks(line_, from)) {
    if (line_[from] == '#') return;
    Word word = read_word(from);
    from += word.raw.size();
    if (statement.words.size() >= limits::max_words) {
      state_.diagnostics.add(position_of(word.raw),
                             "[" + statement.key + "] has more than " + std::to_string(limits::max_words) + " words");
      throw LimitExceeded{};
    }
    statement.words.push_back(std::move(word));
  }
}

Word StatementReader::read_word(std::size_t from) {
  Word word;
  word.line = line_number_;
  word.column = static_cast<int>(from) + 1;
  word.is_literal = line_[from] == '"' || line_.substr(from, 2) == "${";
  std::size_t end = from;
  while (end < line_.size() && !is_blank(line_[end])) {
    if (line_[end] == '"') {
      end = read_quoted(end, word);
    } else if (line_.substr(end, 2) == "${") {
      end = read_variable(end, word);
    } else {
      word.text += line_[end++];
    }
  }
  word.raw = line_.substr(from, end - from);
  word.verbatim = word.raw == word.text;
  return word;
}

std::size_t StatementReader::read_quoted(std::size_t from, Word& word) {
  std::size_t end = from + 1;
  while (end < line_.size() && line_[end] != '"') {
    const bool escaped = line_[end] == '\\' && end + 1 < line_.size() &&
                         (line_[end + 1] == '"' || line_[end + 1] == '\\' || line_[end + 1] == '$');
    if (escaped) {
      word.text += line_[end + 1];
      end += 2;
    } else if (line_.substr(end, 2) == "${") {
      end = read_variable(end, word);
    } else {
      word.text += line_[end++];
    }
  }
  if (end < line_.size()) return end + 1;
  state_.diagnostics.add(position_of(line_.substr(from)), "the closing quote is missing on this line");
  word.invalid = true;
  return end;
}

std::size_t StatementReader::read_variable(std::size_t from, Word& word) {
  const std::size_t stop = std::min(line_.find_first_of("} \t\"", from + 2), line_.size());
  const bool closed = stop < line_.size() && line_[stop] == '}';
  const std::string_view raw = line_.substr(from, stop - from + (closed ? 1 : 0));
  const std::string name(line_.substr(from + 2, stop - from - 2));
  if (!closed || !is_variable_name(name)) {
    state_.diagnostics.add(
        position_of(raw), in_quotes(raw) + (closed ? " is not a variable's name" : " lacks its '}'"),
        "accepted: ${name} of letters, digits and underscores; \"\\${\" for the characters themselves");
    word.invalid = true;
    return from + raw.size();
  }
  const std::string* value = state_.variables.find(name);
  if (value == nullptr) {
    const auto names = state_.variables.names();
    std::string hint = names.empty() ? "set it before this line: [SET] " + name + "=..." : suggestion(name, names);
    if (is_environment_variable(name))
      hint = "set it in the environment, or by [SET] " + name + "=... before this line";
    state_.diagnostics.add(position_of(raw), "variable " + in_quotes(name) + " is not set", hint);
    word.invalid = true;
    return from + raw.size();
  }
  state_.expanded_bytes += value->size();
  if (state_.expanded_bytes > limits::max_expanded_bytes) {
    state_.diagnostics.add(
        position_of(raw),
        "variables put more than " + std::to_string(limits::max_expanded_bytes >> 10U) + " KiB into this workload");
    throw LimitExceeded{};
  }
  word.text += *value;
  return from + raw.size();
}

}  // namespace stressbench::workload
