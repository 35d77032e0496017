#include "motifs/application/amg/table.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "core/error.hpp"
#include "core/input_file.hpp"
#include "core/input_limits.hpp"
#include "core/units.hpp"

namespace stressbench::amg {
namespace {

std::vector<std::string> split_words(std::string_view line) {
  std::istringstream stream{std::string(line.substr(0, line.find('#')))};
  return {std::istream_iterator<std::string>(stream), {}};
}

int number(const std::string& word, const char* what, std::int64_t min, std::int64_t limit) {
  const std::int64_t value = units::integer(word);
  if (value < min || value >= limit)
    throw UserMistake("{} {} is not in the range {} to {}", what, value, min, limit - 1);
  return static_cast<int>(value);
}

constexpr std::int64_t max_levels = 100;
constexpr std::int64_t max_bytes = std::int64_t{1} << 31;

}  // namespace

Table::Table(std::string_view text, const std::string& file, int ranks, const Hierarchy& finest) : finest_(finest) {
  int at = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    ++at;
    try {
      read(text.substr(start, end - start), ranks);
    } catch (const UserMistake& mistake) {
      reject("levels", "'{}', line {}: {}", file, at, mistake.what());
    }
    start = end + 1;
  }
  if (levels_ == 0 || coarsest_.empty()) reject("levels", "'{}' needs lines with interpolation and coarsest", file);
}

void Table::read(std::string_view line, int ranks) {
  const std::vector<std::string> words = split_words(line);
  if (words.empty()) return;
  const bool matrix = words[0] == "matrix";
  if ((matrix || words[0] == "interpolation") && words.size() == 5) {
    const int level = number(words[1], "level", matrix ? 1 : 0, max_levels);
    const int from = number(words[2], "rank", 0, ranks);
    const int to = number(words[3], "rank", 0, ranks);
    if (from == to) throw UserMistake("a rank cannot send to itself");
    add(matrix ? matrix_ : interpolation_, level, from, to, number(words[4], "size", 1, max_bytes));
    levels_ = std::max(levels_, level + 1);
  } else if (words[0] == "coarsest" && words.size() == 3) {
    coarsest_[number(words[1], "rank", 0, ranks)] = 8 * number(words[2], "unknowns", 1, max_bytes / 8);
  } else {
    throw UserMistake(
        "must be: matrix LEVEL FROM TO BYTES, interpolation LEVEL FROM TO BYTES, or coarsest RANK UNKNOWNS");
  }
}

void Table::add(Exchanges& exchanges, int level, int from, int to, std::int64_t bytes) {
  Exchange& of_sender = exchanges[{level, from}][to];
  if (of_sender.sent > 0) throw UserMistake("{} to {} on level {} is given twice", from, to, level);
  of_sender.peer = to;
  of_sender.sent = bytes;
  Exchange& of_receiver = exchanges[{level, to}][from];
  of_receiver.peer = from;
  of_receiver.received = bytes;
}

std::vector<Exchange> Table::of(const Exchanges& exchanges, int level, int rank) {
  std::vector<Exchange> found;
  const auto at = exchanges.find({level, rank});
  if (at == exchanges.end()) return found;
  for (const auto& [other, exchange] : at->second) found.push_back(exchange);
  return found;
}

std::vector<Exchange> Table::matrix(int level, int rank) const {
  return level == 0 ? finest_.matrix(0, rank) : of(matrix_, level, rank);
}

std::string read_table(const std::string& file) {
  try {
    return read_file(file, input_limits::max_level_table_bytes);
  } catch (const UserMistake& mistake) {
    reject("levels", "{}", mistake.what());
  }
}

}  // namespace stressbench::amg
