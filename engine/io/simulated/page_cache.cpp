#include "io/page_cache.hpp"

namespace stressbench::io {

// Simulated hosts keep nothing of a file in memory: every read goes to the I/O nodes.
std::optional<Dropped> drop_cache(const std::string&) { return Dropped{}; }

}  // namespace stressbench::io
