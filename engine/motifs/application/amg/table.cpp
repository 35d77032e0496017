#include "motifs/application/amg/table.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

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

Table::Table(std::string_view text, const std::string& file, int ranks, Lattice formula)
    : formula_(std::move(formula)) {
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
  const int levels = std::max(matrix_.levels(), interpolation_.levels());
  if (relaxed_) {
    if (!coarsest_.empty()) reject("levels", "'{}' has lines with coarsest and with relaxed", file);
    if (levels > *relaxed_ + 1 || interpolation_.levels() > *relaxed_)
      reject("levels", "'{}': the relaxed level, {}, is not the coarsest", file, *relaxed_);
  } else if (levels == 0 || coarsest_.empty()) {
    reject("levels", "'{}' needs lines with interpolation, and with coarsest or relaxed", file);
  }
  levels_ = relaxed_.value_or(levels);
}

void Table::read(std::string_view line, int ranks) {
  const std::vector<std::string> words = split_words(line);
  if (words.empty()) return;
  const bool matrix = words[0] == "matrix";
  if ((matrix || words[0] == "interpolation") && words.size() == 5) {
    const int level = number(words[1], "level", 0, max_levels);
    const int from = number(words[2], "rank", 0, ranks);
    const int to = number(words[3], "rank", 0, ranks);
    if (from == to) throw UserMistake("a rank cannot send to itself");
    Exchanges& exchanges = matrix ? matrix_ : interpolation_;
    if (!exchanges.add(level, from, to, number(words[4], "size", 1, max_bytes)))
      throw UserMistake("{} to {} on level {} is given twice", from, to, level);
    has_finest_ = has_finest_ || (matrix && level == 0);
  } else if (words[0] == "coarsest" && words.size() == 3) {
    coarsest_[number(words[1], "rank", 0, ranks)] = 8 * number(words[2], "unknowns", 1, max_bytes / 8);
  } else if (words[0] == "relaxed" && words.size() == 2) {
    relaxed_ = number(words[1], "level", 0, max_levels);
  } else {
    throw UserMistake(
        "must be: matrix LEVEL FROM TO BYTES, interpolation LEVEL FROM TO BYTES, coarsest RANK UNKNOWNS, or relaxed "
        "LEVEL");
  }
}

std::vector<Exchange> Table::matrix(int level, int rank) const {
  return level == 0 && !has_finest_ ? formula_.matrix(0, rank) : matrix_.of(level, rank);
}

std::string read_table(const std::string& file) {
  try {
    return read_file(file, input_limits::max_level_table_bytes);
  } catch (const UserMistake& mistake) {
    reject("levels", "{}", mistake.what());
  }
}

}  // namespace stressbench::amg
