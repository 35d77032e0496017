#include "core/size_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "core/units.hpp"

namespace stressbench {
namespace {

constexpr std::string_view headers = "'size,weight' or 'from,to,weight'";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Text of the file in a form that is safe to print: printable ASCII, cut to 60 characters, in quotes.
std::string quoted(std::string_view text) {
  constexpr std::size_t max_length = 60;
  std::string shown(text.substr(0, max_length));
  std::ranges::replace_if(
      shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  return '\'' + shown + (text.size() > max_length ? "...'" : "'");
}

// The cells of a line. Reading stops at one more than the largest valid number of columns.
constexpr std::size_t max_cells = 4;
struct Cells {
  std::array<std::string_view, max_cells> texts;
  std::size_t count = 0;
};
Cells cells_of(std::string_view line) {
  Cells cells;
  for (bool more = true; more && cells.count < max_cells;) {
    const std::size_t comma = line.find(',');
    more = comma != std::string_view::npos;
    cells.texts[cells.count++] = trimmed(line.substr(0, comma));
    line.remove_prefix(more ? comma + 1 : line.size());
  }
  return cells;
}

// Mean of a range of sizes whose logarithm is uniform.
double mean_of(double from, double to) { return from < to ? (to - from) / std::log(to / from) : from; }

}  // namespace

class SizeTable::Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  SizeTable read(std::string_view text) {
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    if (text.size() > max_text_bytes)
      throw UserMistake("{}: a table of sizes has at most {} bytes", name_, max_text_bytes);
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      read_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (columns_ == 0) throw UserMistake("{}: has no header; {}", name_, headers);
    if (table_.rows_.empty()) throw UserMistake("{}: has no rows after its header", name_);
    return std::move(table_);
  }

 private:
  [[noreturn]] void refuse(const std::string& words) const { throw UserMistake("{}:{}: {}", name_, line_, words); }

  void read_line(std::string_view line) {
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) return;
    const Cells cells = cells_of(line);
    if (columns_ == 0) return read_header(line, cells);
    if (cells.count != columns_) {
      refuse(fmt::format("{} does not have the {} columns of the header, {}", quoted(line), columns_,
                         columns_ == 2 ? "size,weight" : "from,to,weight"));
    }
    const std::int64_t from = size_in(cells.texts[0]);
    add(from, columns_ == 2 ? from : size_in(cells.texts[1]), weight_in(cells.texts[columns_ - 1]));
  }

  void read_header(std::string_view line, const Cells& cells) {
    const auto has = [&](std::size_t column, std::string_view name) { return lower_case(cells.texts[column]) == name; };
    if (cells.count == 2 && has(0, "size") && has(1, "weight")) {
      columns_ = 2;
    } else if (cells.count == 3 && has(0, "from") && has(1, "to") && has(2, "weight")) {
      columns_ = 3;
    } else {
      refuse(fmt::format("{} is not a header; {}", quoted(line), headers));
    }
  }

  std::int64_t size_in(std::string_view cell) const {
    try {
      const std::int64_t size = units::bytes(cell).value;
      if (size > max_size) throw UserMistake("is too large; at most 1152921504606846976 bytes (1 EiB)");
      return size;
    } catch (const UserMistake& mistake) {
      refuse(fmt::format("{} {}", quoted(cell), mistake.what()));
    }
  }

  double weight_in(std::string_view cell) const {
    try {
      const double weight = units::real(cell);
      if (!(weight > 0)) throw UserMistake("must be greater than 0");
      return weight;
    } catch (const UserMistake& mistake) {
      refuse(fmt::format("weight {} {}", quoted(cell), mistake.what()));
    }
  }

  void add(std::int64_t from, std::int64_t to, double weight) {
    if (from > to) refuse(fmt::format("a range from {} to {} is empty", from, to));
    if (from == 0 && to > 0) {
      refuse(
          "a range begins at 1 byte or more, as the logarithms of its sizes are uniform; a row 0,0,WEIGHT gives empty "
          "files");
    }
    const double before = table_.rows_.empty() ? 0 : table_.rows_.back().up_to;
    if (!std::isfinite(before + weight)) refuse("the sum of the weights is too large");
    if (!(before + weight > before)) refuse("the weight is too small compared with the sum of the previous ones");
    table_.rows_.push_back({from, to, before + weight});
  }

  const std::string& name_;
  std::size_t line_ = 0;
  std::size_t columns_ = 0;  // 0 until the header was read
  SizeTable table_;
};

SizeTable SizeTable::parse(std::string_view text, const std::string& name) { return Reader(name).read(text); }

std::int64_t SizeTable::quantile(double u) const noexcept {
  const double weight = u * rows_.back().up_to;
  auto row = std::ranges::upper_bound(rows_, weight, {}, &Row::up_to);
  if (row == rows_.end()) --row;
  if (row->from == row->to) return row->from;
  const double before = row == rows_.begin() ? 0 : std::prev(row)->up_to;
  const double within = (weight - before) / (row->up_to - before);
  const auto from = static_cast<double>(row->from);
  const double size = from * std::pow(static_cast<double>(row->to) / from, within);
  return std::clamp(static_cast<std::int64_t>(std::min(size, static_cast<double>(max_size))), row->from, row->to);
}

double SizeTable::mean() const noexcept {
  double sum = 0;
  double before = 0;
  for (const Row& row : rows_) {
    sum +=
        (row.up_to - before) / rows_.back().up_to * mean_of(static_cast<double>(row.from), static_cast<double>(row.to));
    before = row.up_to;
  }
  return sum;
}

std::int64_t SizeTable::largest() const noexcept { return std::ranges::max_element(rows_, {}, &Row::to)->to; }

}  // namespace stressbench
