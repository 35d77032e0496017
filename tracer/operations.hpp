// The operations of functions.txt, by number and name. No MPI.
#pragma once

#include <cstdint>

#include "key.hpp"

namespace stressbench::trace {

enum class Op : std::uint16_t {
#define X(name, kind, sends, receives) name,
#include "operations.inc"
#undef X
  count
};

struct Operation {
  const char* name;
  Class kind;
  bool sends;     // a point-to-point message
  bool receives;  // a point-to-point message
};

inline constexpr Operation operations[] = {
#define X(name, kind, sends, receives) {#name, Class::kind, sends != 0, receives != 0},
#include "operations.inc"
#undef X
};
constexpr const Operation& operation(std::uint16_t op) noexcept { return operations[op]; }

}  // namespace stressbench::trace
