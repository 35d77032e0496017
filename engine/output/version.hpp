// Name, version and build of the program.
#pragma once

namespace stressbench::output {

inline constexpr const char* program = "stressbench-mpi";
extern const char* const version;
extern const char* const commit;  // empty when built outside a checkout
extern const char* const compiler;
extern const char* const build_type;

}  // namespace stressbench::output
