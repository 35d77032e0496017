#include "io/backend.hpp"

#include <unistd.h>

namespace stressbench::io {

bool Backend::remove(const std::string& path) const { return ::unlink(path.c_str()) == 0; }

std::vector<BackendEntry>& backends() {
  static std::vector<BackendEntry> all;
  return all;
}

}  // namespace stressbench::io
