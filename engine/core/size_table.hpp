// Sizes of files as a site has them: a table of sizes, or of ranges, with their weights. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/input_limits.hpp"

namespace stressbench {

// A comma-separated text:
//   # what follows a number sign is a comment
//   size,weight            or    from,to,weight
//   4KiB,70                      1,4KiB,70
//   1GB,30                       4KiB,1GB,30
// Sizes as units::bytes reads them, weights any numbers greater than 0: a row is drawn as often as its weight says
// among all. A row of one size gives that size. A range gives sizes whose logarithm is uniform in it (as many from 1 to
// 10 MB as from 10 to 100 MB): sizes of files spread over magnitudes. So it begins at 1 byte or more.
class SizeTable {
 public:
  static constexpr std::size_t most_text = input_limits::size_table_bytes;
  static constexpr std::int64_t most_size = std::int64_t{1} << 60;  // 1 EiB: exact wherever it is computed with

  // `name` is what messages call it. Throws UserMistake "NAME:LINE: ..." for the first line that is wrong.
  static SizeTable parse(std::string_view text, const std::string& name);

  // The size that the number 0 < unit < 1 stands for, where units are uniform: 0 or more.
  std::int64_t at(double unit) const noexcept;
  // What draws average to.
  double mean() const noexcept;
  std::int64_t largest() const noexcept;

 private:
  struct Row {
    std::int64_t from = 0;
    std::int64_t to = 0;
    double up_to = 0;  // sum of the weights to here
  };
  class Reader;
  SizeTable() = default;

  std::vector<Row> rows_;  // one at least
};

}  // namespace stressbench
