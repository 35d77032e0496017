#include "suites/b_eff_io/pattern_hint.hpp"

#include "suites/b_eff_io/io_rule.hpp"

namespace stressbench {

beff::PatternHint Spelling<beff::PatternHint>::read(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view digits = text.substr(0, colon);
  const bool is_number =
      !digits.empty() && digits.size() <= 2 && digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (colon == std::string_view::npos || !is_number || units::count(digits) >= beff::io_pattern_count)
    throw UserMistake("'{}' is not a hint of a pattern; expected number:key=value with a number from 0 to {}", text,
                      beff::io_pattern_count - 1);
  return {static_cast<int>(units::count(digits)), Spelling<Hint>::read(text.substr(colon + 1))};
}

}  // namespace stressbench
