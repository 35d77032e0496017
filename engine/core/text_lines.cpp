#include "core/text_lines.hpp"

#include <charconv>
#include <optional>
#include <sstream>

namespace stressbench {

bool TextLines::next_line(std::vector<std::string>& words) {
  const std::optional<InputFile::Line> line = file_.next_line();
  if (!line) return false;
  ++number_;
  line_ = line->text;
  words.clear();
  std::istringstream stream(line_);
  for (std::string word; stream >> word;) words.push_back(word);
  return true;
}

bool TextLines::next(std::vector<std::string>& words) {
  while (next_line(words)) {
    if (!words.empty() && !words.front().starts_with('#') && !words.front().starts_with("//")) return true;
  }
  return false;
}

std::int64_t TextLines::integer(const std::string& word, std::string_view what, std::int64_t lowest) const {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || value < lowest)
    reject("{}: '{}': expected an integer of at least {}", what, word, lowest);
  return value;
}

double TextLines::number(const std::string& word) const {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || value < 0)
    reject("'{}': expected a number that is not negative", word);
  return value;
}

}  // namespace stressbench
