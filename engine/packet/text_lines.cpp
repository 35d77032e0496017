#include "packet/text_lines.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <sstream>

namespace stressbench::packet {

TextLines::TextLines(const std::string& path) : path_(path), file_(path) {
  if (!file_) throw UserMistake("{}: {}", path, std::strerror(errno));
}

bool TextLines::next(std::vector<std::string>& words) {
  std::string line;
  while (std::getline(file_, line)) {
    ++number_;
    words.clear();
    std::istringstream stream(line);
    for (std::string word; stream >> word;) words.push_back(word);
    if (!words.empty() && !words.front().starts_with('#') && !words.front().starts_with("//")) return true;
  }
  if (file_.bad()) throw UserMistake("{}: {}", path_, std::strerror(errno));
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
