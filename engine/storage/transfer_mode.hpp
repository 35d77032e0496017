// How a library above MPI-IO makes its transfers.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "core/parameter.hpp"
#include "storage/backend.hpp"

namespace stressbench {
namespace storage {

enum class TransferMode { independent, collective };

}  // namespace storage

template <>
struct Names<storage::TransferMode> {
  static constexpr std::array values{std::pair{std::string_view{"independent"}, storage::TransferMode::independent},
                                     std::pair{std::string_view{"collective"}, storage::TransferMode::collective}};
};

namespace storage {

// Throws ParameterMistake where a data set of a library cannot grow, or the ranks of a file cannot make their transfers
// together.
inline void check_transfers(const Param<TransferMode>& mode, const Wish& wish) {
  if (wish.grows) {
    throw ParameterMistake("do",
                           "--do: append: the file's data set keeps the length that it was made with; write and "
                           "rewrite would do");
  }
  if (*mode == TransferMode::independent || wish.even_transfers) return;
  throw ParameterMistake(mode.name(),
                         fmt::format("--{}: collective: all ranks of a file make a transfer together, but theirs "
                                     "differ in number or length; independent would do",
                                     mode.name()));
}

}  // namespace storage
}  // namespace stressbench
