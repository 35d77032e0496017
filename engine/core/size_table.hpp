// Distribution of the file sizes of a site: a table of sizes, or ranges of sizes, with weights. No I/O.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/input_limits.hpp"

namespace stressbench {

// A comma-separated text:
//   # text after a number sign is a comment
//   size,weight            or    from,to,weight
//   4KiB,70                      1,4KiB,70
//   1GB,30                       4KiB,1GB,30
// Sizes are read by units::bytes. Weights are any numbers greater than 0: a row is drawn with probability weight / sum
// of weights. A row with one size gives that size. A range gives sizes whose logarithm is uniform (as many from 1 to
// 10 MB as from 10 to 100 MB), since file sizes spread over magnitudes. A range therefore begins at 1 byte or more.
class SizeTable {
 public:
  static constexpr std::size_t max_text_bytes = input_limits::max_size_table_bytes;
  static constexpr std::int64_t max_size = std::int64_t{1} << 60;  // 1 EiB, exact as a double

  // `name` names the table in messages. Throws UserMistake "NAME:LINE: ..." for the first malformed line.
  static SizeTable parse(std::string_view text, const std::string& name);

  // The u-quantile of the sizes, 0 < u < 1: a uniform `u` gives a random size.
  std::int64_t quantile(double u) const noexcept;
  // Mean of the distribution, in bytes.
  double mean() const noexcept;
  std::int64_t largest() const noexcept;

 private:
  struct Row {
    std::int64_t from = 0;
    std::int64_t to = 0;
    double up_to = 0;  // sum of the weights up to and including this row
  };
  class Reader;
  SizeTable() = default;

  std::vector<Row> rows_;  // at least one
};

}  // namespace stressbench
