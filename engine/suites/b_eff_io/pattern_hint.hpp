// Hints for MPI-IO that hold from one pattern of b_eff_io on to the end of its file: `33:romio_ds_write=disable`.
#pragma once

#include <string>
#include <string_view>

#include "io/hints.hpp"

namespace stressbench {
namespace beff {

struct PatternHint {
  int pattern = 0;  // number in Table 2
  Hint hint;
};

}  // namespace beff

template <>
struct Spelling<beff::PatternHint> {
  static beff::PatternHint read(std::string_view text);
  static std::string write(const beff::PatternHint& hint) {
    return std::to_string(hint.pattern) + ':' + Spelling<Hint>::write(hint.hint);
  }
  static constexpr std::string_view unit = "text";
};

}  // namespace stressbench
