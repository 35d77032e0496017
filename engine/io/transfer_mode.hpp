// Independent or collective transfers of a library on top of MPI-IO.
#pragma once

#include "core/parameter.hpp"
#include "io/backend.hpp"

namespace stressbench {
namespace io {

enum class TransferMode { independent, collective };

}  // namespace io

namespace io {

// Throws ParameterMistake if a data set would have to grow, or if collective transfers would differ between the ranks
// of a file.
inline void check_transfers(const Param<TransferMode>& mode, const AccessRequirements& requirements) {
  if (requirements.grows)
    reject("do", "append: the length of the file's data set is fixed at creation; use write or rewrite");
  if (*mode == TransferMode::independent || requirements.even_transfers) return;
  reject(mode.name(), "collective: the ranks' transfers differ in number or length; use independent");
}

}  // namespace io
}  // namespace stressbench
