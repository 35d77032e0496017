#include "telemetry/file_tree.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/error.hpp"
#include "core/input_file.hpp"

namespace stressbench::telemetry {
namespace {

constexpr std::int64_t max_file_bytes = std::int64_t{1} << 20;
constexpr std::string_view white_space = " \t\r\n";

std::vector<std::string_view> pieces_of(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return pieces;
    text.remove_prefix(begin);
    const std::size_t length = std::min(text.find_first_of(separators), text.size());
    pieces.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
}

}  // namespace

std::vector<std::string> FileTree::names(const std::filesystem::path& directory) const {
  std::vector<std::string> names;
  std::error_code fault;
  for (std::filesystem::directory_iterator entry(root_ / directory, fault), end; !fault && entry != end;
       entry.increment(fault)) {
    names.push_back(entry->path().filename());
  }
  std::ranges::sort(names);
  return names;
}

bool FileTree::contains(const std::filesystem::path& path) const {
  std::error_code ignored;
  return std::filesystem::exists(root_ / path, ignored);
}

std::optional<std::string> FileTree::text(const std::filesystem::path& file) const {
  try {
    return read_file(root_ / file, max_file_bytes);
  } catch (const UserMistake&) {
    return std::nullopt;
  }
}

std::optional<std::uint64_t> FileTree::number(const std::filesystem::path& file) const {
  const auto found = text(file);
  return found ? leading_number(*found) : std::nullopt;
}

std::optional<std::uint64_t> leading_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{}) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  const bool ends = rest.empty() || rest.front() == '@' || white_space.find(rest.front()) != std::string_view::npos;
  return ends ? std::optional(value) : std::nullopt;
}

std::vector<std::string_view> words_of(std::string_view line) { return pieces_of(line, white_space); }

std::vector<std::string_view> lines_of(std::string_view text) { return pieces_of(text, "\n"); }

}  // namespace stressbench::telemetry
