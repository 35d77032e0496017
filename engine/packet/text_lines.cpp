#include "packet/text_lines.hpp"

#include <charconv>
#include <optional>
#include <sstream>

#include "core/input_limits.hpp"

namespace stressbench::packet {

TextLines::TextLines(const std::string& path) : path_(path), file_(path, input_limits::max_trace_file_bytes) {}

bool TextLines::next(std::vector<std::string>& words) {
  while (const std::optional<InputFile::Line> line = file_.next_line()) {
    ++number_;
    words.clear();
    std::istringstream stream(line->text);
    for (std::string word; stream >> word;) words.push_back(word);
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

}  // namespace stressbench::packet
