// Independent or collective transfers of a library on top of MPI-IO.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "core/parameter.hpp"
#include "io/backend.hpp"

namespace stressbench {
namespace io {

enum class TransferMode { independent, collective };

}  // namespace io

template <>
struct Names<io::TransferMode> {
  static constexpr std::array values{std::pair{std::string_view{"independent"}, io::TransferMode::independent},
                                     std::pair{std::string_view{"collective"}, io::TransferMode::collective}};
};

namespace io {

// Throws ParameterMistake where a data set of a library cannot grow, or the ranks of a file cannot make their transfers
// together.
inline void check_transfers(const Param<TransferMode>& mode, const AccessRequirements& requirements) {
  if (requirements.grows) {
    throw ParameterMistake(
        "do", "--do: append: the length of the file's data set is fixed at creation; use write or rewrite");
  }
  if (*mode == TransferMode::independent || requirements.even_transfers) return;
  throw ParameterMistake(
      mode.name(),
      fmt::format("--{}: collective: the ranks' transfers differ in number or length; use independent", mode.name()));
}

}  // namespace io
}  // namespace stressbench
