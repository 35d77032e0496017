// Separate file, so that a new commit recompiles nothing else.
#include "output/version.hpp"

namespace stressbench::output {

const char* const version = STRESSBENCH_VERSION;
const char* const commit = STRESSBENCH_COMMIT;
const char* const compiler = STRESSBENCH_COMPILER;
const char* const build_type = STRESSBENCH_BUILD_TYPE;

}  // namespace stressbench::output
