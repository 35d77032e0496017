// What this program is.
#pragma once

namespace stressbench::output {

inline constexpr const char* program = "stressbench-mpi";
inline constexpr const char* version = STRESSBENCH_VERSION;
inline constexpr const char* commit = STRESSBENCH_COMMIT;  // empty when built outside a checkout
inline constexpr const char* compiler = STRESSBENCH_COMPILER;
inline constexpr const char* build_type = STRESSBENCH_BUILD_TYPE;

}  // namespace stressbench::output
