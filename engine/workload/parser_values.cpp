#include <algorithm>

#include "core/suggest.hpp"
#include "workload/parser.hpp"

namespace stressbench::workload {

const Word* Parser::only_word(const Statement& statement) {
  const auto key = std::ranges::find(key_table(), statement.key, &Key::name);
  const std::string accepted = "accepted: " + std::string(key->accepts);
  if (std::ranges::any_of(statement.words, &Word::invalid)) return nullptr;
  if (statement.words.empty()) {
    add(statement.where, "[" + statement.key + "] needs a value", accepted);
    return nullptr;
  }
  if (statement.words.size() > 1) {
    add(position(statement.words[1]), "[" + statement.key + "] takes one value",
        accepted + "; put a value that has blanks in \"quotes\"");
    return nullptr;
  }
  return &statement.words.front();
}

std::function<std::int64_t(const std::string&)> Parser::count_up_to(std::int64_t maximum) {
  return [maximum](const std::string& text) {
    const std::int64_t value = units::count(text);
    if (value < 1) throw UserMistake("must be at least 1");
    if (value > maximum) throw UserMistake("must be at most {}", maximum);
    return value;
  };
}

std::optional<std::size_t> Parser::choice(const Statement& statement, const std::vector<std::string>& names) {
  const Word* word = only_word(statement);
  if (word == nullptr) return std::nullopt;
  const auto found = std::ranges::find(names, lower_case(word->text));
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : " or ") + name;
  refuse(statement, *word, "must be " + all, nearest(word->text, names) ? suggestion(word->text, names) : "");
  return std::nullopt;
}

void Parser::refuse(const Statement& statement, const Word& word, std::string_view why, std::string_view hint) {
  add(position(word), "[" + statement.key + "] " + in_quotes(word.text) + " " + std::string(why), hint);
}

}  // namespace stressbench::workload
